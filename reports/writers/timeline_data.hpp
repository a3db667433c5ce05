// A timeline as the page of a report reads it (docs/formats.md, 10): JSON by columns, a tenth of the trace's text,
// so that 20,000 steps leave a page small.
#pragma once

#include <string>

#include "reports/writers/trace.hpp"

namespace ooc {

/// Steps, stalls and near memory by category of each device, the slowest first, of many as many as leave a page small. No newline at the end.
[[nodiscard]] std::string timeline_data(const TraceInput& input);

}  // namespace ooc
