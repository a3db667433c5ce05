// Where the search begins: capacity's way, block checkpointing, and mixes by the price of a tensor: what it takes to
// compute it again against what its copies take.
#include <algorithm>
#include <tuple>
#include <utility>

#include "simulator/schedules/mix_search.hpp"

namespace ooc {
namespace {

constexpr double kShares[] = {1.0, 0.6, 0.35, 0.2, 0.12, 0.07, 0.04, 0.02, 0.01};
constexpr double kPrices[] = {0.03, 0.1, 0.3, 1.0, 3.0};
constexpr double kPricedShares[] = {0.6, 0.25, 0.1, 0.04};
/// Around the best points, nearer each time.
constexpr double kSteps[] = {1.6, 1.25, 1.1};
constexpr std::size_t kBestPoints = 3;
constexpr std::size_t kBestSeeds = 5;
/// Of memory, left free where a plan that fills it to the byte blocks.
constexpr double kUnusedShares[] = {0.06, 0.12, 0.18, 0.24, 0.3};

}  // namespace

std::int64_t MixSearch::share_of_memory(double share) const {
  return static_cast<std::int64_t>(share * static_cast<double>(facts_.available));
}

/// The first two are tried even where nothing is to be: they always fit.
void MixSearch::sow() {
  for (const bool one_walk : {false, true}) {
    Decisions decisions = keep_all(facts_);
    decisions.one_walk = one_walk;
    sow_one(std::move(decisions));
  }
  if (best_time_ == kNever) sow_one(move_all(facts_));
  if (segments_.droppable().empty()) return;
  for (const double share : kShares) {
    for (const bool cut : {true, false}) {
      if (over()) return;
      const std::int64_t most = share_of_memory(share);
      Decisions decisions = cut ? segments_.drop_within(segments_.cut(most))
                                : segments_.drop_by_price(most, MixSegments::kAnyPrice);
      if (!repair(facts_, decoder_, decisions)) continue;
      Decisions other = decisions;
      other.one_walk = true;
      sow_one(std::move(decisions));
      if (!over()) sow_one(std::move(other));
    }
  }
  sow_points();
}

/// The best seeds with each task's way that leaves others most room, where that is quicker at once: a search that begins
/// with the fastest ways has to change many of them before one of them helps.
void MixSearch::sow_least_workspace() {
  if (with_ways_.empty()) return;
  const std::vector<Seed> fastest = seeds_;
  for (const Seed& seed : fastest) {
    if (over()) return;
    Decisions decisions = seed.decisions;
    for (const std::uint32_t task : with_ways_) {
      decisions.way[task] = static_cast<std::uint8_t>(facts_.ways[task].size() - 1);
    }
    sow_one(std::move(decisions), best_time_ - 1);
  }
}

void MixSearch::sow_points() {
  std::vector<Point> points;
  for (const double price : kPrices) {
    for (const double share : kPricedShares) {
      for (const bool cut : {true, false}) sow_point(points, price, share, cut);
    }
  }
  for (const double step : kSteps) {
    std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
      return std::tuple(a.time, a.price, a.share, a.cut) <
             std::tuple(b.time, b.price, b.share, b.cut);
    });
    std::vector<Point> top(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                points.size(), kBestPoints)));
    for (const Point& point : top) {
      sow_point(points, point.price * step, point.share, point.cut);
      sow_point(points, point.price / step, point.share, point.cut);
      sow_point(points, point.price, point.share * step, point.cut);
      sow_point(points, point.price, point.share / step, point.cut);
    }
  }
}

void MixSearch::sow_point(std::vector<Point>& points, double price, double share, bool cut) {
  if (over()) return;
  const std::int64_t most = share_of_memory(share);
  Decisions decisions = cut ? segments_.drop_within(segments_.cut(most, price), price)
                            : segments_.drop_by_price(most, price);
  if (!repair(facts_, decoder_, decisions)) return;
  const std::int64_t time = sow_one(std::move(decisions));
  points.push_back({time, price, share, cut});
}

/// What blocks is tried with more and more of memory left free, until it runs.
std::int64_t MixSearch::sow_one(Decisions decisions, std::int64_t limit) {
  std::int64_t time = evaluate(decisions, limit);
  for (const double share : kUnusedShares) {
    if (!blocked_ || over()) break;
    decisions.unused = share_of_memory(share);
    time = evaluate(decisions, limit);
  }
  if (time > limit || time == kNever) return kNever;
  const auto slower = [&](const Seed& seed) { return seed.time >= time; };
  const auto place = std::find_if(seeds_.begin(), seeds_.end(), slower);
  if (place != seeds_.end() && place->time == time) return time;
  take_if_best(decisions, time);
  seeds_.insert(place, Seed{time, std::move(decisions)});
  if (seeds_.size() > kBestSeeds) seeds_.pop_back();
  return time;
}

}  // namespace ooc
