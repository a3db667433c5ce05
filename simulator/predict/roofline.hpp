// What bounds each layer of a job whatever runs it (Williams, Waterman, Patterson: Roofline, CACM 52, 2009).
#pragma once

#include "simulator/predict/case.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Of the machine as the job has it, --compute-scale included; without efficiencies. Bytes are near-memory traffic as
/// docs/model.md, 1, counts it: less than kernels move that read an operand several times.
[[nodiscard]] Roofline roofline_of(const Case& which);

}  // namespace ooc
