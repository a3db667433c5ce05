// Kinds of error (docs/architecture.md, 6): bad input throws SpecError, "does not fit" is the value
// OutOfMemory, a bug in our code fails OOC_CHECK. OOC_CHECK is active in Release builds, too.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ooc {

/// Bad input. Caught once, in main, with exit status 2. what() is one line:
///   networks/tiny.json: /layers/4/kernel: found 0, expected >= 1 (hint)
class SpecError : public std::runtime_error {
 public:
  struct Parts {
    std::string file = {};   ///< path as the user gave it; empty: the error is in a flag
    std::string place = {};  ///< JSON pointer ("/layers/4/kernel") or flag ("--memory"); or empty
    std::string found = {};
    std::string expected = {};
    std::string hint = {};  ///< such as "line 12, column 3" or "did you mean ...?"; empty: none
    /// True: what() is "place found; expected", where `found` is a clause such as "cannot be combined with
    /// --devices 2" and `expected` a remedy such as "use one device".
    bool is_sentence = false;
  };
  explicit SpecError(Parts parts);
  [[nodiscard]] const Parts& parts() const { return parts_; }

 private:
  Parts parts_;
};

/// Returns `text` in double quotes for messages, with control characters, quotes and backslashes
/// escaped. Beyond 80 bytes "..." stands for the rest.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Throws SpecError: "--memory: found \"16\", expected a size with a unit (hint)".
[[noreturn]] void bad_value(std::string_view option, std::string found, std::string expected,
                            std::string hint = {});

/// Throws SpecError: "--offload cannot be combined with --devices 2; use one device (why)".
[[noreturn]] void cannot_combine(std::string_view option, const std::string& with,
                                 std::string remedy, std::string why = "");
/// Throws SpecError: "--grad-dtype needs --precision".
[[noreturn]] void needs_option(std::string_view option, const std::string& needed);
/// Throws SpecError for a word that is not in `known`. The message suggests similar words and lists all.
[[noreturn]] void unknown_word(std::string_view option, std::string_view word,
                               const std::vector<std::string>& known);

/// Returns the entry of `known` nearest to `word`; unset if none is within max(1, a third of the letters) edits.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view word,
                                                      const std::vector<std::string>& known);
/// Returns "did you mean A, B or C?" with up to 6 entries of `known`: those that begin with `word`; else those that
/// contain `word`, if of 3 letters or more; else nearest_word(). Empty: no such entry.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& known);

/// Error for a bug in this program. main ends with exit status 70.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void check_failed(const char* condition, std::string_view belief, const char* file,
                               int line);

}  // namespace ooc

/// Throws InternalError if the condition is false: OOC_CHECK(condition, "belief").
#define OOC_CHECK(condition, belief)  \
  ((condition) ? static_cast<void>(0) \
               : ::ooc::check_failed(#condition, (belief), __FILE__, __LINE__))

namespace ooc {

/// Returns the text of `value`. `texts`: by enumerator. Throws InternalError if it has no text.
template <class Enum>
[[nodiscard]] constexpr std::string_view text_at(Enum value,
                                                 std::initializer_list<std::string_view> texts) {
  const auto index = static_cast<std::size_t>(value);
  OOC_CHECK(index < texts.size(), "each enumerator has a text");
  return texts.begin()[index];
}

}  // namespace ooc
