// Parser of units for files and flags: "16 GiB", "12.4 GB/s", "128 Gbit/s", "8 us", "15.7 TFLOP/s",
// "90 %". Grammar: number (exponent allowed), optional space, unit. k/M/G/T are decimal,
// Ki/Mi/Gi/Ti binary. Times are rounded to the nearest ns. A number without unit is an error that
// shows how to write it. Results are limited to the ranges of units.hpp.
#pragma once

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

}  // namespace ooc
