// Small graphs to their end: where all changes of one or two decisions are few beside the plans that may be tried, none of
// them makes the plan quicker that the search ends with.
#include <algorithm>
#include <utility>

#include "simulator/schedules/mix_search.hpp"

namespace ooc {
namespace {

/// One turn through all pairs may take half of the plans that may be tried.
constexpr std::int64_t kPartsOfPlans = 2;
constexpr std::int64_t kManners = 4;  ///< Decisions::one_walk and moves_anyway

}  // namespace

/// A decision and what it could be instead.
struct MixSearch::Change {
  std::uint32_t index = 0;  ///< an idle time; or, `of_way`, a task
  std::uint8_t value = 0;
  bool of_way = false;

  void make(Decisions& decisions) const {
    if (of_way) {
      decisions.way[index] = value;
    } else {
      decisions.treatment[index] = static_cast<Treatment>(value);
    }
  }
};

std::vector<MixSearch::Change> MixSearch::changes() const {
  std::vector<Change> all;
  for (std::uint32_t i = 0; i < facts_.idle.size(); ++i) {
    const std::uint8_t treatments = facts_.idle[i].droppable ? 4 : 2;
    for (std::uint8_t value = 0; value < treatments; ++value) all.push_back({i, value, false});
  }
  for (const std::uint32_t task : with_ways_) {
    for (std::uint8_t way = 0; way < facts_.ways[task].size(); ++way)
      all.push_back({task, way, true});
  }
  return all;
}

/// Plans of one turn through all pairs; 0: too many.
std::int64_t MixSearch::plans_of_pairs() const {
  const auto count = static_cast<std::int64_t>(changes().size());
  const std::int64_t plans = kManners * count * (count + 1) / 2;
  return plans <= limits_.plans / kPartsOfPlans ? plans : 0;
}

/// From these decisions on the best change of two of them, in any manner of placing, until none makes it quicker.
void MixSearch::try_pairs(const Decisions& from) {
  const std::vector<Change> all = changes();
  current_ = from;
  current_time_ = evaluate(current_);
  while (true) {
    std::int64_t least = current_time_;
    Decisions quickest;
    for (std::size_t one = 0; one < all.size(); ++one) {
      for (std::size_t other = one; other < all.size(); ++other) {
        for (std::int64_t manner = 0; manner < kManners; ++manner) {
          if (over()) return;
          next_ = current_;
          all[one].make(next_);
          all[other].make(next_);
          next_.one_walk = manner % 2 != 0;
          next_.moves_anyway = manner >= 2;
          const std::int64_t time = evaluate(next_, least);
          if (time >= least) continue;
          least = time;
          quickest = next_;
          take_if_best(next_, time);
        }
      }
    }
    if (least == current_time_) return;
    current_ = std::move(quickest);
    current_time_ = least;
  }
}

}  // namespace ooc
