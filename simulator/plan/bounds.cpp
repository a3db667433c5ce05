// Bounds 1 to 3: compute, link load, and per task "out before, in after". With each pair of directions
// also the link as a whole: together they are never faster than `together`, which is what half duplex and
// a duplex factor below 1 take away.
//
// Latencies count as 0 and every tensor as divisible, so the bounds stay valid for schedules that split
// or batch copies.
#include "simulator/plan/bounds.hpp"

#include <algorithm>

#include "model/base/errors.hpp"

namespace ooc {

Duration LowerBounds::best() const { return std::max({compute, link, cut, windows}); }

void LowerBounds::add(Duration time) {
  for (Duration* bound : {&compute, &link, &cut, &windows}) *bound += time;
}

void LowerBounds::raise(Duration bound) {
  for (Duration* each : {&link, &cut, &windows}) *each = std::max(*each, bound);
}

LinkSpeed fastest_link(const TransferCosts& transfers) {
  const auto fastest = [](const std::vector<TransferCost>& costs) {
    BytesPerSecond rate(0);
    for (const TransferCost& cost : costs) rate = std::max(rate, cost.rate);
    // No tensor, nothing to move.
    return rate.count() == 0 ? kInfiniteRate : rate;
  };
  LinkSpeed speed{fastest(transfers.to_far), fastest(transfers.to_near), kInfiniteRate};
  if (!transfers.faults.empty()) speed.to_near = std::max(speed.to_near, fastest(transfers.faults));
  if (speed.to_far != kInfiniteRate && speed.to_near != kInfiniteRate) {
    // Rates of copies under way together are rounded down; a duplex at its lower end may be, too, so a
    // lone copy can be faster than both together.
    const BytesPerSecond both =
        scale(speed.to_far, transfers.duplex) + scale(speed.to_near, transfers.duplex);
    speed.together = std::max({both, speed.to_far, speed.to_near});
  }
  return speed;
}

namespace {

LowerBounds bound_at(const MemoryPressure& pressure, const LinkSpeed& speed) {
  const Duration total = pressure.before.back();
  LowerBounds bounds{.compute = total, .link = total, .cut = total, .windows = total};
  for (const Cut& cut : pressure.cuts) {
    const Duration out = transfer_time(cut.out, speed.to_far);
    const Duration in = transfer_time(cut.in, speed.to_near);
    const Duration together = transfer_time(cut.out + cut.in, speed.together);
    bounds.link = std::max({bounds.link, out, in, together});

    const Duration start = pressure.before[cut.task.at()];
    const Duration end = pressure.before[cut.task.at() + 1];
    const Duration until = std::max(start, out.count() > 0 ? cut.defined_from + out : out);
    const Duration rest = std::max(total - end, in + cut.compute_after);
    bounds.cut = std::max(bounds.cut, until + (end - start) + rest);
  }
  bounds.cut = std::max(bounds.cut, bounds.link);
  bounds.windows = bounds.cut;
  return bounds;
}

/// What one of several devices gets of a direction if all get as much, rounded up.
BytesPerSecond equal_share(BytesPerSecond own, BytesPerSecond peak, int devices) {
  if (own == kInfiniteRate || peak == kInfiniteRate) return own;
  return std::min(own, BytesPerSecond((peak.count() + devices - 1) / devices));
}

}  // namespace

// Several devices: the one that is the last to have copied out what must leave has waited for everybody's
// bytes, and then copies in alone; or nobody has begun to copy in before the first one was ready, and then
// everybody's bytes come in. One direction counts N times in each case, not both.
LowerBounds bound_cuts(const MemoryPressure& pressure, const TransferCosts& transfers,
                       int devices) {
  OOC_CHECK(pressure.feasible, "bounds exist where every task fits");
  const LinkSpeed alone = fastest_link(transfers);
  LowerBounds bounds = bound_at(pressure, alone);
  if (devices == 1) return bounds;
  LinkSpeed out = alone;
  out.to_far = equal_share(alone.to_far, transfers.to_far_peak, devices);
  LinkSpeed in = alone;
  in.to_near = equal_share(alone.to_near, transfers.to_near_peak, devices);
  for (const LinkSpeed& speed : {out, in}) {
    const LowerBounds other = bound_at(pressure, speed);
    bounds.link = std::max(bounds.link, other.link);
    bounds.cut = std::max(bounds.cut, other.cut);
  }
  bounds.windows = bounds.cut;
  return bounds;
}

std::optional<LowerBounds> lower_bounds(const TrainingGraph& graph, const CostTable& costs,
                                        Bytes budget, BoundEffort effort, Alternatives which) {
  MemoryPressure pressure;
  find_memory_pressure(graph, costs, budget, pressure, which);
  if (!pressure.feasible) return std::nullopt;
  LowerBounds bounds = bound_cuts(pressure, costs.transfers);
  if (effort == BoundEffort::kWindows) {
    bounds.windows = std::max(bounds.cut, bound_windows(graph, costs, pressure));
  }
  return bounds;
}

}  // namespace ooc
