// Exact decimal numbers from text: a mantissa of up to 19 digits and a power of ten. So "0.1 GB" is 100,000,000 bytes,
// without the error of the nearest double. Used by the unit parser and the JSON reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ooc {

struct Decimal {
  bool negative = false;
  std::uint64_t mantissa = 0;  ///< the first 19 significant digits
  std::int32_t exponent = 0;   ///< the number is mantissa x 10^exponent
  bool cut = false;            ///< true if further digits, not all 0, did not fit the mantissa
};

/// Number at the beginning of a text, and its length in bytes.
struct DecimalPrefix {
  Decimal value;
  std::size_t length = 0;
};
/// Reads the number that `text` begins with, such as "12", "-1.5" or "2e-3". Unset: no digit at the beginning.
[[nodiscard]] std::optional<DecimalPrefix> read_decimal(std::string_view text);

struct Scaled {
  std::int64_t value = 0;  ///< rounded to nearest, halves away from zero
  bool exact = false;      ///< true if nothing was rounded, and no digit of the text cut
};
/// Returns decimal x numerator / denominator; unset if the result exceeds 63 bits.
/// Preconditions: 0 < numerator <= 2^50, 0 < denominator <= 8.
[[nodiscard]] std::optional<Scaled> scaled(const Decimal& decimal, std::int64_t numerator,
                                           std::int64_t denominator);

/// Returns the double nearest to `number` x 10^shift, 0 if too small; unset on overflow.
/// Precondition: all of `number` is a number that read_decimal reads.
[[nodiscard]] std::optional<double> nearest_double(std::string_view number, int shift);

}  // namespace ooc
