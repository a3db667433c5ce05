// Figures of a finished run: token rates, the paper's equations, memory by category, overflow of host memory.
#pragma once

#include <optional>

#include "simulator/predict/scheduled_case.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Returns tokens a second and model FLOPs utilisation, the share of peak that the model's own FLOPs reach (Chowdhery
/// et al., arXiv:2204.02311, B). Unset: the network has no symbol seq, or the job does not fit or takes no time.
[[nodiscard]] std::optional<SequenceRates> sequence_rates(const Case& which,
                                                          const RunReport& report);

/// Returns the paper's equations for a run, or in `unfit` why they do not apply. Precondition: run.timeline() is set.
[[nodiscard]] Equations run_equations(const Case& which, const Schedule& schedule,
                                      const CaseRun& run);

/// Returns what does not fit in host memory: the first copy out that exceeds the capacity, or "the start" if model
/// states alone exceed it (FarMemory). Bytes are sums over the devices of a host. Precondition: `run` has a plan, and
/// `peak`, one device's peak of host memory, exceeds Case::far_capacity.
[[nodiscard]] OutOfMemory far_overflow(const Case& which, const CaseRun& run,
                                       const Timeline& timeline, Bytes peak);

/// True if the job does not fit in GPU memory; false if it fits, or lacks host memory alone.
[[nodiscard]] bool lacks_near_memory(const RunReport& report);

/// Returns the in-core peak of GPU memory by category, in bytes. Unset for accountings that ignore lifetimes
/// (is_footprint), and for several devices that sum whole gradients (Case::devices > 1).
[[nodiscard]] std::optional<BytesByCategory> in_core_by_category(const Case& which);

}  // namespace ooc
