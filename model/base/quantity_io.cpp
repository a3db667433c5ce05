// The unit parser. Every quantity is a decimal number and one unit of a closed table; the product
// is taken exactly (scaled()) and checked against the limits of units.hpp, so that "1e30 GiB" is
// an error that names the limit and not a wrapped number. Units are spelled one way each: "kB" is
// 1000 bytes, "KiB" 1024, and "KB" is refused because people mean both by it.
#include "model/base/quantity_io.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <vector>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"
#include "model/base/terminal_text.hpp"

namespace ooc {
namespace {

constexpr std::int64_t kKilo = 1'000;
constexpr std::int64_t kMega = 1'000'000;
constexpr std::int64_t kGiga = 1'000'000'000;
constexpr std::int64_t kTera = 1'000'000'000'000;
constexpr std::int64_t kPeta = 1'000'000'000'000'000;

constexpr std::int64_t binary(int steps) { return std::int64_t{1} << (10 * steps); }

struct Unit {
  std::string_view name;
  std::int64_t numerator;
  std::int64_t denominator = 1;
};

constexpr std::array kSizeUnits{
    Unit{"B", 1},           Unit{"kB", kKilo},      Unit{"MB", kMega},      Unit{"GB", kGiga},
    Unit{"TB", kTera},      Unit{"PB", kPeta},      Unit{"KiB", binary(1)}, Unit{"MiB", binary(2)},
    Unit{"GiB", binary(3)}, Unit{"TiB", binary(4)}, Unit{"PiB", binary(5)}};

// µ exists twice in Unicode (U+00B5 and U+03BC); keyboards and papers use both.
constexpr std::array kTimeUnits{Unit{"ns", 1},          Unit{"us", kKilo}, Unit{"\u00b5s", kKilo},
                                Unit{"\u03bcs", kKilo}, Unit{"ms", kMega}, Unit{"s", kGiga},
                                Unit{"min", 60 * kGiga}};

constexpr std::array kRateUnits{
    Unit{"B/s", 1},           Unit{"kB/s", kKilo},      Unit{"MB/s", kMega},
    Unit{"GB/s", kGiga},      Unit{"TB/s", kTera},      Unit{"PB/s", kPeta},
    Unit{"KiB/s", binary(1)}, Unit{"MiB/s", binary(2)}, Unit{"GiB/s", binary(3)},
    Unit{"TiB/s", binary(4)}, Unit{"bit/s", 1, 8},      Unit{"kbit/s", kKilo, 8},
    Unit{"Mbit/s", kMega, 8}, Unit{"Gbit/s", kGiga, 8}, Unit{"Tbit/s", kTera, 8}};

constexpr std::array kUpdateUnits{Unit{"B/s", 1},
                                  Unit{"kB/s", kKilo},
                                  Unit{"MB/s", kMega},
                                  Unit{"GB/s", kGiga},
                                  Unit{"TB/s", kTera},
                                  Unit{"KiB/s", binary(1)},
                                  Unit{"MiB/s", binary(2)},
                                  Unit{"GiB/s", binary(3)},
                                  Unit{"TiB/s", binary(4)},
                                  Unit{"param/s", kAdamBytes},
                                  Unit{"kparam/s", kAdamBytes* kKilo},
                                  Unit{"Mparam/s", kAdamBytes* kMega},
                                  Unit{"Gparam/s", kAdamBytes* kGiga}};

/// Thousands, their squares and so on.
constexpr std::array<std::string_view, 7> kPrefixes{"", "k", "M", "G", "T", "P", "E"};

/// How one kind of quantity is spoken of in messages.
struct Wording {
  std::string_view what;                    ///< "a size with a unit"
  std::string_view example_number;          ///< used when the text has no plain number of its own
  std::array<std::string_view, 2> example;  ///< units shown; the second may be empty
  std::string_view large{};                 ///< shown instead from a million on, if any
};
constexpr Wording kSize{"a size with a unit", "16", {"GiB", "GB"}, "B"};
constexpr Wording kTime{"a time with a unit", "8", {"us", "ms"}};
constexpr Wording kRate{"a rate with a unit", "12.4", {"GB/s", "Gbit/s"}};
constexpr Wording kUpdateRate{"a rate with a unit", "3.9", {"Gparam/s", "GB/s"}};
constexpr Wording kFlopRate{"a computing rate with a unit", "15.7", {"TFLOP/s", ""}};
constexpr Wording kFlopCount{"a count of operations with a unit", "2", {"GFLOP", ""}};

struct Split {
  std::string_view number;
  Decimal decimal;
  std::string_view unit;
};

/// Number, at most one space, unit.
std::optional<Split> split(std::string_view text) {
  const std::optional<DecimalPrefix> prefix = read_decimal(text);
  if (!prefix) return std::nullopt;
  std::string_view unit = text.substr(prefix->length);
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  return Split{text.substr(0, prefix->length), prefix->value, unit};
}

bool same_letters(std::string_view a, std::string_view b) { return lower_case(a) == lower_case(b); }

/// Other spellings in use, and what to write instead.
std::string respelled(std::string_view unit) {
  const auto ends = [&](std::string_view end) { return unit.ends_with(end); };
  const auto without = [&](std::size_t n) { return std::string(unit.substr(0, unit.size() - n)); };
  if (ends("FLOPS") || ends("Flops") || ends("flops")) return without(5) + "FLOP/s";
  if (ends("FLOPs")) return without(5) + "FLOP";
  if (ends("bps")) return without(3) + "bit/s";
  if (ends("Bps")) return without(3) + "B/s";
  if (unit == "sec" || unit == "seconds") return "s";
  if (unit == "usec") return "us";
  if (unit == "msec") return "ms";
  return {};
}

/// "Gb/s" and "gb/s" are bits to some and bytes to others: both, never one of them. Empty for other units.
template <class Names>
std::string bits_or_bytes(std::string_view number, std::string_view unit, const Names& names) {
  constexpr std::string_view kEnd = "b/s";
  if (!unit.ends_with(kEnd)) return {};
  const std::string prefix(unit.substr(0, unit.size() - kEnd.size()));
  const auto known = [&](const std::string& wanted) {
    const auto found = std::ranges::find_if(
        names, [&](const std::string& name) { return same_letters(name, wanted); });
    return found == names.end() ? std::string() : *found;
  };
  const std::string bytes = known(prefix + "B/s");
  const std::string bits = known(prefix + "bit/s");
  if (bytes.empty() || bits.empty()) return {};
  return fmt::format("\"{0} {1}\" (bytes) or \"{0} {2}\" (bits), which are 8-fold apart", number,
                     bytes, bits);
}

/// "16 GiB" or "16 GB", but "17179869184 B": who writes so many digits counts bytes.
std::string examples(std::string_view number, const Wording& wording) {
  const std::optional<double> value = nearest_double(number, 0);
  if (!wording.large.empty() && value && *value >= 1e6) {
    return fmt::format("\"{} {}\"", number, wording.large);
  }
  std::string text = fmt::format("\"{} {}\"", number, wording.example[0]);
  if (!wording.example[1].empty()) text += fmt::format(" or \"{} {}\"", number, wording.example[1]);
  return text;
}

template <class Names>
QuantityError unit_error(std::string_view text, const Wording& wording, const Names& names) {
  const std::optional<Split> parts = split(text);
  std::string_view number = wording.example_number;
  if (parts && !parts->decimal.negative && parts->number.size() <= 17) number = parts->number;
  std::string expected = fmt::format("{}, such as {}", wording.what, examples(number, wording));
  if (!parts || parts->unit.empty()) return {in_quotes(text), expected};
  if (parts->unit == "KB" || parts->unit == "KB/s") {
    const std::string_view per = parts->unit.substr(2);
    expected += fmt::format("; \"kB{0}\" counts 1000 bytes, \"KiB{0}\" 1024", per);
    return {in_quotes(text), expected};
  }
  const std::string_view unit = trimmed(parts->unit);
  if (const std::string both = bits_or_bytes(number, unit, names); !both.empty()) {
    return {in_quotes(text), fmt::format("{}, {}", wording.what, both)};
  }
  const std::string better = respelled(unit);
  for (const std::string& name : names) {
    if (name == unit) {
      return {in_quotes(text),
              fmt::format("number, at most one blank, unit; write \"{} {}\"", number, name)};
    }
    if (same_letters(name, better) || same_letters(name, unit)) {
      const bool may_be_bits = unit.ends_with('b') && name.ends_with('B');
      return {in_quotes(text), fmt::format("{}; write \"{} {}\"{}", expected, number, name,
                                           may_be_bits ? " where bytes are meant" : "")};
    }
  }
  return {in_quotes(text), fmt::format("{}; units: {}", expected, fmt::join(names, ", "))};
}

/// Count in the base unit, 0 <= count <= highest.
Parsed<std::int64_t> parse_count(std::string_view text, std::span<const Unit> units,
                                 const Wording& wording, std::int64_t highest,
                                 std::string_view limit) {
  const std::optional<Split> parts = split(text);
  if (parts) {
    for (const Unit& unit : units) {
      if (unit.name != parts->unit) continue;
      const std::optional<Scaled> count = scaled(parts->decimal, unit.numerator, unit.denominator);
      const bool negative = parts->decimal.negative && parts->decimal.mantissa != 0;
      if (negative)
        return QuantityError{in_quotes(text), fmt::format("{}, not negative", wording.what)};
      if (!count || count->value > highest)
        return QuantityError{in_quotes(text), std::string(limit)};
      return count->value;
    }
  }
  return unit_error(text, wording, names_of(units));
}

/// FLOPs or FLOP/s: a double, exact to its last bit; the unit is a power of ten.
Parsed<double> parse_flop(std::string_view text, std::string_view suffix, const Wording& wording) {
  std::vector<std::string> names;
  for (const std::string_view prefix : kPrefixes)
    names.push_back(fmt::format("{}{}", prefix, suffix));
  const std::optional<Split> parts = split(text);
  for (std::size_t i = 0; parts && i < names.size(); ++i) {
    if (names[i] != parts->unit) continue;
    const std::optional<double> value = nearest_double(parts->number, 3 * static_cast<int>(i));
    if (value && *value > 0 && *value <= 1e24) return *value;
    return QuantityError{in_quotes(text),
                         fmt::format("{}, above 0 and at most 1e6 E{}", wording.what, suffix)};
  }
  return unit_error(text, wording, names);
}

Parsed<BytesPerSecond> parse_rate_in(std::string_view text, std::span<const Unit> units,
                                     const Wording& wording) {
  if (text == "inf") return kInfiniteRate;
  const Parsed<std::int64_t> count = parse_count(text, units, wording, kMaxRate.count(),
                                                 "a rate of at most 1000 PB/s, or \"inf\"");
  if (const auto* error = std::get_if<QuantityError>(&count)) return *error;
  const std::int64_t rate = std::get<std::int64_t>(count);
  if (rate < 1) return QuantityError{in_quotes(text), "a rate of at least 1 B/s"};
  return BytesPerSecond(rate);
}

}  // namespace

Parsed<Bytes> parse_bytes(std::string_view text) {
  const Parsed<std::int64_t> count =
      parse_count(text, kSizeUnits, kSize, kMaxTotalBytes - 1, "a size below 64 PiB (2^56 bytes)");
  if (const auto* error = std::get_if<QuantityError>(&count)) return *error;
  return Bytes(std::get<std::int64_t>(count));
}

Parsed<Duration> parse_duration(std::string_view text) {
  const Parsed<std::int64_t> count =
      parse_count(text, kTimeUnits, kTime, kMaxTimeNs - 1, "a time below 2^53 ns (104 days)");
  if (const auto* error = std::get_if<QuantityError>(&count)) return *error;
  return Duration(std::get<std::int64_t>(count));
}

Parsed<BytesPerSecond> parse_rate(std::string_view text) {
  return parse_rate_in(text, kRateUnits, kRate);
}

Parsed<BytesPerSecond> parse_update_rate(std::string_view text) {
  return parse_rate_in(text, kUpdateUnits, kUpdateRate);
}

Parsed<FlopsPerSecond> parse_flop_rate(std::string_view text) {
  const Parsed<double> value = parse_flop(text, "FLOP/s", kFlopRate);
  if (const auto* error = std::get_if<QuantityError>(&value)) return *error;
  return FlopsPerSecond{std::get<double>(value)};
}

Parsed<double> parse_flop_count(std::string_view text) {
  return parse_flop(text, "FLOP", kFlopCount);
}

Parsed<double> parse_ratio(std::string_view text) {
  const std::optional<Split> parts = split(text);
  if (parts && (parts->unit.empty() || parts->unit == "%") && !text.ends_with(' ')) {
    const std::optional<double> value = nearest_double(parts->number, parts->unit.empty() ? 0 : -2);
    if (value) return *value;
  }
  return QuantityError{in_quotes(text), "a ratio, such as \"90 %\" or 0.9"};
}

// Quantities as text. The format_* functions are for people: three or four significant digits,
// always a unit. The exact_* functions are for files: the unit parser gives the same value back.

namespace {

using Names = std::span<const std::string_view>;
constexpr std::array<std::string_view, 4> kTimeNames{"ns", "us", "ms", "s"};
constexpr Names kToPeta = Names(kPrefixes).first(6);

/// `value` with `digits` significant digits in the largest unit that keeps it at or above 1; whole
/// numbers below 1000 in the first unit stay as they are ("512 B", not "512.0 B").
std::string significant(double value, int digits, Names names, std::string_view suffix) {
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
  return fmt::format("{}{} {}{}", negative ? "-" : "", text, names[unit], suffix);
}

/// count / 1000^k with all its digits, k as large as possible: 12150000000 -> "12.15 GB/s".
std::string exact_decimal(std::int64_t count, Names names, std::string_view suffix) {
  const std::string sign = count < 0 ? "-" : "";
  std::string digits = std::to_string(count);
  if (count < 0) digits.erase(0, 1);
  const std::size_t unit = std::min((digits.size() - 1) / 3, names.size() - 1);
  std::string fraction = digits.substr(digits.size() - 3 * unit);
  digits.resize(digits.size() - 3 * unit);
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return fmt::format("{}{}{}{} {}{}", sign, digits, fraction.empty() ? "" : ".", fraction,
                     names[unit], suffix);
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
  const int unit = std::min(exponent / 3, static_cast<int>(kPrefixes.size()) - 1);
  const int whole_digits = exponent - 3 * unit + 1;
  const auto whole = static_cast<std::size_t>(whole_digits);
  while (digits.size() < whole) digits += '0';
  if (digits.size() > whole) digits.insert(whole, ".");
  return fmt::format("{} {}{}", digits, kPrefixes[static_cast<std::size_t>(unit)], suffix);
}

}  // namespace

std::string format_bytes(Bytes bytes) {
  return significant(static_cast<double>(bytes.count()), 4, kToPeta, "B");
}

std::string format_duration(Duration duration) {
  return significant(static_cast<double>(duration.count()), 4, kTimeNames, "");
}

std::string format_rate(BytesPerSecond rate) {
  if (rate == kInfiniteRate) return "infinite";
  return significant(static_cast<double>(rate.count()), 3, kPrefixes, "B/s");
}

std::string format_flop_rate(FlopsPerSecond rate) {
  return significant(rate.per_second, 3, kPrefixes, "FLOP/s");
}

std::string format_percent(double ratio) {
  const std::string text = fmt::format("{:.1f}", 100 * ratio);
  return (text == "-0.0" ? "0.0" : text) + " %";
}

std::string exact_bytes(Bytes bytes) {
  // The largest that divides gives the shortest text.
  const Unit* best = nullptr;
  for (const Unit& unit : kSizeUnits) {
    const bool divides = bytes.count() != 0 && bytes.count() % unit.numerator == 0;
    if (divides && (best == nullptr || unit.numerator > best->numerator)) best = &unit;
  }
  if (best != nullptr) return fmt::format("{} {}", bytes.count() / best->numerator, best->name);
  return "0 B";
}

std::string exact_duration(Duration duration) {
  return exact_decimal(duration.count(), kTimeNames, "");
}

std::string exact_rate(BytesPerSecond rate) {
  if (rate == kInfiniteRate) return "inf";
  return exact_decimal(rate.count(), kToPeta, "B/s");
}

std::string exact_flop_rate(FlopsPerSecond rate) { return exact_double(rate.per_second, "FLOP/s"); }

std::string exact_flop_count(double flops) { return exact_double(flops, "FLOP"); }

// Exact decimal arithmetic in 128 bit. All intermediate products stay below 1.2e34 x 10^3, far from
// the 1.7e38 of Int128; larger exponents are cut off as overflow or as zero before that.

namespace {

constexpr int kMantissaDigits = 19;
constexpr std::int32_t kExponentCap = 1'000'000;  // beyond any file's meaning; keeps sums in range
constexpr Int128 kTooLarge = Int128{1'000'000'000'000'000'000} * 1'000'000'000'000'000'000;  // 1e36

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes the digits at text[at...] into the decimal; returns how many there were.
std::size_t take_digits(std::string_view text, std::size_t at, bool fraction, int& kept,
                        Decimal& decimal) {
  std::size_t count = 0;
  for (; at + count < text.size() && is_digit(text[at + count]); ++count) {
    const auto digit = static_cast<std::uint64_t>(text[at + count] - '0');
    if (kept < kMantissaDigits) {
      decimal.mantissa = decimal.mantissa * 10 + digit;
      if (decimal.mantissa != 0) ++kept;
      if (fraction && decimal.exponent > -kExponentCap) --decimal.exponent;
    } else {
      decimal.cut = decimal.cut || digit != 0;
      if (!fraction && decimal.exponent < kExponentCap) ++decimal.exponent;
    }
  }
  return count;
}

/// Reads "e+12" at text[at...] if all of it is there; returns its length.
std::size_t take_exponent(std::string_view text, std::size_t at, Decimal& decimal) {
  std::size_t next = at;
  if (next >= text.size() || (text[next] != 'e' && text[next] != 'E')) return 0;
  ++next;
  const bool negative = next < text.size() && text[next] == '-';
  if (next < text.size() && (text[next] == '-' || text[next] == '+')) ++next;
  const std::size_t first_digit = next;
  std::int32_t exponent = 0;
  for (; next < text.size() && is_digit(text[next]); ++next) {
    if (exponent < kExponentCap) exponent = exponent * 10 + (text[next] - '0');
  }
  if (next == first_digit) return 0;
  decimal.exponent += negative ? -exponent : exponent;
  return next - at;
}

}  // namespace

std::optional<DecimalPrefix> read_decimal(std::string_view text) {
  DecimalPrefix prefix;
  Decimal& decimal = prefix.value;
  std::size_t at = 0;
  int kept = 0;
  if (!text.empty() && text[0] == '-') {
    decimal.negative = true;
    at = 1;
  }
  const std::size_t whole = take_digits(text, at, false, kept, decimal);
  if (whole == 0) return std::nullopt;
  at += whole;
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    at += 1 + take_digits(text, at + 1, true, kept, decimal);
  }
  at += take_exponent(text, at, decimal);
  prefix.length = at;
  return prefix;
}

