// Limits of each layer, whatever runs it (Williams, Waterman, Patterson: Roofline, CACM 52, 2009).
#pragma once

#include "simulator/predict/case.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Returns the roofline of the machine with --compute-scale, without efficiencies. Bytes are GPU
/// memory traffic by docs/model.md, 1: kernels that read an operand several times move more.
[[nodiscard]] Roofline roofline_of(const Case& which);

}  // namespace ooc
