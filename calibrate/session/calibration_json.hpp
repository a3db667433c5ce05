// What was measured and what the profile keeps of it, for charts: throughput over size.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calibrate/session/report.hpp"

namespace ooc {

/// JSON of docs/formats.md, 10, with `tool` in it as `put_tool` of other results has it.
[[nodiscard]] std::string calibration_json(const ReportInput& input, std::string_view version,
                                           const std::vector<std::string>& command);

}  // namespace ooc
