// Lists and ranges of the sweep's flags: "64,128,256", "32:512:x2", "32:512:+32", or several of
// them between commas. A range starts at FROM, multiplies or adds, and stops at the last value <=
// TO.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/units.hpp"

namespace ooc {

/// More rows than that in one sweep, or more values in one of its lists, are taken for a mistake.
inline constexpr std::size_t kMaxSweepPoints = 10'000'000;
inline constexpr std::size_t kMaxSweepValues = 1'000'000;

/// All throw SpecError naming `flag` for an empty, descending or endless range, a value that comes
/// twice, or more than kMaxSweepValues values. Values keep the order in which they are written.
[[nodiscard]] std::vector<std::int64_t> batch_range(const std::string& text, std::string_view flag);
[[nodiscard]] std::vector<Bytes> bytes_range(const std::string& text, std::string_view flag);
/// `inf` may be an element of the list, not an end of a range.
[[nodiscard]] std::vector<BytesPerSecond> rate_range(const std::string& text,
                                                     std::string_view flag);

}  // namespace ooc
