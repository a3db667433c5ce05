// Quantities as text. The format_* functions are for people: three or four significant digits,
// always a unit. The exact_* functions are for files: the unit parser gives the same value back.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "model/base/quantity_io.hpp"

namespace ooc {
namespace {

constexpr std::array<std::string_view, 6> kSizeNames{"B", "kB", "MB", "GB", "TB", "PB"};
constexpr std::array<std::string_view, 4> kTimeNames{"ns", "us", "ms", "s"};
constexpr std::array<std::string_view, 7> kRateNames{"B/s",  "kB/s", "MB/s", "GB/s",
                                                     "TB/s", "PB/s", "EB/s"};
constexpr std::array<std::string_view, 7> kFlopPrefixes{"", "k", "M", "G", "T", "P", "E"};

/// `value` with `digits` significant digits in the largest unit that keeps it at or above 1; whole
/// numbers below 1000 in the first unit stay as they are ("512 B", not "512.0 B").
std::string significant(double value, int digits, std::span<const std::string_view> names) {
  const bool negative = value < 0;
  double rest = std::abs(value);
  std::size_t unit = 0;
  // Rounding may carry into the next unit: 999.96 MB is 1.000 GB.
  const double carry = 1000 - 0.5 * std::pow(10.0, 3 - digits);
  while (unit + 1 < names.size() && rest >= (unit == 0 ? 1000 : carry)) {
    rest /= 1000;
    ++unit;
  }
  int decimals = unit == 0 ? 0 : digits - 1;
  std::string text = fmt::format("{:.{}f}", rest, decimals);
  while (decimals > 0 && text.size() > static_cast<std::size_t>(digits) + 1) {  // + 1: the point
    --decimals;
    text = fmt::format("{:.{}f}", rest, decimals);
  }
  return fmt::format("{}{} {}", negative ? "-" : "", text, names[unit]);
}

/// count / 1000^k with all its digits, k as large as possible: 12150000000 -> "12.15 GB/s".
std::string exact_decimal(std::int64_t count, std::span<const std::string_view> names) {
  const std::string sign = count < 0 ? "-" : "";
  std::string digits = std::to_string(count);
  if (count < 0) digits.erase(0, 1);
  const std::size_t unit = std::min((digits.size() - 1) / 3, names.size() - 1);
  std::string fraction = digits.substr(digits.size() - 3 * unit);
  digits.resize(digits.size() - 3 * unit);
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return sign + digits + (fraction.empty() ? "" : "." + fraction) + " " + std::string(names[unit]);
}

/// A double with its shortest digits, the point moved to suit the prefix: 1.57e13 -> "15.7 T".
std::string exact_double(double value, std::string_view suffix) {
  std::array<char, 64> buffer{};
  const std::to_chars_result end = std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                                 value, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const std::size_t e = text.find('e');
  std::string digits(text.substr(0, 1));
  if (e > 2) digits += text.substr(2, e - 2);
  int exponent = 0;
  const bool below_one = text[e + 1] == '-';
  std::from_chars(text.data() + e + 2, text.data() + text.size(), exponent);
  if (below_one) exponent = 0 - exponent;
  if (exponent < 0 || exponent > 20) return fmt::format("{} {}", text, suffix);
  const int unit = std::min(exponent / 3, static_cast<int>(kFlopPrefixes.size()) - 1);
  const int whole_digits = exponent - 3 * unit + 1;
  const auto whole = static_cast<std::size_t>(whole_digits);
  while (digits.size() < whole) digits += '0';
  if (digits.size() > whole) digits.insert(whole, ".");
  return fmt::format("{} {}{}", digits, kFlopPrefixes[static_cast<std::size_t>(unit)], suffix);
}

}  // namespace

std::string format_bytes(Bytes bytes) {
  return significant(static_cast<double>(bytes.count()), 4, kSizeNames);
}

std::string format_duration(Duration duration) {
  return significant(static_cast<double>(duration.count()), 4, kTimeNames);
}

std::string format_rate(BytesPerSecond rate) {
  if (rate == kInfiniteRate) return "infinite";
  return significant(static_cast<double>(rate.count()), 3, kRateNames);
}

std::string format_flop_rate(FlopsPerSecond rate) {
  static constexpr std::array<std::string_view, 7> kNames{
      "FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s", "EFLOP/s"};
  return significant(rate.per_second, 3, kNames);
}

std::string format_percent(double ratio) {
  const std::string text = fmt::format("{:.1f}", 100 * ratio);
  return (text == "-0.0" ? "0.0" : text) + " %";
}

std::string exact_bytes(Bytes bytes) {
  struct Unit {
    std::string_view name;
    std::int64_t size;
  };
  // Largest first: the first that divides gives the shortest text.
  static constexpr std::array<Unit, 11> kUnits{{{"PiB", std::int64_t{1} << 50},
                                                {"PB", 1'000'000'000'000'000},
                                                {"TiB", std::int64_t{1} << 40},
                                                {"TB", 1'000'000'000'000},
                                                {"GiB", std::int64_t{1} << 30},
                                                {"GB", 1'000'000'000},
                                                {"MiB", std::int64_t{1} << 20},
                                                {"MB", 1'000'000},
                                                {"KiB", 1024},
                                                {"kB", 1000},
                                                {"B", 1}}};
  for (const Unit& unit : kUnits) {
    if (bytes.count() != 0 && bytes.count() % unit.size == 0) {
      return fmt::format("{} {}", bytes.count() / unit.size, unit.name);
    }
  }
  return "0 B";
}

std::string exact_duration(Duration duration) {
  return exact_decimal(duration.count(), kTimeNames);
}

std::string exact_rate(BytesPerSecond rate) {
  if (rate == kInfiniteRate) return "inf";
  return exact_decimal(rate.count(), std::span(kRateNames).first(6));
}

std::string exact_flop_rate(FlopsPerSecond rate) { return exact_double(rate.per_second, "FLOP/s"); }

std::string exact_flop_count(double flops) { return exact_double(flops, "FLOP"); }

}  // namespace ooc
