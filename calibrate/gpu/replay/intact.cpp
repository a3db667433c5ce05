// The hash iteration of compute=real: what a real operation wrote has no known pattern, but must come back as
// it went. See replay_check.hpp.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/kernels.hpp"
#include "calibrate/gpu/replay/check.hpp"
#include "calibrate/gpu/replay/counters.hpp"

namespace ooc::gpu {
namespace {

// What a slot holds: the bytes and the hash of the copy that filled it (or, of a tensor that was there from the
// beginning, of the first copy out of it).
struct Held {
  std::size_t bytes;
  unsigned long long hash;
};

}  // namespace

std::uint64_t check_intact(const ReplayProgram& program, const ReplayMemory& memory,
                           const ReplayExecutor& executor, const StepWork& work) {
  const ReplayCounters hashes(program.steps.size());
  const Stream& stream = executor.stream(ReplayQueue::kCompute);
  hashes.clear(stream);
  stream.wait();
  executor.run([&](std::size_t number, cudaStream_t on) {
    const ReplayStep& step = program.steps[number];
    const auto hash = [&] {
      OOC_GPU_CHECK(
          launch_hash(on, memory.block(step.block), step.bytes / 8 * 8, hashes.at(number)));
    };
    if (step.kind == ReplayKind::kToFar) hash();
    work(number, on);
    if (step.kind == ReplayKind::kToNear) hash();
  });

  const std::vector<unsigned long long> found = hashes.read(stream);
  std::uint64_t bytes = 0;
  std::map<std::size_t, Held> slots;
  for (const std::size_t number : program.order) {
    const ReplayStep& step = program.steps[number];
    if (step.kind == ReplayKind::kCompute) continue;
    if (step.kind == ReplayKind::kToFar || slots.count(step.slot) == 0) {
      slots[step.slot] = {step.bytes, found[number]};
      continue;
    }
    const Held& held = slots[step.slot];
    if (held.bytes != step.bytes) continue;  // a part of it: another hash by nature
    bytes += step.bytes / 8 * 8;
    if (held.hash != found[number]) {
      throw WrongContent{number, step.block, program.blocks[step.block].content.value_or(-1),
                         step_title(program, number) +
                             ": what came back with real operations is not what was copied out"};
    }
  }
  return bytes;
}

}  // namespace ooc::gpu
