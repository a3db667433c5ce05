// Plans are tried until their number is spent, never for so many seconds: the same seed gives the same plan.
#include "simulator/schedules/mix_search.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>

#include "model/base/errors.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {
namespace {

/// A change is accepted if it is no slower than what was at hand so many changes ago.
constexpr std::size_t kMemory = 5;
/// Walks that begin at the best seeds have a tenth of the plans each; the best of them goes on.
constexpr std::int64_t kShareOfWalk = 10;
/// After so many plans without a better one the walk goes back to the best, with times a little above its own.
constexpr std::int64_t kPatience = 4000;
constexpr std::int64_t kSlackParts = 200;
/// It ends after so many, and so many for each idle time: small graphs are soon known.
constexpr std::int64_t kLastPatience = 1500;
constexpr std::int64_t kLastPatienceForIdle = 60;
constexpr std::int64_t kTellEvery = 64;

}  // namespace

MixDice::MixDice(std::int64_t seed)
    : state_(static_cast<std::uint64_t>(seed) * 0x9E3779B97F4A7C15ULL + 0x2545F4914F6CDD1DULL) {
  if (state_ == 0) state_ = 1;
}

std::size_t MixDice::below(std::size_t count) {
  state_ ^= state_ << 13U;
  state_ ^= state_ >> 7U;
  state_ ^= state_ << 17U;
  return static_cast<std::size_t>((state_ >> 11U) % count);
}

MixSearch::MixSearch(const MixFacts& facts, const Limits& limits)
    : facts_(facts), limits_(limits), segments_(facts), decoder_(facts), dice_(limits.seed) {
  OOC_CHECK(facts.problem.evaluate, "who searches by trial can try");
  find_kinds();
  for (std::uint32_t t = 0; t < facts.tasks; ++t) {
    if (facts.ways[t].size() > 1) with_ways_.push_back(t);
  }
}

/// What is equal: bytes, time to compute it again.
void MixSearch::find_kinds() {
  const auto key = [&](std::uint32_t i) {
    const IdleTime& idle = facts_.idle[i];
    return std::tuple(idle.bytes, idle.again, idle.droppable);
  };
  std::vector<std::uint32_t> all(facts_.idle.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  std::stable_sort(all.begin(), all.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple_cat(key(a), std::tuple(facts_.idle[a].from)) <
           std::tuple_cat(key(b), std::tuple(facts_.idle[b].from));
  });
  for (std::size_t first = 0; first < all.size();) {
    std::size_t end = first;
    while (end < all.size() && key(all[end]) == key(all[first])) ++end;
    if (end - first >= 3) {
      kinds_.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(first),
                          all.begin() + static_cast<std::ptrdiff_t>(end));
    }
    first = end;
  }
}

std::int64_t MixSearch::evaluate(const Decisions& decisions, std::int64_t limit) {
  ++tried_;
  blocked_ = false;
  if (tried_ % kTellEvery == 0) tell();
  if (!decoder_.list(decisions) || decoder_.compute_time() > limit) return kNever;
  if (!decoder_.place(decisions) || decoder_.compute_time() > limit) return kNever;
  if (decoder_.least_time() > limit) return kNever;
  trial_ = facts_.problem.evaluate(decoder_.build());
  blocked_ = !trial_.iteration_time && !trial_.overflows_far;
  blocks_ = blocks_ || blocked_;
  return trial_.iteration_time ? trial_.iteration_time->count() : kNever;
}

void MixSearch::tell() {
  const auto* progress = facts_.problem.options.own->progress;
  if (progress == nullptr || best_time_ == kNever) return;
  (*progress)({.tried = tried_, .of = limits_.plans, .best = Duration(best_time_)});
}

void MixSearch::lose(Duration time, std::size_t position, Scene::Loss::Cause cause) {
  if (time.count() <= 0) return;
  scene_.losses.push_back({time.count(), static_cast<std::uint32_t>(position), cause});
  scene_.lost += time.count();
}

