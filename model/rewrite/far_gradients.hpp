// Life of gradients in host memory, which depends on the software (docs/model.md, 10).
#pragma once

#include <cstdint>

namespace ooc {

enum class FarGradients : std::uint8_t {
  kFreed,      ///< freed after their update
  kHeld,       ///< held to the end of the iteration
  kAllocated,  ///< in permanent buffers; those of single micro-batches are freed once added up
};

}  // namespace ooc
