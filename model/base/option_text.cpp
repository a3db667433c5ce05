// Quantities go through the same parser as in files (quantity_io), so "--memory 16" gets the same answer as "memory": 16.
#include "model/base/option_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>
#include <variant>

#include "model/base/errors.hpp"
#include "model/base/quantity_io.hpp"

namespace ooc {

namespace {

template <class Value>
Value value_of(Parsed<Value> parsed, std::string_view flag) {
  if (auto* error = std::get_if<QuantityError>(&parsed)) {
    bad_value(flag, std::move(error->found), std::move(error->expected));
  }
  return std::get<Value>(parsed);
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> integer_in(std::string_view text) {
  return number_in<std::int64_t>(text);
}
std::optional<double> real_in(std::string_view text) { return number_in<double>(text); }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

Bytes bytes_of(std::string_view text, std::string_view flag) {
  return value_of(parse_bytes(trimmed(text)), flag);
}

BytesPerSecond rate_of(std::string_view text, std::string_view flag) {
  const BytesPerSecond rate = value_of(parse_rate(trimmed(text)), flag);
  if (rate.count() <= 0) {
    bad_value(flag, in_quotes(text), "a rate greater than 0, such as \"12 GB/s\", or inf");
  }
  return rate;
}

BytesPerSecond update_rate_of(std::string_view text, std::string_view flag) {
  return value_of(parse_update_rate(trimmed(text)), flag);
}

Duration duration_of(std::string_view text, std::string_view flag) {
  return value_of(parse_duration(trimmed(text)), flag);
}

std::int64_t whole_number_of(std::string_view given, std::string_view flag, std::int64_t lowest,
                             std::int64_t highest) {
  const std::optional<std::int64_t> number = integer_in(trimmed(given));
  if (!number || *number < lowest || *number > highest) {
    bad_value(flag, in_quotes(given), fmt::format("a whole number from {} to {}", lowest, highest));
  }
  return *number;
}

Ratio ratio_of(std::string_view text, std::string_view flag, double lowest, double highest) {
  const auto parsed = parse_ratio(trimmed(text));
  const double* ratio = std::get_if<double>(&parsed);
  if (ratio == nullptr || !(*ratio >= lowest) || *ratio > highest) {
    bad_value(flag, in_quotes(text), fmt::format("a ratio from {} to {}", lowest, highest));
  }
  return Ratio(std::llround(*ratio * static_cast<double>(kOne.count())));
}

std::vector<std::string> split_list(const std::string& list, std::string_view flag,
                                    char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t comma = list.find(separator, begin);
    parts.emplace_back(trimmed(std::string_view(list).substr(begin, comma - begin)));
    if (parts.back().empty()) {
      bad_value(
          flag, in_quotes(list),
          separator == ',' ? "values between single commas" : "values between single semicolons",
          "one of them is empty");
    }
    if (comma == std::string::npos) return parts;
    begin = comma + 1;
  }
}

}  // namespace ooc
