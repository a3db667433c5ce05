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
  std::string found;
  std::string expected;  ///< e.g. `a size with a unit, such as "16 GiB" or "16 GB"`
};

template <class Value>
using Parsed = std::variant<Value, QuantityError>;

[[nodiscard]] Parsed<Bytes> parse_bytes(std::string_view text);
[[nodiscard]] Parsed<Duration> parse_duration(std::string_view text);
/// Parses a rate; also accepts "inf" (kInfiniteRate).
[[nodiscard]] Parsed<BytesPerSecond> parse_rate(std::string_view text);
/// Parses the rate of optimiser steps: bytes a second, or parameters a second ("3.9 Gparam/s"). A
/// parameter counts kAdamBytes, the traffic of Adam in mixed precision.
[[nodiscard]] Parsed<BytesPerSecond> parse_update_rate(std::string_view text);
/// Bytes a parameter: gradient 2, moments 16, master copy 8, weight 2 (docs/model.md, 3, Precision).
inline constexpr std::int64_t kAdamBytes = 28;
[[nodiscard]] Parsed<FlopsPerSecond> parse_flop_rate(std::string_view text);
/// Parses a number of operations, "2 GFLOP": the x axis of efficiency curves.
[[nodiscard]] Parsed<double> parse_flop_count(std::string_view text);
/// Parses "90 %", or a ratio "0.9" without unit.
[[nodiscard]] Parsed<double> parse_ratio(std::string_view text);

// For people: three or four significant digits, always with a unit. Sizes decimal ("15.57 GB").
[[nodiscard]] std::string format_bytes(Bytes bytes);
[[nodiscard]] std::string format_duration(Duration duration);  ///< "612.4 ms"
[[nodiscard]] std::string format_rate(BytesPerSecond rate);    ///< "12.0 GB/s", "infinite"
[[nodiscard]] std::string format_flop_rate(FlopsPerSecond rate);
/// Returns a text such as "12.3 %".
[[nodiscard]] std::string format_percent(double ratio);

// Exact: parsing gives the same value back ("16 GiB", "700 MiB", "12345 B").
[[nodiscard]] std::string exact_bytes(Bytes bytes);
[[nodiscard]] std::string exact_duration(Duration duration);
[[nodiscard]] std::string exact_rate(BytesPerSecond rate);
[[nodiscard]] std::string exact_flop_rate(FlopsPerSecond rate);
[[nodiscard]] std::string exact_flop_count(double flops);

}  // namespace ooc
