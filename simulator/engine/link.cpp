// The shared link: remainders, phases and rates. See link.hpp for the rules.
#include "simulator/engine/link.hpp"

#include <algorithm>

#include "model/base/errors.hpp"

namespace ooc {

namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::size_t kQueuesPerDevice = 3;

/// Place of a direction's queue among the queues of its device (queue_index).
std::size_t queue_offset(Direction direction) { return direction == Direction::kToFar ? 1 : 2; }

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

SharedLink::SharedLink(const CostTable& costs, int devices, LinkBuffers& buffers)
    : costs_(costs), buffers_(buffers) {
  const TransferCosts& transfers = costs.transfers;
  for (const Ratio share : {transfers.duplex.to_far, transfers.duplex.to_near}) {
    OOC_CHECK(share.count() > 0 && share <= kOne, "duplex lies in (0, 1]");
  }
  OOC_CHECK(
      devices == 1 || (transfers.to_far_peak.count() > 0 && transfers.to_near_peak.count() > 0),
      "a link that devices share has a peak in each direction");
  buffers_.movers.assign(static_cast<std::size_t>(devices) * kQueuesPerDevice, Mover{});
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
  Mover& mover = buffers_.movers[queue];
  mover.moving = false;
  mover.own_rate = cost.rate;
  mover.remainder = Int128{costs_.link_bytes()[copy.tensor].count()} * kNsPerSecond;
  if (cost.latency.count() > 0) return now + cost.latency.count();
  if (begin_moving(mover, now)) return now;
  ++moving_[static_cast<std::size_t>(copy.direction)];
  return kUnsettled;
}

bool SharedLink::arrived(std::size_t queue, std::int64_t now, std::int64_t& event) {
  Mover& mover = buffers_.movers[queue];
  const std::size_t direction = queue % kQueuesPerDevice - 1;
  if (mover.moving) {
    mover.moving = false;
    --moving_[direction];
    changed_ = true;
    return true;
  }
  if (begin_moving(mover, now)) return true;
  ++moving_[direction];
  event = kUnsettled;
  return false;
}

void SharedLink::reevaluate(std::int64_t now, std::span<std::int64_t> events) {
  changed_ = false;
  const TransferCosts& transfers = costs_.transfers;
  const Duplex shares = moving_[0] > 0 && moving_[1] > 0 ? transfers.duplex : Duplex();
  share(Direction::kToFar, transfers.to_far_peak, shares.to_far, now, events);
  share(Direction::kToNear, transfers.to_near_peak, shares.to_near, now, events);
}

void SharedLink::share(Direction direction, BytesPerSecond peak, Ratio scaled_by, std::int64_t now,
                       std::span<std::int64_t> events) {
  std::size_t sharers = moving_[static_cast<std::size_t>(direction)];
  if (sharers == 0) return;
  auto& movers = buffers_.movers;
  auto& queues = buffers_.sharing;
  queues.clear();
  for (std::size_t q = queue_offset(direction); q < movers.size(); q += kQueuesPerDevice) {
    if (movers[q].moving) queues.push_back(q);
  }
  // Water-filling: the slowest copy first; what it cannot use is left to the others.
  if (sharers > 1) {
    std::sort(queues.begin(), queues.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(movers[a].own_rate, a) < std::pair(movers[b].own_rate, b);
    });
  }
  const bool limited = sharers > 1 && peak != kInfiniteRate;
  std::int64_t capacity = peak.count();
  for (const std::size_t q : queues) {
    Mover& mover = movers[q];
    BytesPerSecond rate = mover.own_rate;
    if (limited) {
      const std::int64_t fair =
          std::max<std::int64_t>(1, capacity / static_cast<std::int64_t>(sharers));
      rate = std::min(rate, BytesPerSecond(fair));
      capacity -= rate.count();
      --sharers;
    }
    if (scaled_by != kOne) rate = scale(rate, scaled_by);
    if (rate == mover.rate) continue;  // its event stands
    mover.remainder -= Int128{mover.rate.count()} * (now - mover.since);
    mover.rate = rate;
    mover.since = now;
    events[q] = now + time_left(mover.remainder, rate);
  }
}

}  // namespace ooc
