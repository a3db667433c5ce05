// Quantities go through the same parser as in files (quantity_io), so "--memory 16" gets the same answer as
// "memory": 16.
#include "model/base/option_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>
#include <variant>

#include "model/base/errors.hpp"
#include "model/base/quantity_io.hpp"
#include "model/base/spec_tree.hpp"

namespace ooc {

// A part of a word ("v100", "4090") is more likely than a misspelt one, and edit distance knows nothing of it.

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  std::vector<std::string> likely;
  const auto take = [&](auto is_likely) {
    if (!likely.empty()) return;
    std::ranges::copy_if(known, std::back_inserter(likely), is_likely);
  };
  constexpr std::size_t kShortestPart = 3;
  if (!word.empty()) take([&](const std::string& each) { return each.starts_with(word); });
  if (word.size() >= kShortestPart) {
    take([&](const std::string& each) { return each.find(word) != std::string::npos; });
  }
  if (likely.empty()) {
    if (auto near = nearest_word(word, known)) likely.push_back(*std::move(near));
  }
  std::string text;
  for (std::size_t i = 0; i < likely.size(); ++i) {
    text += (i == 0 ? "did you mean " : i + 1 == likely.size() ? " or " : ", ") + likely[i];
  }
  return text.empty() ? text : text + "?";
}

// "Did you mean": the optimal string alignment distance (insert, delete, replace, swap neighbours),
// case ignored. A third of the letters may be wrong; below four letters only one.

namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;  // rows i-2, i-1 and i of the table
  std::vector<std::size_t> above(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::move(above);
    above = std::move(row);
  }
  return above[b.size()];
}

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

std::optional<std::string> nearest_word(std::string_view word,
                                        const std::vector<std::string>& known) {
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::optional<std::string> nearest;
  std::size_t best = limit + 1;
  for (const std::string& candidate : known) {
    const std::size_t shorter = std::min(word.size(), candidate.size());
    const std::size_t longer = std::max(word.size(), candidate.size());
    if (longer - shorter > limit || longer > 1000) continue;
    const std::size_t steps = distance(lower_case(word), lower_case(candidate));
    if (steps < best && steps < longer) {  // all letters wrong is no resemblance
      best = steps;
      nearest = candidate;
    }
  }
  return nearest;
}

std::optional<std::int64_t> integer_in(std::string_view text) {
  return number_in<std::int64_t>(text);
}
std::optional<double> real_in(std::string_view text) { return number_in<double>(text); }

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

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

void cannot_combine(std::string_view option, const std::string& with, std::string remedy,
                    std::string why) {
  throw SpecError({.place = std::string(option),
                   .found = "cannot be combined with " + with,
                   .expected = std::move(remedy),
                   .hint = std::move(why),
                   .is_sentence = true});
}

void needs_option(std::string_view option, const std::string& needed) {
  throw SpecError({.place = std::string(option), .found = "needs " + needed, .is_sentence = true});
}

void bad_value(std::string_view flag, std::string found, std::string expected, std::string hint) {
  throw SpecError({"", std::string(flag), std::move(found), std::move(expected), std::move(hint)});
}

void unknown_word(std::string_view flag, std::string_view word,
                  const std::vector<std::string>& known) {
  bad_value(flag, in_quotes(word), fmt::format("one of: {}", fmt::join(known, ", ")),
            did_you_mean(word, known));
}

}  // namespace ooc
