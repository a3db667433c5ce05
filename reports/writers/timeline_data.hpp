// Timeline for the page of a report (docs/formats.md, 10): JSON by columns, a tenth of a trace's
// text, so that 20,000 steps fit a small page.
#pragma once

#include <string>

#include "reports/writers/trace.hpp"

namespace ooc {

/// Returns steps, stalls and GPU memory by category of each device, slowest first, as many as fit a small page. No final newline.
[[nodiscard]] std::string timeline_data(const TraceInput& input);

}  // namespace ooc
