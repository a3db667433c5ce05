// Is the content of tensors right after their journeys? Two iterations that are not timed, for any plan: one in which
// spinning steps fill and compare patterns, and, with compute=real, one in which what real
// operations wrote is hashed before each copy to far memory and after each copy back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "calibrate/gpu/replay/executor.hpp"
#include "calibrate/gpu/replay/memory.hpp"

namespace ooc::gpu {

// The first step that found wrong words.
struct WrongContent {
  std::size_t step;
  std::size_t block;
  std::int64_t content;  // -1: the block has none
  std::string text;
};

// A computing step compares what it reads with its tensors' patterns, spins, fills what it writes. Blocks
// without content are filled too, with something that is no tensor's: whatever else lies there is then seen to be lost.
// A block that a copy is to bring in is filled likewise first, so that reading it too early is seen.
// `seed` makes patterns differ from those of earlier runs, which may still lie in the far pool.
// Then the plan is searched for what went right only by luck (check_races).
// Returns the bytes that were compared; throws WrongContent.
std::uint64_t check_content(const ReplayProgram& program, const ReplayMemory& memory,
                            const ReplayExecutor& executor, std::uint64_t seed,
                            double spin_overhead_ns);

// `work` is that of the timed iterations. Returns the bytes that were compared; throws WrongContent.
std::uint64_t check_intact(const ReplayProgram& program, const ReplayMemory& memory,
                           const ReplayExecutor& executor, const StepWork& work);

// The copy of a copying step.
void queue_step_copy(const ReplayStep& step, const ReplayMemory& memory, cudaStream_t stream);

// A computing step as a kernel that lasts its `ns`.
void queue_step_spin(const ReplayStep& step, double spin_overhead_ns, cudaStream_t stream);

}  // namespace ooc::gpu
