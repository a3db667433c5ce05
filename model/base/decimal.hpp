// Decimal numbers as text, kept exact: a mantissa of up to 19 digits and a power of ten. "0.1 GB"
// is 100,000,000 bytes and not what the nearest double makes of it. Used by the unit parser and the
// JSON reader; nothing else needs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ooc {

struct Decimal {
  bool negative = false;
  std::uint64_t mantissa = 0;  ///< the first 19 significant digits
  std::int32_t exponent = 0;   ///< of ten
  bool cut = false;            ///< digits other than 0 did not fit the mantissa
};

/// A prefix of a text read as a number: `-`, digits, fraction, exponent (each but the digits
/// optional).
struct DecimalPrefix {
  Decimal value;
  std::size_t length = 0;
};
[[nodiscard]] std::optional<DecimalPrefix> read_decimal(std::string_view text);

struct Scaled {
  std::int64_t value = 0;  ///< rounded to nearest, halves away from zero
  bool exact = false;
};
/// decimal x numerator / denominator; none when it leaves 63 bits.
/// Precondition: 0 < numerator <= 2^50, 0 < denominator <= 8.
[[nodiscard]] std::optional<Scaled> scaled(const Decimal& decimal, std::int64_t numerator,
                                           std::int64_t denominator);

/// The double nearest to decimal text x 10^shift; none when it overflows. `number` must be a text
/// that read_decimal reads to its end.
[[nodiscard]] std::optional<double> nearest_double(std::string_view number, int shift);

}  // namespace ooc
