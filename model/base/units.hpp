// Quantities as types. In the simulation they are 64-bit integers with exact arithmetic: times in
// ns, sizes in bytes, rates in bytes per second. So all machines compute the same. Seconds and
// FLOP/s are doubles, in model/kernels, model/cost and calibrate, before times are rounded to ns.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace ooc {

__extension__ using Int128 = __int128;

/// Integer quantity. `Tag` makes Bytes, Duration and rates different types.
template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(std::int64_t count) : count_(count) {}

  [[nodiscard]] constexpr std::int64_t count() const { return count_; }

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  constexpr Quantity& operator+=(Quantity other) {
    count_ += other.count_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    count_ -= other.count_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
  friend constexpr Quantity operator*(Quantity a, std::int64_t factor) {
    return Quantity(a.count_ * factor);
  }
  friend constexpr Quantity operator*(std::int64_t factor, Quantity a) { return a * factor; }
  friend constexpr double operator/(Quantity part, Quantity whole) {
    return static_cast<double>(part.count_) / static_cast<double>(whole.count_);
  }

 private:
  std::int64_t count_ = 0;
};

using Bytes = Quantity<struct BytesTag>;
/// Time in nanoseconds. Also an instant, counted from the start of the iteration.
using Duration = Quantity<struct DurationTag>;
/// Rate in bytes per second. At kInfiniteRate any size takes 0 ns.
using BytesPerSecond = Quantity<struct BytesPerSecondTag>;
/// Number of floating-point operations; a multiply-accumulate counts 2.
using Flops = Quantity<struct FlopsTag>;
/// Ratio in parts per billion: 1,000,000,000 is 1.
using Ratio = Quantity<struct RatioTag>;

/// Returns part / whole; 0 if `whole` is 0.
[[nodiscard]] constexpr double share_of(Duration part, Duration whole) {
  return whole.count() == 0 ? 0 : part / whole;
}

inline constexpr BytesPerSecond kInfiniteRate{std::numeric_limits<std::int64_t>::max()};
inline constexpr Ratio kOne{1'000'000'000};

/// Floating-point operations per second.
struct FlopsPerSecond {
  double per_second = 0;
};

// Upper limits, which readers check in 128 bits so that all later sums are exact.
inline constexpr std::int64_t kMaxTensorBytes = std::int64_t{1} << 48;
inline constexpr std::int64_t kMaxTotalBytes = std::int64_t{1} << 56;
inline constexpr std::int64_t kMaxTimeNs = std::int64_t{1} << 53;
/// Largest finite rate, 1 EB/s. The sum of two fits 63 bits, and times kMaxTimeNs 127 bits.
inline constexpr BytesPerSecond kMaxRate{1'000'000'000'000'000'000};
inline constexpr std::int64_t kMaxBatch = std::int64_t{1} << 31;

/// Returns the time for `bytes` at `rate`, rounded up to a ns, at most kMaxTimeNs; 0 at an infinite
/// rate. Precondition: bytes >= 0, rate > 0.
[[nodiscard]] constexpr Duration transfer_time(Bytes bytes, BytesPerSecond rate) {
  if (rate == kInfiniteRate || bytes.count() == 0) return Duration(0);
  const Int128 ns = (Int128{bytes.count()} * 1'000'000'000 + rate.count() - 1) / rate.count();
  return Duration(ns > kMaxTimeNs ? kMaxTimeNs : static_cast<std::int64_t>(ns));
}

/// Returns rate x ratio, rounded down, at least 1 B/s. An infinite rate stays infinite.
[[nodiscard]] constexpr BytesPerSecond scale(BytesPerSecond rate, Ratio ratio) {
  if (rate == kInfiniteRate) return rate;
  const Int128 scaled = Int128{rate.count()} * ratio.count() / kOne.count();
  if (scaled < 1) return BytesPerSecond(1);
  if (scaled >= kInfiniteRate.count()) return BytesPerSecond(kInfiniteRate.count() - 1);
  return BytesPerSecond(static_cast<std::int64_t>(scaled));
}

}  // namespace ooc
