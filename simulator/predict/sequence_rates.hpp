// Tokens a second of a run, and model FLOPs utilisation: share of the peak that the model's own
// FLOPs reach (Chowdhery et al., arXiv:2204.02311, appendix B).
#pragma once

#include <optional>

#include "simulator/predict/case.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Unset: the network has no symbol seq, or the job does not fit.
[[nodiscard]] std::optional<SequenceRates> sequence_rates(const Case& which,
                                                          const RunReport& report);

}  // namespace ooc
