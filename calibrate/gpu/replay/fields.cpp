// Strict reading of integers, times and lists. See replay_fields.hpp.
#include "calibrate/gpu/replay/fields.hpp"

#include <algorithm>
#include <cstdlib>

#include "calibrate/gpu/check.hpp"

namespace ooc::gpu {
namespace {

constexpr double kLongestNs = 1e13;  // nearly three hours

// Digits only; at most 15 of them, so that sums of two do not overflow.
std::optional<std::size_t> parse_integer(const std::string& text) {
  if (text.empty() || text.size() > 15) return std::nullopt;
  std::size_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::size_t>(c - '0');
  }
  return value;
}

// "12" or "12.5"; not "1e3", "nan", "-1" or "0x10", which strtod would take.
std::optional<double> parse_decimal(const std::string& text) {
  std::size_t points = 0;
  for (const char c : text) {
    if (c == '.') ++points;
    if (c != '.' && (c < '0' || c > '9')) return std::nullopt;
  }
  if (text.empty() || text.size() > 30 || points > 1 || text.front() == '.') return std::nullopt;
  return std::strtod(text.c_str(), nullptr);
}

std::string range(std::size_t at_least, std::size_t at_most) {
  return "an integer of " + std::to_string(at_least) + " to " + std::to_string(at_most);
}

}  // namespace

void ReplayFields::fail(const std::string& problem) const {
  throw RequestError{where_ + ": " + problem};
}

void ReplayFields::unexpected(const std::string& key, const std::string& value,
                              const std::string& expected) const {
  fail("'" + key + "': found '" + value + "', expected " + expected);
}

std::string ReplayFields::text(const std::string& key) const {
  const std::string* value = line_.find(key);
  if (value == nullptr) fail("'" + key + "' is missing");
  return *value;
}

std::string ReplayFields::text_or(const std::string& key, const std::string& fallback) const {
  const std::string* value = line_.find(key);
  return value == nullptr ? fallback : *value;
}

std::size_t ReplayFields::integer(const std::string& key, std::size_t at_least,
                                  std::size_t at_most) const {
  const std::string value = text(key);
  const std::optional<std::size_t> parsed = parse_integer(value);
  if (!parsed || *parsed < at_least || *parsed > at_most) {
    unexpected(key, value, range(at_least, at_most));
  }
  return *parsed;
}

std::optional<std::size_t> ReplayFields::integer_if(const std::string& key,
                                                    std::size_t at_most) const {
  if (line_.find(key) == nullptr) return std::nullopt;
  return integer(key, 0, at_most);
}

std::size_t ReplayFields::integer_or(const std::string& key, std::size_t fallback,
                                     std::size_t at_least, std::size_t at_most) const {
  return line_.find(key) == nullptr ? fallback : integer(key, at_least, at_most);
}

bool ReplayFields::flag_or(const std::string& key, bool fallback) const {
  return integer_or(key, fallback ? 1 : 0, 0, 1) == 1;
}

double ReplayFields::ns(const std::string& key) const {
  const std::string value = text(key);
  const std::optional<double> parsed = parse_decimal(value);
  if (!parsed || *parsed > kLongestNs) unexpected(key, value, "nanoseconds, 0 to 1e13");
  return *parsed;
}

void ReplayFields::require_below(const std::string& key, std::size_t number, std::size_t end,
                                 const char* of) const {
  if (number < end) return;
  fail("'" + key + "': there is no " + of + " " + std::to_string(number) + ", the plan has " +
       std::to_string(end));
}

std::size_t ReplayFields::number(const std::string& key, std::size_t end, const char* of) const {
  const std::string value = text(key);
  const std::optional<std::size_t> parsed = parse_integer(value);
  if (!parsed) unexpected(key, value, std::string("the number of a ") + of);
  require_below(key, *parsed, end, of);
  return *parsed;
}

std::vector<std::size_t> ReplayFields::numbers(const std::string& key, std::size_t end,
                                               const char* of) const {
  std::vector<std::size_t> found;
  const std::string* list = line_.find(key);
  if (list == nullptr) return found;
  for (std::size_t begin = 0; begin <= list->size();) {
    const std::size_t comma = std::min(list->find(',', begin), list->size());
    const std::optional<std::size_t> number = parse_integer(list->substr(begin, comma - begin));
    if (!number) unexpected(key, *list, "numbers separated by commas");
    require_below(key, *number, end, of);
    found.push_back(*number);
    begin = comma + 1;
  }
  return found;
}

std::vector<ReplayFields::Run> ReplayFields::runs(const std::string& key, std::size_t end,
                                                  const char* of) const {
  std::vector<Run> found;
  const std::string list = text(key);
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    const std::string run = list.substr(begin, comma - begin);
    const std::size_t plus = run.find('+');
    const std::optional<std::size_t> first = parse_integer(run.substr(0, plus));
    const std::optional<std::size_t> count = plus == std::string::npos
                                                 ? std::optional<std::size_t>(1)
                                                 : parse_integer(run.substr(plus + 1));
    if (!first || !count || *count == 0) {
      unexpected(key, list, "runs such as 7 or 7+3, separated by commas");
    }
    require_below(key, *first + *count - 1, end, of);
    found.push_back({*first, *count});
    begin = comma + 1;
  }
  return found;
}

}  // namespace ooc::gpu
