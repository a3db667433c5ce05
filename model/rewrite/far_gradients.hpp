// What becomes of gradients in far memory, which depends on the software that is there (docs/model.md, 10).
#pragma once

#include <cstdint>

namespace ooc {

enum class FarGradients : std::uint8_t {
  kFreed,  ///< once they are updated with
  kHeld,   ///< to the end of the iteration
  kAllocated,  ///< in buffers that are there all the time; those of rounds that add up: freed once they have
};

}  // namespace ooc
