// How the copies of a framework wait, and what each costs the host: what turns a schedule's plan into that
// framework's (simulator/plan/wait_as_framework.hpp).
#pragma once

#include <string_view>

#include "model/base/units.hpp"

namespace ooc {

enum class CopyStreams {
  kOverlap,    ///< a copy waits for what it needs and nothing else
  kFramework,  ///< copies wait for tasks of the compute stream, too
  kSerial,     ///< and the next task waits for every copy issued before it
};

struct CopyRules {
  CopyStreams streams = CopyStreams::kOverlap;
  Duration pinned_cost =
      {};  ///< host memory is pinned anew for every copy, in such a time; 0: a pool
  bool far_powers_of_two = false;  ///< blocks of far memory are as large as the next power of two
};

[[nodiscard]] constexpr std::string_view copy_streams_name(CopyStreams streams) {
  return streams == CopyStreams::kOverlap     ? "overlap"
         : streams == CopyStreams::kFramework ? "framework"
                                              : "serial";
}

}  // namespace ooc
