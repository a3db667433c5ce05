// What a link's directions keep of their rates while both move bytes. One number where both keep as
// much; a pair where they do not: PCIe to an A100 keeps nearly all of its rate from the GPU and half
// of that to it.
#pragma once

#include "model/base/units.hpp"

namespace ooc {

struct Duplex {
  Ratio to_near = kOne;
  Ratio to_far = kOne;

  constexpr Duplex() = default;
  /// Both directions alike: wherever a duplex is wanted a ratio will do.
  constexpr Duplex(Ratio both) : to_near(both), to_far(both) {}
  constexpr Duplex(Ratio near, Ratio far) : to_near(near), to_far(far) {}

  /// One number says it.
  [[nodiscard]] constexpr bool alike() const { return to_near == to_far; }
  /// The directions know nothing of each other.
  [[nodiscard]] constexpr bool full() const { return to_near == kOne && to_far == kOne; }
  friend constexpr bool operator==(const Duplex&, const Duplex&) = default;
};

}  // namespace ooc
