// The keys of one line of a replay group, read strictly. What is missing or wrong throws RequestError that says in
// which line: "step 3: 'ns': found 'nan', expected nanoseconds, 0 to 1e13".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/gpu/line.hpp"

namespace ooc::gpu {

class ReplayFields {
 public:
  // `where` is what messages begin with.
  ReplayFields(const Line& line, std::string where) : line_(line), where_(std::move(where)) {}

  std::string text(const std::string& key) const;
  std::string text_or(const std::string& key, const std::string& fallback) const;
  std::size_t integer(const std::string& key, std::size_t at_least, std::size_t at_most) const;
  std::optional<std::size_t> integer_if(const std::string& key, std::size_t at_most) const;
  std::size_t integer_or(const std::string& key, std::size_t fallback, std::size_t at_least,
                         std::size_t at_most) const;
  bool flag_or(const std::string& key, bool fallback) const;
  double ns(const std::string& key) const;
  // A number below `end`, required; `of` says what it numbers.
  std::size_t number(const std::string& key, std::size_t end, const char* of) const;
  // "3,7", each below `end`. Empty without the key.
  std::vector<std::size_t> numbers(const std::string& key, std::size_t end, const char* of) const;

  struct Run {
    std::size_t first;
    std::size_t count;
  };
  // "0,5+12", at least one, each of at least one number and all of them below `end`.
  std::vector<Run> runs(const std::string& key, std::size_t end, const char* of) const;

  [[noreturn]] void fail(const std::string& problem) const;

 private:
  void require_below(const std::string& key, std::size_t number, std::size_t end,
                     const char* of) const;
  [[noreturn]] void unexpected(const std::string& key, const std::string& value,
                               const std::string& expected) const;

  const Line& line_;
  std::string where_;
};

}  // namespace ooc::gpu
