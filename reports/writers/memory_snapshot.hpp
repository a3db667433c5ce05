// Near memory of a run as PyTorch's memory viewer (pytorch.org/memory_viz) opens it: a pickle of what
// torch.cuda.memory._snapshot() returns.
#pragma once

#include <string>

#include "reports/writers/trace.hpp"

namespace ooc {

/// Each block is allocated when its step starts and freed when its last reader ends, as in the run; one segment a device.
/// Addresses are ours: the lowest that are free. A frame names the tensor or the task; categories are those of
/// torch.profiler's memory timeline. Times are microseconds.
[[nodiscard]] std::string memory_snapshot(const TraceInput& input);

}  // namespace ooc
