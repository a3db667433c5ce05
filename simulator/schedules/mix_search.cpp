// Plans are tried until their number is spent, never for so many seconds: the same seed gives the same plan.
#include "simulator/schedules/mix_search.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "model/base/errors.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {
namespace {

/// A change is accepted if it is no slower than what was at hand so many changes ago.
constexpr std::size_t kChangesBack = 5;
/// After so many plans without a better one the walk begins anew from the best, with times a little above its own.
constexpr std::int64_t kPatience = 400;
constexpr std::int64_t kPatienceForIdle = 40;
constexpr std::int64_t kSlackParts = 200;
/// It ends after so many, and so many for each idle time: small graphs are soon known.
constexpr std::int64_t kLastPatience = 6000;
constexpr std::int64_t kLastPatienceForIdle = 60;

constexpr double kShares[] = {1.0, 0.6, 0.35, 0.2, 0.12, 0.07, 0.04, 0.02, 0.01};
constexpr double kPrices[] = {0.03, 0.1, 0.3, 1.0, 3.0};
constexpr double kPricedShares[] = {0.6, 0.25, 0.1, 0.04};
/// Around the best seeds, nearer each time.
constexpr double kSteps[] = {1.6, 1.25, 1.1};
constexpr std::size_t kBestSeeds = 3;
/// Of memory, left free where a plan that fills it to the byte blocks; later changes give or take a step.
constexpr double kUnusedShares[] = {0.06, 0.12, 0.18, 0.24, 0.3};
constexpr double kUnusedStep = 0.02;

/// Walks that begin at the best seeds have that part of the plans each; the best of them goes on.
constexpr std::size_t kStarts = 4;
constexpr std::int64_t kShareOfWalk = 12;
/// For what is kept so many others at most are dropped, each the cheapest of a few.
constexpr int kDroppedForOne = 8;
constexpr int kOfferedForOne = 12;
/// Of the copies in ahead of a wait, so many may be what it waits for.
constexpr std::size_t kCopiesAhead = 12;
constexpr std::uint32_t kShortlyBehind = 3;
constexpr std::size_t kFewNeighbours = 6;
constexpr std::size_t kManyNeighbours = 24;

}  // namespace

MixRng::MixRng(std::int64_t seed)
    : state_(static_cast<std::uint64_t>(seed) * 0x9E3779B97F4A7C15ULL + 0x2545F4914F6CDD1DULL) {
  if (state_ == 0) state_ = 1;
}

std::size_t MixRng::below(std::size_t count) {
  state_ ^= state_ << 13U;
  state_ ^= state_ >> 7U;
  state_ ^= state_ << 17U;
  return static_cast<std::size_t>((state_ >> 11U) % count);
}

MixSearch::MixSearch(const MixFacts& facts, const Limits& limits)
    : facts_(facts), limits_(limits), segments_(facts), decoder_(facts), rng_(limits.seed) {
  OOC_CHECK(facts.problem.evaluate, "who searches by trial can try");
  for (std::uint32_t t = 0; t < facts.tasks; ++t) {
    if (facts.algorithms[t].size() > 1) with_algorithms_.push_back(t);
  }
}

std::int64_t MixSearch::evaluate(const Decisions& decisions, std::int64_t limit) {
  ++tried_;
  blocked_ = false;
  if (!decoder_.list(decisions) || decoder_.compute_time() > limit) return kNever;
  if (!decoder_.place(decisions) || decoder_.compute_time() > limit) return kNever;
  if (decoder_.least_time() > limit) return kNever;
  trial_ = facts_.problem.evaluate(decoder_.build());
  blocked_ = !trial_.iteration_time && !trial_.overflows_far;
  blocks_ = blocks_ || blocked_;
  return trial_.iteration_time ? trial_.iteration_time->count() : kNever;
}

void MixSearch::lose(Duration time, std::size_t position, bool again) {
  if (time.count() <= 0) return;
  losses_.push_back({time.count(), static_cast<std::uint32_t>(position), again});
  lost_ += time.count();
}

