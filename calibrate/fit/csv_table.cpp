#include "calibrate/fit/csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/base/decimal.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

constexpr double kLargest = 1e15;  // products of such numbers stay numbers
constexpr double kLargestCount = 1e9;

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

void check_header(std::span<const std::string_view> header, const CsvColumns& columns,
                  CsvRow::Place place) {
  const auto complain = [&](std::string found, std::string expected) {
    throw SpecError({.file = place.file,
                     .place = fmt::format("line {}", place.line),
                     .found = std::move(found),
                     .expected = std::move(expected),
                     .hint = std::string(columns.hint)});
  };
  for (const std::string_view column : header) {
    if (std::find(columns.known.begin(), columns.known.end(), column) == columns.known.end()) {
      complain(fmt::format("unknown column {}", in_quotes(column)), "a known column");
    }
    if (std::count(header.begin(), header.end(), column) > 1) {
      complain(fmt::format("column {} twice", in_quotes(column)), "each column once");
    }
  }
  for (const std::string_view needed : columns.needed) {
    if (std::find(header.begin(), header.end(), needed) == header.end()) {
      complain("a header without it", fmt::format("a column \"{}\"", needed));
    }
  }
}

}  // namespace

std::vector<std::string_view> split_fields(std::string_view line, char by) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0;;) {
    const std::size_t end = line.find(by, begin);
    fields.push_back(without_blanks(line.substr(begin, end - begin)));
    if (end == std::string_view::npos) return fields;
    begin = end + 1;
  }
}

CsvRow::CsvRow(std::span<const std::string_view> header, std::string_view line, Place place)
    : header_(header), fields_(split_fields(line, ',')), place_(place) {
  if (fields_.size() != header.size()) {
    fail("", fmt::format("{} fields", fields_.size()),
         fmt::format("{} as in the header", header.size()));
  }
}

std::string_view CsvRow::text(std::string_view column) const {
  const auto found = std::find(header_.begin(), header_.end(), column);
  return found == header_.end() ? std::string_view()
                                : fields_[static_cast<std::size_t>(found - header_.begin())];
}

double CsvRow::number(std::string_view column) const {
  const std::string_view field = text(column);
  const auto decimal = read_decimal(field);
  const bool whole = decimal && decimal->length == field.size();
  const std::optional<double> value = whole ? nearest_double(field, 0) : std::nullopt;
  if (!value || !(*value > 0) || *value > kLargest) fail(column, "a number above 0");
  return *value;
}

std::int64_t CsvRow::count(std::string_view column) const {
  const double value = number(column);
  const auto rounded = static_cast<std::int64_t>(value);
  if (static_cast<double>(rounded) != value || value > kLargestCount) {
    fail(column, "a whole number from 1 to 10^9");
  }
  return rounded;
}

std::int64_t CsvRow::count_or(std::string_view column, std::int64_t otherwise) const {
  const std::string_view field = text(column);
  if (field.empty() || (field == "0" && otherwise == 0)) return otherwise;
  return count(column);
}

void CsvRow::fail(std::string_view column, std::string found, std::string expected) const {
  throw SpecError({.file = place_.file,
                   .place = column.empty() ? fmt::format("line {}", place_.line)
                                           : fmt::format("line {}, {}", place_.line, column),
                   .found = std::move(found),
                   .expected = std::move(expected),
                   .hint = {}});
}

void CsvRow::fail(std::string_view column, std::string expected) const {
  fail(column, has(column) ? in_quotes(text(column)) : "nothing", std::move(expected));
}

void CsvRow::fail_choice(std::string_view column, std::span<const std::string_view> known) const {
  fail(column, fmt::format("one of {}", fmt::join(known, ", ")));
}

void read_csv(std::string_view text, const std::string& file, const CsvColumns& columns,
              const std::function<void(const CsvRow&)>& take) {
  std::vector<std::string_view> header;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    if (header.empty()) {
      header = split_fields(line, ',');
      check_header(header, columns, {file, number});
      continue;
    }
    take(CsvRow(header, line, {file, number}));
  }
}

}  // namespace ooc
