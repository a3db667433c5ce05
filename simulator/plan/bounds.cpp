// Bounds 1 to 3: compute, link load, and per task "out before, in after". With each pair of directions
// also the link as a whole, which is what half duplex and shares below 1 take away: at no instant do the
// bytes that move exceed F out alone, N in alone, or f and n when both move. So T >= out / F + in / x for
// every x from N on with f / F + n / x <= 1, and the other way round; the two of them with the least x are
// the corners of that program's dual, and the larger one is what an ideal order of copies takes.
//
// Latencies count as 0 and every tensor as divisible, so the bounds stay valid for schedules that split or batch copies.
#include "simulator/plan/bounds.hpp"

#include "model/base/errors.hpp"

namespace ooc {

Duration LowerBounds::best() const { return std::max({compute, link, cut, windows}); }

void LowerBounds::raise(Duration bound) {
  for (Duration* each : {&link, &cut, &windows}) *each = std::max(*each, bound);
}

namespace {

/// What the other direction counts with where this one counts with all of `own`: it moves no more than
/// `other_kept` in the time in which this one falls to `kept`. Rounded up: the bound stays below the truth.
BytesPerSecond beside(BytesPerSecond own, BytesPerSecond kept, BytesPerSecond other,
                      BytesPerSecond other_kept) {
  const Int128 lost = own.count() - kept.count();
  if (lost <= 0) return kInfiniteRate;
  const Int128 rate = (Int128{other_kept.count()} * own.count() + lost - 1) / lost;
  if (rate > kMaxRate.count()) return kInfiniteRate;
  return std::max(other, BytesPerSecond(static_cast<std::int64_t>(rate)));
}

/// ns. Never less than the exact time, and far cheaper than its division in 128 bit.
double at_most(Bytes bytes, BytesPerSecond rate) {
  constexpr double kAbove = 1 + 1e-12;
  return static_cast<double>(bytes.count()) * (1e9 * kAbove / static_cast<double>(rate.count())) +
         2;
}

double as_ns(Duration time) { return static_cast<double>(time.count()); }

/// Whether a cut may raise a bound: most do not, by far.
bool may_raise(const LowerBounds& bounds, const MemoryPressure& pressure, const Cut& cut,
               const LinkSpeed& speed) {
  const double out = at_most(cut.out, speed.to_far);
  const double in = at_most(cut.in, speed.to_near);
  double link = std::max(out, in);
  for (const JointSpeed& both : speed.together) {
    link = std::max(link, at_most(cut.out, both.to_far) + at_most(cut.in, both.to_near));
  }
  if (link > as_ns(bounds.link)) return true;
  const Duration start = pressure.before[cut.task.at()];
  const Duration end = pressure.before[cut.task.at() + 1];
  const double until = std::max(as_ns(start), as_ns(cut.defined_from) + out);
  const double rest = std::max(as_ns(pressure.before.back() - end), in + as_ns(cut.compute_after));
  return until + as_ns(end - start) + rest > as_ns(bounds.cut);
}

LowerBounds bound_at(const MemoryPressure& pressure, const LinkSpeed& speed) {
  const Duration total = pressure.before.back();
  LowerBounds bounds{.compute = total, .link = total, .cut = total, .windows = total};
  const auto raise = [&](const Cut& cut) {
    const Duration out = transfer_time(cut.out, speed.to_far);
    const Duration in = transfer_time(cut.in, speed.to_near);
    const Duration together = speed.time_together(cut.out, cut.in);
    bounds.link = std::max({bounds.link, out, in, together});

    const Duration start = pressure.before[cut.task.at()];
    const Duration end = pressure.before[cut.task.at() + 1];
    const Duration until = std::max(start, out.count() > 0 ? cut.defined_from + out : out);
    const Duration rest = std::max(total - end, in + cut.compute_after);
    bounds.cut = std::max(bounds.cut, until + (end - start) + rest);
  };
  // The one with most to move first: few of the others then come near.
  const auto heaviest = std::ranges::max_element(
      pressure.cuts, {}, [](const Cut& each) { return each.out + each.in; });
  if (heaviest != pressure.cuts.end()) raise(*heaviest);
  for (const Cut& cut : pressure.cuts) {
    if (may_raise(bounds, pressure, cut, speed)) raise(cut);
  }
  bounds.cut = std::max(bounds.cut, bounds.link);
  bounds.windows = bounds.cut;
  return bounds;
}

}  // namespace

LinkSpeed fastest_link(const TransferCosts& transfers) {
  const auto fastest = [](const std::vector<TransferCost>& costs) {
    BytesPerSecond rate(0);
    for (const TransferCost& cost : costs) rate = std::max(rate, cost.rate);
    // No tensor, nothing to move.
    return rate.count() == 0 ? kInfiniteRate : rate;
  };
  LinkSpeed speed{fastest(transfers.to_far), fastest(transfers.to_near)};
  if (!transfers.faults.empty()) speed.to_near = std::max(speed.to_near, fastest(transfers.faults));
  if (speed.to_far != kInfiniteRate && speed.to_near != kInfiniteRate) {
    const BytesPerSecond far = scale(speed.to_far, transfers.duplex.to_far);
    const BytesPerSecond near = scale(speed.to_near, transfers.duplex.to_near);
    speed.together = {JointSpeed{speed.to_far, beside(speed.to_far, far, speed.to_near, near)},
                      JointSpeed{beside(speed.to_near, near, speed.to_far, far), speed.to_near}};
  }
  return speed;
}

Duration JointSpeed::time(Bytes out, Bytes in) const {
  if (to_far == kInfiniteRate) return transfer_time(in, to_near);
  if (to_near == kInfiniteRate) return transfer_time(out, to_far);
  const Int128 far = to_far.count();
  const Int128 near = to_near.count();
  const Int128 out_ns = Int128{out.count()} * 1'000'000'000;
  const Int128 in_ns = Int128{in.count()} * 1'000'000'000;
  const Int128 rest = out_ns % far * near + in_ns % near * far;
  const Int128 ns = out_ns / far + in_ns / near + (rest + far * near - 1) / (far * near);
  return Duration(ns > kMaxTimeNs ? kMaxTimeNs : static_cast<std::int64_t>(ns));
}

bool LinkSpeed::independent() const {
  return together[0].to_near == kInfiniteRate && together[1].to_far == kInfiniteRate;
}

LowerBounds bound_cuts(const MemoryPressure& pressure, const TransferCosts& transfers) {
  OOC_CHECK(pressure.feasible, "bounds exist where every task fits");
  return bound_at(pressure, fastest_link(transfers));
}

std::optional<LowerBounds> lower_bounds(const TrainingGraph& graph, const CostTable& costs,
                                        Bytes budget) {
  MemoryPressure pressure;
  find_memory_pressure(graph, costs, budget, pressure);
  if (!pressure.feasible) return std::nullopt;
  return bound_cuts(pressure, costs.transfers);
}

}  // namespace ooc