/// Notes what the plan that ran last does, and where it loses time.
void MixSearch::look() {
  runs_ = decoder_.runs().runs;
  moved_.clear();
  for (const GapMove& move : decoder_.moves()) {
    const StayGap& gap = decoder_.runs().gaps[move.gap];
    moved_.push_back({decoder_.idle_of_gap()[move.gap], static_cast<std::uint32_t>(gap.first - 1),
                      static_cast<std::uint32_t>(gap.end)});
  }
  kept_.clear();
  for (std::size_t i = 0; i < decoder_.runs().gaps.size(); ++i) {
    if (decoder_.stays(i)) kept_.push_back(decoder_.idle_of_gap()[i]);
  }
  losses_.clear();
  lost_ = 0;
  if (trial_.timeline == nullptr) return;
  const auto& queue = trial_.plan->queue(StepKind::kCompute);
  Duration end;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Span& span = trial_.timeline->spans[queue[i].at()];
    lose(span.start - end, i, false);
    if (runs_[i].again) lose(span.end - span.start, i, true);
    end = span.end;
  }
}

void MixSearch::run() {
  seed_all();
  if (best_time_ == kNever || over() || facts_.idle.empty()) return;
  const std::int64_t share = (limits_.plans - tried_) / kShareOfWalk;
  for (Start& start : starts_) {
    if (over()) return;
    std::swap(start.decisions, best_);
    std::swap(start.time, best_time_);
    walk(tried_ + share);
    if (start.time >= best_time_) continue;
    std::swap(start.decisions, best_);
    std::swap(start.time, best_time_);
  }
  walk(limits_.plans);
}

bool MixSearch::take_if_best(const Decisions& decisions, std::int64_t time) {
  if (time >= best_time_) return false;
  best_ = decisions;
  best_time_ = time;
  done_ = time <= limits_.good_enough;
  return true;
}

// --- seeds: capacity's way, block checkpointing, and mixes by the price of a tensor: what it takes to compute it again
// against what its copies take

std::int64_t MixSearch::share_of_memory(double share) const {
  return static_cast<std::int64_t>(share * static_cast<double>(facts_.available));
}

/// What blocks is tried with more and more of memory left free, until it runs.
std::int64_t MixSearch::seed_one(Decisions decisions, std::int64_t limit) {
  std::int64_t time = evaluate(decisions, limit);
  for (const double share : kUnusedShares) {
    if (!blocked_ || over()) break;
    decisions.unused = share_of_memory(share);
    time = evaluate(decisions, limit);
  }
  take_if_best(decisions, time);
  const auto slower = [&](const Start& start) { return start.time >= time; };
  const auto place = std::ranges::find_if(starts_, slower);
  if (time == kNever || (place != starts_.end() && place->time == time)) return time;
  starts_.insert(place, {time, std::move(decisions)});
  if (starts_.size() > kStarts) starts_.pop_back();
  return time;
}

void MixSearch::seed_cut(Seed seed) {
  if (over()) return;
  const std::int64_t most = share_of_memory(seed.share);
  Decisions decisions = segments_.drop_within(segments_.cut(most, seed.price), seed.price);
  if (!repair(facts_, decoder_, decisions)) return;
  seed.time = seed_one(std::move(decisions));
  seeds_.push_back(seed);
}

/// The first two are tried even where nothing is to be: they always fit.
void MixSearch::seed_all() {
  for (const bool one_walk : {false, true}) {
    Decisions decisions = keep_all(facts_);
    decisions.one_walk = one_walk;
    seed_one(std::move(decisions));
  }
  if (best_time_ == kNever) seed_one(move_all(facts_));
  if (segments_.droppable().empty()) return;
  for (const double share : kShares) seed_cut({MixSegments::kAnyPrice, share});
  for (const double price : kPrices) {
    for (const double share : kPricedShares) seed_cut({price, share});
  }
  for (const double step : kSteps) {
    std::ranges::stable_sort(seeds_, {}, &Seed::time);
    for (std::size_t i = 0; i < std::min(kBestSeeds, seeds_.size()); ++i) {
      const Seed best = seeds_[i];
      seed_cut({best.price * step, best.share});
      seed_cut({best.price / step, best.share});
      seed_cut({best.price, best.share * step});
      seed_cut({best.price, best.share / step});
    }
  }
}

// --- changes