/// Notes what the plan that ran last does, and where it loses time.
void MixSearch::look() {
  scene_.runs = decoder_.runs().runs;
  scene_.moved.clear();
  for (const GapMove& move : decoder_.moves()) {
    const StayGap& gap = decoder_.runs().gaps[move.gap];
    scene_.moved.push_back(
        {decoder_.idle_of_gap()[move.gap], static_cast<std::uint32_t>(gap.first - 1),
         static_cast<std::uint32_t>(gap.end), static_cast<std::uint32_t>(move.may_return_after)});
  }
  scene_.kept.clear();
  for (std::size_t i = 0; i < decoder_.runs().gaps.size(); ++i) {
    if (!decoder_.stays(i)) continue;
    const StayGap& gap = decoder_.runs().gaps[i];
    scene_.kept.push_back({decoder_.idle_of_gap()[i], static_cast<std::uint32_t>(gap.first - 1),
                           static_cast<std::uint32_t>(gap.end)});
  }
  scene_.losses.clear();
  scene_.lost = 0;
  if (trial_.timeline == nullptr) return;
  const auto& queue =
      trial_.plan->queues[static_cast<std::size_t>(queue_index(0, StepKind::kCompute))];
  Duration end;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Span& span = trial_.timeline->spans[queue[i].at()];
    lose(span.start - end, i, Scene::Loss::Cause::kWait);
    if (scene_.runs[i].again) lose(span.end - span.start, i, Scene::Loss::Cause::kRepeat);
    end = span.end;
  }
}

void MixSearch::run() {
  sow();
  if (best_time_ == kNever || over() || facts_.idle.empty()) return;
  const std::int64_t share = (limits_.plans - tried_) / kShareOfWalk;
  sow_least_workspace();
  Decisions top = best_;
  std::int64_t top_time = best_time_;
  for (Seed& seed : seeds_) {
    if (over()) break;
    best_ = std::move(seed.decisions);
    best_time_ = seed.time;
    walk(tried_ + share);
    if (best_time_ < top_time) {
      top = best_;
      top_time = best_time_;
    }
  }
  best_ = std::move(top);
  best_time_ = top_time;
  const std::int64_t pairs = plans_of_pairs();
  walk(limits_.plans - pairs);
  if (pairs == 0) return;
  try_pairs(Decisions(best_));
  try_pairs(keep_all(facts_));
}

bool MixSearch::take_if_best(const Decisions& decisions, std::int64_t time) {
  if (time >= best_time_) return false;
  best_ = decisions;
  best_time_ = time;
  done_ = time <= limits_.good_enough;
  return true;
}

/// Late acceptance, until so many plans are tried in all.
void MixSearch::walk(std::int64_t plans) {
  const std::int64_t last_patience =
      kLastPatience + kLastPatienceForIdle * static_cast<std::int64_t>(facts_.idle.size());
  current_ = best_;
  current_time_ = evaluate(current_);
  look();
  std::array<std::int64_t, kMemory> before{};
  before.fill(current_time_);
  std::size_t place = 0;
  std::int64_t since_back = 0;
  std::int64_t since_best = 0;
  while (tried_ < plans && !over() && since_best < last_patience) {
    next_ = current_;
    do {
      change(next_);
    } while (dice_.percent(50));
    const std::int64_t limit = std::max(before[place], current_time_);
    const std::int64_t time = evaluate(next_, limit);
    ++since_best;
    ++since_back;
    if (time <= limit) {
      const bool differs = time != current_time_;
      std::swap(current_, next_);
      current_time_ = time;
      if (differs || dice_.percent(25)) look();
      if (take_if_best(current_, time)) since_best = since_back = 0;
    }
    before[place] = current_time_;
    place = (place + 1) % kMemory;
    if (since_back <= kPatience) continue;
    current_ = best_;
    current_time_ = evaluate(current_);
    look();
    before.fill(best_time_ + best_time_ / kSlackParts);
    since_back = 0;
  }
}

}  // namespace ooc
