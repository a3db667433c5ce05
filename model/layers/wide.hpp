// Saturating counts. Numbers in a file may have 63 bits each, so a product of several may exceed
// even 128 bits. Wide stops at 2^120, far above every limit; the conversion to 64 bits (work.hpp)
// then reports the excess.
#pragma once

#include <cstdint>

#include "model/base/units.hpp"

namespace ooc {

/// Count >= 0. Results above kTop become kTop.
class Wide {
 public:
  static constexpr Int128 kTop = Int128{1} << 120;

  constexpr Wide() = default;
  // Implicit, since formulas mix Wide and plain sizes.
  constexpr Wide(std::int64_t value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] static constexpr Wide from(Int128 value) {
    Wide wide;
    wide.value_ = value > kTop ? kTop : value;
    return wide;
  }

  [[nodiscard]] constexpr Int128 value() const { return value_; }

  friend constexpr Wide operator+(Wide a, Wide b) { return from(a.value_ + b.value_); }
  friend constexpr Wide operator*(Wide a, Wide b) {
    constexpr Int128 kSmall = Int128{1} << 60;
    if (a.value_ < kSmall && b.value_ < kSmall) return from(a.value_ * b.value_);  // no division
    if (a.value_ != 0 && b.value_ > kTop / a.value_) return from(kTop);
    return from(a.value_ * b.value_);
  }
  friend constexpr bool operator>(Wide a, Wide b) { return a.value_ > b.value_; }

 private:
  Int128 value_ = 0;
};

}  // namespace ooc