/// Until so many plans are tried in all.
void MixSearch::walk(std::int64_t plans) {
  const auto idle = static_cast<std::int64_t>(facts_.idle.size());
  const std::int64_t patience = kPatience + kPatienceForIdle * idle;
  const std::int64_t last_patience = kLastPatience + kLastPatienceForIdle * idle;
  Decisions current, next;
  std::int64_t current_time = 0;
  std::array<std::int64_t, kChangesBack> before{};
  std::int64_t since_back = 0;
  std::int64_t since_best = 0;
  const auto begin = [&](std::int64_t slack) {
    current = best_;
    current_time = evaluate(current);
    look();
    before.fill(current_time == kNever ? kNever : current_time + slack);
    since_back = 0;
  };
  begin(0);
  for (std::size_t place = 0; !over() && tried_ < plans && since_best < last_patience; ++place) {
    std::int64_t& earlier = before[place % kChangesBack];
    next = current;
    do {
      change(next);
    } while (rng_.percent(50));
    const std::int64_t limit = std::max(earlier, current_time);
    const std::int64_t time = evaluate(next, limit);
    ++since_best;
    ++since_back;
    if (time <= limit) {
      const bool differs = time != current_time;
      std::swap(current, next);
      current_time = time;
      if (differs || rng_.percent(25)) look();
      if (take_if_best(current, time)) since_best = since_back = 0;
    }
    earlier = current_time;
    if (since_back > patience) begin(best_time_ / kSlackParts);
  }
}

void MixSearch::change(Decisions& decisions) {
  if (blocks_ && rng_.percent(4)) {
    const std::int64_t step = share_of_memory(rng_.percent(50) ? kUnusedStep : -kUnusedStep);
    decisions.unused =
        std::clamp<std::int64_t>(decisions.unused + step, 0, share_of_memory(kUnusedShares[4]));
    return;
  }
  const std::size_t kind = rng_.below(100);
  if (kind < 70 && lost_ > 0) return change_loss(decisions);
  if (kind < 80 && !segments_.droppable().empty()) return change_neighbours(decisions);
  if (kind < 86 && !with_algorithms_.empty()) {
    const std::uint32_t task = with_algorithms_[rng_.below(with_algorithms_.size())];
    decisions.algorithm[task] =
        static_cast<std::uint8_t>(rng_.below(facts_.algorithms[task].size()));
  } else if (kind >= 98) {
    decisions.moves_anyway = !decisions.moves_anyway;
  } else if (kind >= 94) {
    decisions.one_walk = !decisions.one_walk;
  } else {
    const auto idle = static_cast<std::uint32_t>(rng_.below(facts_.idle.size()));
    set(decisions, idle, any_treatment(idle));
  }
}

/// Tensors that one piece makes are dropped together or not at all.
void MixSearch::set(Decisions& decisions, std::uint32_t index, Treatment treatment) const {
  const IdleTime& idle = facts_.idle[index];
  decisions.treatment[index] = treatment;
  if (!idle.droppable || idle.late) return;
  for (const std::uint32_t task : facts_.piece_tasks[facts_.piece_of[idle.tensor.at()]]) {
    for (const TaskTouch& touch : facts_.touches[task]) {
      if (!touch.writes) continue;
      for (const std::uint32_t other : facts_.idle_after[touch.tensor]) {
        if (other == kNoIndex || !facts_.idle[other].droppable || facts_.idle[other].late) continue;
        decisions.treatment[other] = treatment;
      }
    }
  }
}

/// ns to make a byte of it again.
double MixSearch::price(std::uint32_t idle) const {
  return static_cast<double>(facts_.idle[idle].again) /
         static_cast<double>(facts_.idle[idle].bytes);
}

Treatment MixSearch::any_treatment(std::uint32_t index) {
  const IdleTime& idle = facts_.idle[index];
  const std::size_t share = rng_.below(100);
  if (!idle.droppable) return share < 50 ? Treatment::kKeep : Treatment::kMove;
  if (idle.late && share < 60) return share < 40 ? Treatment::kDrop : Treatment::kDropEach;
  if (share < 40) return Treatment::kDrop;
  return share < 80 ? Treatment::kKeep : share < 93 ? Treatment::kMove : Treatment::kDropEach;
}

