// Rules by which a framework's copies wait for kernels, and their cost for the host.
// simulator/plan/wait_as_framework.hpp applies them to a plan.
#pragma once

#include <cstdint>

#include "model/base/units.hpp"

namespace ooc {

enum class CopyStreams {
  kOverlap,    ///< a copy waits only for the data and memory that it needs
  kFramework,  ///< a copy also waits for the compute step issued before it
  kSerialIn,   ///< as kFramework, and a copy in is issued right before the first task that reads it
  kSerial,     ///< as kSerialIn, and each task waits for all copies issued before it
};

struct CopyRules {
  CopyStreams streams = CopyStreams::kOverlap;
  Duration pinned_cost = {};  ///< host time to pin memory for each copy out; 0: pinned before
  /// Number of copies out that may be unfinished when the next task starts; 0: any number.
  std::int64_t outs_in_flight = 0;
  bool far_powers_of_two = false;  ///< true: blocks of host memory are rounded up to powers of two
  /// True: a tensor is copied once for each layer whose backward reads it, with the layer's weights unless cast.
  bool each_save = false;
};

/// Share of its rate that each direction of a link keeps while both directions move bytes. PCIe to
/// an A100 needs two numbers: from the GPU nearly the whole rate remains, to the GPU half of it.
struct Duplex {
  Ratio to_near = kOne;
  Ratio to_far = kOne;

  constexpr Duplex() = default;
  /// Both directions keep the share `both`. Implicit, so that a ratio can stand for a duplex.
  constexpr Duplex(Ratio both) : to_near(both), to_far(both) {}
  constexpr Duplex(Ratio near, Ratio far) : to_near(near), to_far(far) {}

  /// True if both directions keep the same share.
  [[nodiscard]] constexpr bool alike() const { return to_near == to_far; }
  /// True if the directions do not slow each other down.
  [[nodiscard]] constexpr bool full() const { return to_near == kOne && to_far == kOne; }
  friend constexpr bool operator==(const Duplex&, const Duplex&) = default;
};

/// Rule for how long a unit's weights and gradients stay in GPU memory. A unit: layers whose weights are gathered from
/// other devices, or copied in, together.
enum class Sharding : std::uint8_t {
  kByUse,  ///< weights while a layer of the unit runs, gradients until their copy out has ended
  /// PyTorch's FullyShardedDataParallel. All layers outside blocks are one unit, whose weights stay from forward to the
  /// end of backward. A unit's gradients are copied into one buffer; shards of gradients that leave for host memory
  /// stay in GPU memory to the end of backward. Backward gathers one unit further ahead than forward.
  kFsdp1,
};

/// Lifetime of weight gradients in host memory (docs/model.md, 10).
enum class FarGradients : std::uint8_t {
  kFreed,      ///< freed after the update that reads them
  kHeld,       ///< freed at the end of the iteration
  kAllocated,  ///< never freed; gradients of single micro-batches are freed once added to the sum
};

}  // namespace ooc
