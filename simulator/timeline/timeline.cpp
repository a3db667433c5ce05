// The names of stall causes, as the result format spells them.
#include "simulator/timeline/timeline.hpp"

#include "model/base/errors.hpp"

namespace ooc {

std::string_view stall_name(StallCause cause) {
  switch (cause) {
    case StallCause::kDependency:
      return "dependency";
    case StallCause::kSwapIn:
      return "swap_in";
    case StallCause::kSwapOut:
      return "swap_out";
    case StallCause::kMemory:
      return "memory";
    case StallCause::kFault:
      return "fault";
    case StallCause::kRecompute:
      return "recompute";
    case StallCause::kLaunch:
      return "launch";
    case StallCause::kUpdate:
      return "update";
  }
  OOC_CHECK(false, "a stall has one of the named causes");
  return {};
}

}  // namespace ooc