std::optional<Scaled> scaled(const Decimal& decimal, std::int64_t numerator,
                             std::int64_t denominator) {
  if (decimal.mantissa == 0) return Scaled{0, !decimal.cut};
  Int128 above = static_cast<Int128>(decimal.mantissa) * numerator;
  Int128 below = denominator;
  for (std::int32_t e = decimal.exponent; e > 0; --e) {
    above *= 10;
    if (above > kTooLarge) return std::nullopt;
  }
  for (std::int32_t e = decimal.exponent; e < 0; ++e) {
    below *= 10;
    if (below > kTooLarge) return Scaled{0, false};  // above < 1.2e34: less than a hundredth
  }
  Int128 value = above / below;
  const Int128 rest = above % below;
  if (2 * rest >= below) ++value;
  if (value > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  const auto magnitude = static_cast<std::int64_t>(value);
  return Scaled{decimal.negative ? -magnitude : magnitude, rest == 0 && !decimal.cut};
}

std::optional<double> nearest_double(std::string_view number, int shift) {
  // The decimal point is moved in the text, so that the one rounding is from_chars'.
  Decimal exponent_only;
  const std::size_t e = number.find_first_of("eE");
  std::string text(number.substr(0, e));
  if (e != std::string_view::npos) take_exponent(number, e, exponent_only);
  text += 'e' + std::to_string(exponent_only.exponent + shift);
  double value = 0;
  const std::from_chars_result result =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc::result_out_of_range) {
    const std::optional<DecimalPrefix> prefix = read_decimal(text);
    const bool tiny = prefix && prefix->value.exponent < 0;
    return tiny ? std::optional<double>(0.0) : std::nullopt;
  }
  if (result.ec != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace ooc
