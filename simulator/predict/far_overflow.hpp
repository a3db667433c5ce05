// Overflow of host memory, which only the simulation can find.
#pragma once

#include "simulator/predict/scheduled_case.hpp"

namespace ooc {

/// The copy out with which far memory overflows: copies come alive when their first ToFar starts
/// and die when their last ToNear ends (FarMemory).
/// `run` has a plan; `peak` is what the run takes of far memory, more than there is.
[[nodiscard]] OutOfMemory far_overflow(const Case& which, const CaseRun& run,
                                       const Timeline& timeline, Bytes peak);

}  // namespace ooc
