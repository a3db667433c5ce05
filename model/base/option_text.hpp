// The text of one option as a value. Every bad text is a SpecError whose place is the option, as the command line
// spells it ("--link"), with what was found and what was expected.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/units.hpp"

namespace ooc {

/// Without blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] Bytes bytes_of(std::string_view text, std::string_view option);
/// Greater than 0, or "inf".
[[nodiscard]] BytesPerSecond rate_of(std::string_view text, std::string_view option);
[[nodiscard]] BytesPerSecond update_rate_of(std::string_view text, std::string_view option);
[[nodiscard]] Duration duration_of(std::string_view text, std::string_view option);
/// A whole number.
[[nodiscard]] std::int64_t whole_number_of(std::string_view text, std::string_view option,
                                           std::int64_t lowest, std::int64_t highest);
/// 1.5 or 150%, to a billionth.
[[nodiscard]] Ratio ratio_of(std::string_view text, std::string_view option, double lowest,
                             double highest);
/// Splits at commas, or what is given; SpecError for an empty element.
[[nodiscard]] std::vector<std::string> split_list(const std::string& list, std::string_view option,
                                                  char separator = ',');

/// A bad value: SpecError at an option.
[[noreturn]] void bad_value(std::string_view option, std::string found, std::string expected,
                            std::string hint = {});
/// A word that is none of `known`: SpecError listing them, with the nearest.
[[noreturn]] void unknown_word(std::string_view option, std::string_view word,
                               const std::vector<std::string>& known);

}  // namespace ooc
