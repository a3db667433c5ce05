// Figures of a job beside those of its run.
#pragma once

#include <optional>

#include "simulator/predict/scheduled_case.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Tokens a second, and which share of the peak rate the model's own FLOPs come to (model FLOPs utilisation, Chowdhery et
/// al., arXiv:2204.02311, appendix B). Unset: the network has no symbol seq, or the job does not fit.
[[nodiscard]] std::optional<SequenceRates> sequence_rates(const Case& which,
                                                          const RunReport& report);

/// OOC-Paleo's equations for a case that ran. Where the equations are not about such a job, the reason.
[[nodiscard]] Equations run_equations(const Case& which, const Schedule& schedule,
                                      const CaseRun& run);

}  // namespace ooc
