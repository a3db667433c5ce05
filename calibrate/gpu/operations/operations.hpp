// What a step does with compute=real: one operation of a layer on the plan's own blocks, made from the keys
// of its line (docs/replay-operations.md). The executor (replay/executor.cpp) makes all of them before
// anything runs, and then calls run() once an iteration, always on the one stream of the queue `compute`.
#pragma once

#include <memory>
#include <string>

#include "calibrate/gpu/cuda_layer.hpp"
#include "calibrate/gpu/line.hpp"
#include "calibrate/gpu/replay/memory.hpp"

namespace ooc::gpu {

class Operation {
 public:
  Operation() = default;
  virtual ~Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // Once, before the first run(): writes what the operation needs in the static memory (weights, say). By then all near
  // memory holds float32 numbers in [-1, 1) (launch_uniform), so most have nothing to do.
  virtual void initialise(cudaStream_t /*stream*/) {}

  // Puts the work on the stream and returns without waiting for it. No allocation, no synchronisation, no handle
  // made here: the time it takes to issue is measured. Throws CallFailure (OOC_GPU_CHECK and its like).
  virtual void run(cudaStream_t stream) = 0;
};

// `operation` is null where this build or library cannot do the step: it spins for its `ns`, and `missing` says why
// in a few words ("needs cuDNN", "unknown op 'foo'"); each text is told once as a note.
struct MadeOperation {
  std::unique_ptr<Operation> operation;
  std::string missing;
};

// `step` is the whole line, which has the key `op`. Whatever the operation uses of near memory lies in the
// plan's: blocks (memory.block(n), its workspace too) and the static bytes (memory.statics()). Handles and
// descriptors belong to the operation or are shared by those of one plan; nothing of them outlives the plan's last
// operation. Keys that are wrong (a number outside the blocks, a shape larger than its block) throw RequestError.
MadeOperation make_operation(const Line& step, const ReplayMemory& memory);

}  // namespace ooc::gpu
