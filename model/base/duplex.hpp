// Share of its rate that each direction of a link keeps while both move bytes. PCIe to an A100
// needs two numbers: from the GPU nearly the whole rate remains, to the GPU half of it.
#pragma once

#include "model/base/units.hpp"

namespace ooc {

struct Duplex {
  Ratio to_near = kOne;
  Ratio to_far = kOne;

  constexpr Duplex() = default;
  /// Both directions keep `both`. Implicit, so that a ratio can stand for a duplex.
  constexpr Duplex(Ratio both) : to_near(both), to_far(both) {}
  constexpr Duplex(Ratio near, Ratio far) : to_near(near), to_far(far) {}

  /// True if one number describes both directions.
  [[nodiscard]] constexpr bool alike() const { return to_near == to_far; }
  /// True if the directions do not slow each other down.
  [[nodiscard]] constexpr bool full() const { return to_near == kOne && to_far == kOne; }
  friend constexpr bool operator==(const Duplex&, const Duplex&) = default;
};

}  // namespace ooc
