// Tokens a second of a run, and which share of the peak rate the model's own FLOPs come to (model FLOPs
// utilisation, Chowdhery et al., arXiv:2204.02311, appendix B).
#pragma once

#include <optional>

#include "simulator/predict/case.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// None where the network has no symbol seq, or the job does not fit.
[[nodiscard]] std::optional<SequenceRates> sequence_rates(const Case& which,
                                                          const RunReport& report);

}  // namespace ooc
