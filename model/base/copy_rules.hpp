// Rules by which a framework's copies wait, and their cost for the host.
// simulator/plan/wait_as_framework.hpp applies them to a plan.
#pragma once

#include <string_view>

#include "model/base/units.hpp"

namespace ooc {

enum class CopyStreams {
  kOverlap,    ///< a copy waits only for the data and memory that it needs
  kFramework,  ///< a copy also waits for the compute step before it
  kSerial,     ///< as kFramework, and the next task waits for all copies issued before it
};

struct CopyRules {
  CopyStreams streams = CopyStreams::kOverlap;
  Duration pinned_cost = {};       ///< host time to pin memory, a copy; 0: a pinned pool
  bool far_powers_of_two = false;  ///< blocks of host memory are rounded up to a power of two
};

[[nodiscard]] constexpr std::string_view copy_streams_name(CopyStreams streams) {
  return streams == CopyStreams::kOverlap     ? "overlap"
         : streams == CopyStreams::kFramework ? "framework"
                                              : "serial";
}

}  // namespace ooc
