// Small changes of decisions. Nearly half of them are made where the plan at hand loses time.
#include <algorithm>

#include "simulator/schedules/mix_search.hpp"

namespace ooc {
namespace {

constexpr std::uint32_t kShortlyBehind = 3;
/// Of the copies in ahead of a wait, so many may be what it waits for.
constexpr std::size_t kCopiesAhead = 12;
constexpr std::size_t kFewNeighbours = 6;
constexpr std::size_t kManyNeighbours = 24;
constexpr std::size_t kDistance = 8;
constexpr unsigned kUnusedPercent = 4;
constexpr std::int64_t kUnusedSteps = 50;  ///< of all memory
constexpr std::int64_t kUnusedMost = 3;    ///< a third of it, at most

}  // namespace

void MixSearch::change(Decisions& decisions) {
  if (blocks_ && dice_.percent(kUnusedPercent)) return change_unused(decisions);
  const std::size_t kind = dice_.below(100);
  if (kind < 45 && scene_.lost > 0) return change_loss(decisions);
  if (kind < 55 && !kinds_.empty()) return change_kind(decisions);
  if (kind < 80 && kind >= 65 && !segments_.droppable().empty()) {
    return change_neighbours(decisions);
  }
  if (kind < 90 && kind >= 80 && segments_.droppable().size() > 1) return exchange_two(decisions);
  if (kind < 96 && kind >= 90 && !with_ways_.empty()) return change_way(decisions);
  if (kind >= 96) {
    decisions.one_walk = !decisions.one_walk;
    return;
  }
  const auto idle = static_cast<std::uint32_t>(dice_.below(facts_.idle.size()));
  set(decisions, idle, any_treatment(idle));
}

/// One step more or less of memory is left free.
void MixSearch::change_unused(Decisions& decisions) {
  const std::int64_t step = facts_.available / kUnusedSteps * (dice_.percent(50) ? 1 : -1);
  decisions.unused =
      std::clamp<std::int64_t>(decisions.unused + step, 0, facts_.available / kUnusedMost);
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

Treatment MixSearch::any_treatment(std::uint32_t index) {
  const IdleTime& idle = facts_.idle[index];
  const std::size_t share = dice_.below(100);
  if (!idle.droppable) return share < 50 ? Treatment::kKeep : Treatment::kMove;
  if (idle.late) {
    return share < 40   ? Treatment::kDrop
           : share < 60 ? Treatment::kDropEach
           : share < 80 ? Treatment::kKeep
                        : Treatment::kMove;
  }
  return share < 40   ? Treatment::kDrop
         : share < 80 ? Treatment::kKeep
         : share < 93 ? Treatment::kMove
                      : Treatment::kDropEach;
}

void MixSearch::change_loss(Decisions& decisions) {
  auto at = static_cast<std::int64_t>(dice_.below(static_cast<std::size_t>(scene_.lost)));
  auto loss = scene_.losses.begin();
  for (; loss + 1 != scene_.losses.end() && at >= loss->time; ++loss) at -= loss->time;
  if (loss->cause == Scene::Loss::Cause::kRepeat) {
    change_repeated(decisions, loss->position);
  } else {
    change_copy(decisions, loss->position);
  }
}

/// A task that runs again: something that it makes stays instead; of one that is only a link in a chain, something
/// that the chain makes.
void MixSearch::change_repeated(Decisions& decisions, std::uint32_t position) {
  const auto dropped_by = [&](std::uint32_t run) {
    choice_.clear();
    for (const TaskTouch& touch : facts_.touches[scene_.runs[run].task.at()]) {
      if (!touch.writes) continue;
      for (const std::uint32_t idle : facts_.idle_after[touch.tensor]) {
        if (idle != kNoIndex && decisions.treatment[idle] >= Treatment::kDrop) {
          choice_.push_back(idle);
        }
      }
    }
  };
  dropped_by(position);
  if (!choice_.empty()) {
    const std::uint32_t idle = choice_[dice_.below(choice_.size())];
    return set(decisions, idle, dice_.percent(70) ? Treatment::kKeep : Treatment::kMove);
  }
  std::uint32_t end = position;
  while (end < scene_.runs.size() && scene_.runs[end].again) ++end;
  dropped_by(position + static_cast<std::uint32_t>(dice_.below(end - position)));
  for (const std::uint32_t idle : choice_) set(decisions, idle, Treatment::kKeep);
}

/// A wait: in the forward pass for something to leave, in backward for something to return.
void MixSearch::change_copy(Decisions& decisions, std::uint32_t position) {
  choice_.clear();
  const bool forward = position < facts_.forward;
  for (std::uint32_t i = 0; i < scene_.moved.size(); ++i) {
    const Scene::Away& moved = scene_.moved[i];
    const bool ahead = forward ? moved.from <= position + kShortlyBehind : moved.to <= position + 1;
    if (ahead) choice_.push_back(i);
  }
  if (choice_.empty()) return;
  const std::size_t candidates = forward ? choice_.size() : std::min(choice_.size(), kCopiesAhead);
  const Scene::Away& moved = scene_.moved[choice_[choice_.size() - 1 - dice_.below(candidates)]];
  if (dice_.percent(60)) return make_room(decisions, moved);
  const std::uint32_t idle = moved.idle;
  const bool drop = facts_.idle[idle].droppable && dice_.percent(70);
  set(decisions, idle, drop ? Treatment::kDrop : Treatment::kKeep);
}

/// What moves could stay if something else that is idle meanwhile did not.
void MixSearch::make_room(Decisions& decisions, const Scene::Away& moved) {
  const std::size_t length = moved.to - moved.from;
  const std::size_t position =
      moved.return_after > moved.from && dice_.percent(70)
          ? moved.return_after
          : moved.from + 1 + dice_.below(std::max<std::size_t>(1, length - 1));
  choice_.clear();
  for (const Scene::Away& kept : scene_.kept) {
    if (kept.from < position && position < kept.to) choice_.push_back(kept.idle);
  }
  if (choice_.empty()) return;
  const std::uint32_t idle = choice_[dice_.below(choice_.size())];
  const bool drop = facts_.idle[idle].droppable && dice_.percent(80);
  set(decisions, moved.idle, Treatment::kKeep);
  set(decisions, idle, drop ? Treatment::kDrop : Treatment::kMove);
}

/// A series of equal tensors: unrolled steps, blocks.
void MixSearch::change_kind(Decisions& decisions) {
  const auto& kind = kinds_[dice_.below(kinds_.size())];
  std::size_t first = dice_.below(kind.size());
  std::size_t last = dice_.below(kind.size());
  if (first > last) std::swap(first, last);
  if (dice_.percent(20)) first = 0;
  if (dice_.percent(20)) last = kind.size() - 1;
  const Treatment treatment = any_treatment(kind[first]);
  for (std::size_t i = first; i <= last; ++i) set(decisions, kind[i], treatment);
}

void MixSearch::change_neighbours(Decisions& decisions) {
  const auto& droppable = segments_.droppable();
  const std::size_t first = dice_.below(droppable.size());
  const std::size_t count = 1 + dice_.below(dice_.percent(20) ? kManyNeighbours : kFewNeighbours);
  const std::size_t share = dice_.below(100);
  const Treatment treatment = share < 50   ? Treatment::kDrop
                              : share < 90 ? Treatment::kKeep
                                           : Treatment::kMove;
  for (std::size_t i = first; i < std::min(droppable.size(), first + count); ++i) {
    set(decisions, droppable[i], treatment);
  }
}

void MixSearch::exchange_two(Decisions& decisions) {
  const auto& droppable = segments_.droppable();
  const std::size_t one = dice_.below(droppable.size());
  const std::size_t other = std::min(droppable.size() - 1, one + 1 + dice_.below(kDistance));
  const Treatment first = decisions.treatment[droppable[one]];
  const Treatment second = decisions.treatment[droppable[other]];
  set(decisions, droppable[one], second);
  set(decisions, droppable[other], first);
}

void MixSearch::change_way(Decisions& decisions) {
  const std::uint32_t task = with_ways_[dice_.below(with_ways_.size())];
  decisions.way[task] = static_cast<std::uint8_t>(dice_.below(facts_.ways[task].size()));
}

}  // namespace ooc