void MixSearch::change_loss(Decisions& decisions) {
  auto at = static_cast<std::int64_t>(rng_.below(static_cast<std::size_t>(lost_)));
  auto loss = losses_.begin();
  for (; loss + 1 != losses_.end() && at >= loss->time; ++loss) at -= loss->time;
  if (loss->again) return change_repeated(decisions, loss->position);
  change_copy(decisions, loss->position);
}

/// A task that runs again: something that it makes stays instead, or moves; of one that is only a link in a chain,
/// something that the chain makes.
void MixSearch::change_repeated(Decisions& decisions, std::uint32_t position) {
  const auto find_dropped = [&](std::uint32_t run) {
    choice_.clear();
    for (const TaskTouch& touch : facts_.touches[runs_[run].task.at()]) {
      if (!touch.writes) continue;
      for (const std::uint32_t idle : facts_.idle_after[touch.tensor]) {
        if (idle != kNoIndex && decisions.treatment[idle] >= Treatment::kDrop) {
          choice_.push_back(idle);
        }
      }
    }
  };
  find_dropped(position);
  if (choice_.empty()) {
    std::uint32_t end = position;
    while (end < runs_.size() && runs_[end].again) ++end;
    find_dropped(position + static_cast<std::uint32_t>(rng_.below(end - position)));
    for (const std::uint32_t idle : choice_) set(decisions, idle, Treatment::kKeep);
    return;
  }
  const std::uint32_t idle = choice_[rng_.below(choice_.size())];
  if (rng_.percent(20)) return set(decisions, idle, Treatment::kMove);
  keep_instead(decisions, idle);
}

/// It stays, and mostly others that are near meanwhile and cheaper to make again are dropped for it.
void MixSearch::keep_instead(Decisions& decisions, std::uint32_t kept) {
  set(decisions, kept, Treatment::kKeep);
  if (kept_.empty() || !rng_.percent(70)) return;
  std::int64_t bytes = facts_.idle[kept].bytes;
  for (int i = 0; i < kDroppedForOne && bytes > 0; ++i) {
    std::uint32_t cheapest = kept;
    for (int k = 0; k < kOfferedForOne; ++k) {
      const std::uint32_t other = kept_[rng_.below(kept_.size())];
      const IdleTime& idle = facts_.idle[other];
      const bool stays = decisions.treatment[other] < Treatment::kDrop;
      if (idle.droppable && !idle.late && stays && price(other) < price(cheapest)) cheapest = other;
    }
    if (cheapest == kept) return;
    set(decisions, cheapest, Treatment::kDrop);
    bytes -= facts_.idle[cheapest].bytes;
  }
}

/// A wait: in the forward pass for something to leave, in backward for something to return.
void MixSearch::change_copy(Decisions& decisions, std::uint32_t position) {
  const bool forward = position < facts_.forward;
  choice_.clear();
  for (std::uint32_t i = 0; i < moved_.size(); ++i) {
    const bool ahead =
        forward ? moved_[i].from <= position + kShortlyBehind : moved_[i].to <= position + 1;
    if (ahead) choice_.push_back(i);
  }
  if (choice_.empty()) return;
  const std::size_t candidates = forward ? choice_.size() : std::min(choice_.size(), kCopiesAhead);
  const Gap& moved = moved_[choice_[choice_.size() - 1 - rng_.below(candidates)]];
  if (!facts_.idle[moved.idle].droppable || rng_.percent(30)) {
    return keep_instead(decisions, moved.idle);
  }
  set(decisions, moved.idle, Treatment::kDrop);
}

void MixSearch::change_neighbours(Decisions& decisions) {
  const auto& droppable = segments_.droppable();
  const std::size_t first = rng_.below(droppable.size());
  const std::size_t count = 1 + rng_.below(rng_.percent(20) ? kManyNeighbours : kFewNeighbours);
  const std::size_t share = rng_.below(100);
  const Treatment treatment = share < 50   ? Treatment::kDrop
                              : share < 90 ? Treatment::kKeep
                                           : Treatment::kMove;
  for (std::size_t i = first; i < std::min(droppable.size(), first + count); ++i) {
    set(decisions, droppable[i], treatment);
  }
}

}  // namespace ooc
