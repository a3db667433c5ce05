// The three kinds of error (docs/architecture.md, 5): bad input throws SpecError, "does not fit" is
// a value (OutOfMemory), and a broken belief of ours is OOC_CHECK, active in Release too.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace ooc {

/// Bad input: caught once, in main; exit 2. what() is one line:
///   networks/tiny.json: /layers/4/kernel: found 0, expected >= 1 (hint)
class SpecError : public std::runtime_error {
 public:
  struct Parts {
    std::string file;      ///< path as the user gave it, or "" for a flag
    std::string place;     ///< JSON pointer ("/layers/4/kernel") or flag ("--memory")
    std::string found;     ///< what is there
    std::string expected;  ///< what should be there
    std::string hint;      ///< optional: "line 12, column 3", "did you mean ...?"
  };
  explicit SpecError(Parts parts);
  [[nodiscard]] const Parts& parts() const { return parts_; }

 private:
  Parts parts_;
};

/// Text in double quotes for messages: control characters escaped, cut after 80 bytes.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// A broken invariant: exit 70.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void check_failed(const char* condition, std::string_view belief, const char* file,
                               int line);

}  // namespace ooc

/// OOC_CHECK(cond, "what was believed")
#define OOC_CHECK(condition, belief)  \
  ((condition) ? static_cast<void>(0) \
               : ::ooc::check_failed(#condition, (belief), __FILE__, __LINE__))
