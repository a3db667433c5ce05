// Figures of a job beside those of its run, and overflow of host memory, which only the simulation can find.
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

/// The copy out with which far memory overflows: copies come alive when their first ToFar starts
/// and die when their last ToNear ends (FarMemory).
/// `run` has a plan; `peak` is what the run takes of far memory, more than there is.
[[nodiscard]] OutOfMemory far_overflow(const Case& which, const CaseRun& run,
                                       const Timeline& timeline, Bytes peak);

/// True if the job lacks GPU memory.
[[nodiscard]] bool lacks_near_memory(const RunReport& report);

/// Returns GPU memory at its peak if nothing moved, by category; adds up to the in-core peak. Unset
/// for accountings without lifetimes.
[[nodiscard]] std::optional<BytesByCategory> in_core_by_category(const Case& which);

}  // namespace ooc
