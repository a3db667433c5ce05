// The link whose directions share: remainders, phases and rates. See link.hpp for the rules.
#include "simulator/engine/link.hpp"

#include <algorithm>

#include "model/base/errors.hpp"

namespace ooc {

namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::size_t kOut = 1;  // queue_index
constexpr std::size_t kIn = 2;

/// ceil(remainder / rate), saturating as transfer_time does.
std::int64_t time_left(Int128 remainder, BytesPerSecond rate) {
  const std::int64_t divisor = rate.count();
  if (remainder <= std::numeric_limits<std::int64_t>::max() - divisor) {
    const std::int64_t ns = (static_cast<std::int64_t>(remainder) + divisor - 1) / divisor;
    return std::min(ns, kMaxTimeNs);
  }
  const Int128 ns = (remainder + divisor - 1) / divisor;
  return ns > kMaxTimeNs ? kMaxTimeNs : static_cast<std::int64_t>(ns);
}

}  // namespace

SharedLink::SharedLink(const CostTable& costs) : costs_(costs) {
  const TransferCosts& transfers = costs.transfers;
  for (const Ratio share : {transfers.duplex.to_far, transfers.duplex.to_near}) {
    OOC_CHECK(share.count() > 0 && share <= kOne, "duplex lies in (0, 1]");
  }
}

bool SharedLink::begin_moving(Mover& mover, std::int64_t now) {
  if (mover.remainder == 0 || mover.own_rate == kInfiniteRate) return true;
  mover.moving = true;
  mover.rate = BytesPerSecond(0);
  mover.since = now;
  changed_ = true;
  return false;
}

std::int64_t SharedLink::start(const Copy& copy, std::size_t queue, std::int64_t now) {
  const TransferCost& cost = copy.cost(costs_.transfers);
  Mover& mover = movers_[queue];
  mover.moving = false;
  mover.own_rate = cost.rate;
  mover.remainder = Int128{costs_.link_bytes()[copy.tensor].count()} * kNsPerSecond;
  if (cost.latency.count() > 0) return now + cost.latency.count();
  return begin_moving(mover, now) ? now : kUnsettled;
}

bool SharedLink::arrived(std::size_t queue, std::int64_t now, std::int64_t& event) {
  Mover& mover = movers_[queue];
  if (mover.moving) {
    mover.moving = false;
    changed_ = true;
    return true;
  }
  if (begin_moving(mover, now)) return true;
  event = kUnsettled;
  return false;
}

void SharedLink::reevaluate(std::int64_t now, std::span<std::int64_t> events) {
  changed_ = false;
  const Duplex& duplex = costs_.transfers.duplex;
  const auto settle = [&](std::size_t queue, bool shares, Ratio scaled_by) {
    Mover& mover = movers_[queue];
    if (!mover.moving) return;
    const BytesPerSecond rate = shares ? scale(mover.own_rate, scaled_by) : mover.own_rate;
    if (rate == mover.rate) return;  // its event stands
    mover.remainder -= Int128{mover.rate.count()} * (now - mover.since);
    mover.rate = rate;
    mover.since = now;
    events[queue] = now + time_left(mover.remainder, rate);
  };
  const bool shares = movers_[kOut].moving && movers_[kIn].moving;
  settle(kOut, shares, duplex.to_far);
  settle(kIn, shares, duplex.to_near);
}

}  // namespace ooc
