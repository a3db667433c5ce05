// Parsers of option values. A bad text throws SpecError with the option as typed ("--link"), the
// text found and the text expected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/units.hpp"

namespace ooc {

/// Returns the integer that `text` spells; unset: other characters, none, or more than 64 bits.
[[nodiscard]] std::optional<std::int64_t> integer_in(std::string_view text);
[[nodiscard]] std::optional<double> real_in(std::string_view text);
/// Returns `text` without blanks and tabs at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] Bytes bytes_of(std::string_view text, std::string_view option);
/// Returns the rate, above 0. The text "inf" gives kInfiniteRate.
[[nodiscard]] BytesPerSecond rate_of(std::string_view text, std::string_view option);
[[nodiscard]] BytesPerSecond update_rate_of(std::string_view text, std::string_view option);
[[nodiscard]] Duration duration_of(std::string_view text, std::string_view option);
/// Returns an integer in [lowest, highest].
[[nodiscard]] std::int64_t whole_number_of(std::string_view text, std::string_view option,
                                           std::int64_t lowest, std::int64_t highest);
/// Returns a ratio in [lowest, highest], written "1.5" or "150%"; rounded to a billionth.
[[nodiscard]] Ratio ratio_of(std::string_view text, std::string_view option, double lowest,
                             double highest);
/// Splits `list` at the separator and trims each element. Throws SpecError for an empty element.
[[nodiscard]] std::vector<std::string> split_list(const std::string& list, std::string_view option,
                                                  char separator = ',');

}  // namespace ooc
