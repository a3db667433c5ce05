// Exact decimal arithmetic in 128 bit. All intermediate products stay below 1.2e34 x 10^3, far from
// the 1.7e38 of Int128; larger exponents are cut off as overflow or as zero before that.
#include "model/base/decimal.hpp"

#include <charconv>
#include <cmath>
#include <string>

#include "model/base/units.hpp"

namespace ooc {
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
