// Runs a plan that has been read and checked, and answers with its lines (docs/gpu-protocol.md, Replay).
#pragma once

#include <cstdint>
#include <functional>

#include "calibrate/gpu/job.hpp"
#include "calibrate/gpu/line.hpp"
#include "calibrate/gpu/machine.hpp"
#include "calibrate/gpu/operations/operations.hpp"
#include "calibrate/gpu/replay/program.hpp"

namespace ooc::gpu {

struct ReplayRequest {
  const ReplayProgram& program;
  std::int64_t id;
  std::uint64_t seed;  // another for each run of the process
  std::function<MadeOperation(const Line&, const ReplayMemory&)> make = make_operation;
};

// Throws RequestError, CallFailure or WrongContent (replay_check.hpp); what was sent before stands.
void replay(const ReplayRequest& request, const Machine& machine, BufferPool& pool, Output& output);

}  // namespace ooc::gpu
