// Parser of units for files and flags: "16 GiB", "12.4 GB/s", "128 Gbit/s", "8 us", "15.7 TFLOP/s",
// "90 %". Grammar: number (exponent allowed), optional space, unit. k/M/G/T are decimal,
// Ki/Mi/Gi/Ti binary. Times are rounded to the nearest ns. A number without unit is an error that
// shows how to write it. Results are limited to the ranges of units.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "model/base/units.hpp"

namespace ooc {

/// Reason why a text is not a quantity.
struct QuantityError {
  std::string found;     ///< the text in quotes
  std::string expected;  ///< such as `a size with a unit, such as "16 GiB" or "16 GB"`
};

template <class Value>
using Parsed = std::variant<Value, QuantityError>;

[[nodiscard]] Parsed<Bytes> parse_bytes(std::string_view text);
[[nodiscard]] Parsed<Duration> parse_duration(std::string_view text);
/// Parses a rate of 1 B/s or more; "inf" is kInfiniteRate.
[[nodiscard]] Parsed<BytesPerSecond> parse_rate(std::string_view text);
/// Parses the rate of optimiser updates, 1 B/s or more: bytes a second, parameters a second
/// ("3.9 Gparam/s", kAdamBytes for each parameter), or "inf".
[[nodiscard]] Parsed<BytesPerSecond> parse_update_rate(std::string_view text);
/// Memory traffic of Adam in bytes a parameter, in mixed precision: gradient 2, moments 16, master copy 8, weight 2.
inline constexpr std::int64_t kAdamBytes = 28;
[[nodiscard]] Parsed<FlopsPerSecond> parse_flop_rate(std::string_view text);
/// Parses a number of FLOPs above 0, such as "2 GFLOP" (the x axis of efficiency curves).
[[nodiscard]] Parsed<double> parse_flop_count(std::string_view text);
/// Parses a ratio, in percent ("90 %") or without unit ("0.9"); also below 0 or above 1.
[[nodiscard]] Parsed<double> parse_ratio(std::string_view text);

// Texts for people: three or four significant digits and a unit. Sizes are decimal ("15.57 GB").
[[nodiscard]] std::string format_bytes(Bytes bytes);
[[nodiscard]] std::string format_duration(Duration duration);  ///< such as "612.4 ms"
[[nodiscard]] std::string format_rate(BytesPerSecond rate);    ///< such as "12.0 GB/s"; "infinite"
[[nodiscard]] std::string format_flop_rate(FlopsPerSecond rate);
/// Returns a text such as "12.3 %".
[[nodiscard]] std::string format_percent(double ratio);

// Exact texts, which parse to the same value ("16 GiB", "700 MiB", "12345 B").
[[nodiscard]] std::string exact_bytes(Bytes bytes);
[[nodiscard]] std::string exact_duration(Duration duration);
[[nodiscard]] std::string exact_rate(BytesPerSecond rate);
[[nodiscard]] std::string exact_flop_rate(FlopsPerSecond rate);
[[nodiscard]] std::string exact_flop_count(double flops);

// Exact decimal numbers from text: a mantissa of up to 19 digits and a power of ten. So "0.1 GB" is 100,000,000 bytes,
// without the error of the nearest double. Used by the unit parser and the JSON reader.

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
