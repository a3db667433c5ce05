// Stub: sizes and names only.
#include "simulator/replay/replay_program.hpp"

namespace ooc {

ReplayProgram make_replay_program(const Plan& plan, const TrainingGraph& /*graph*/,
                                  const CostTable& /*costs*/, const Timeline& timeline,
                                  Bytes budget) {
  ReplayProgram program;
  program.budget = budget;
  program.static_bytes = plan.static_bytes;
  program.peak_near = timeline.peak_near;
  return program;
}

}  // namespace ooc
