// Figures of a finished run: token rates, the paper's equations, memory by category, overflow of host memory.
#pragma once

#include <optional>

#include "simulator/predict/scheduled_case.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Tokens a second and model FLOPs utilisation: the share of peak that the model's own FLOPs reach (Chowdhery et al.,
/// arXiv:2204.02311, appendix B). Unset: the network has no symbol seq, or the job does not fit.
[[nodiscard]] std::optional<SequenceRates> sequence_rates(const Case& which,
                                                          const RunReport& report);

/// Returns OOC-Paleo's equations for a run; if they do not apply, the reason.
[[nodiscard]] Equations run_equations(const Case& which, const Schedule& schedule,
                                      const CaseRun& run);

/// Returns the copy out that overflows host memory. A tensor's copy lives from the start of its
/// first copy out to the end of its last copy in (FarMemory). Precondition: `run` has a plan, and
/// `peak`, its host memory in bytes, exceeds the capacity.
[[nodiscard]] OutOfMemory far_overflow(const Case& which, const CaseRun& run,
                                       const Timeline& timeline, Bytes peak);

/// True if the job lacks GPU memory.
[[nodiscard]] bool lacks_near_memory(const RunReport& report);

/// Returns GPU memory at its peak if nothing moved, by category; adds up to the in-core peak. Unset
/// for accountings without lifetimes.
[[nodiscard]] std::optional<BytesByCategory> in_core_by_category(const Case& which);

}  // namespace ooc
