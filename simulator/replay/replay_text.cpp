// Stub.
#include "simulator/replay/replay_text.hpp"

namespace ooc {

std::string write_replay_requests(const ReplayProgram& /*program*/, const ReplayRun& /*run*/) {
  return {};
}

}  // namespace ooc
