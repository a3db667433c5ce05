// Builds a Plan: collects steps, blocks and the pairs that tie them together, then sorts the pairs
// into rows (counting sort, so linear) and derives what the engine reads. Building is on the path
// of every prediction, so there is no hash table and no allocation per step.
#include "simulator/plan/plan_builder.hpp"

#include <algorithm>

#include "model/base/errors.hpp"

namespace ooc {

namespace {

/// Rows up to this long are searched for duplicates item by item.
constexpr std::size_t kShortRow = 8;

template <class Item>
bool has_duplicate(std::span<const Item> row) {
  for (std::size_t place = 1; place < row.size(); ++place) {
    const auto before = row.first(place);
    if (std::find(before.begin(), before.end(), row[place]) != before.end()) return true;
  }
  return false;
}

/// Sets `all` to the rows of `pairs`, each item at most once per row (the first stays where it was). Most plans
/// have no duplicates and only short rows, which is seen without further memory; else an item is a
/// duplicate if it was last seen in the same row: one stamp per item, no search.
template <class Row, class Item>
void assign_unique(Csr<Row, Item>& all, std::size_t rows, std::size_t items,
                   const std::vector<std::pair<Row, Item>>& pairs) {
  all.assign(rows, pairs);
  bool suspect = false;
  for (std::size_t index = 0; index < rows && !suspect; ++index) {
    const auto row = all[make_id<Row>(index)];
    suspect = row.size() > kShortRow || has_duplicate(row);
  }
  if (!suspect) return;

  std::vector<std::pair<Row, Item>> kept;
  kept.reserve(pairs.size());
  std::vector<std::int32_t> seen_in(items, -1);
  for (std::int32_t row = 0; row < static_cast<std::int32_t>(rows); ++row) {
    for (const Item item : all[Row{row}]) {
      if (seen_in[item.at()] == row) continue;
      seen_in[item.at()] = row;
      kept.emplace_back(Row{row}, item);
    }
  }
  all.assign(rows, kept);
}

template <class Row, class Item>
bool within(const std::vector<std::pair<Row, Item>>& pairs, std::size_t rows, std::size_t items) {
  return std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
    return pair.first.at() < rows && pair.second.at() < items;
  });
}

QueuedStep& queued_in(Plan& plan, StepId id) {
  return plan.queued[queue_index(plan.steps[id.at()].kind)]
                    [static_cast<std::size_t>(plan.positions[id.at()])];
}

/// True if `earlier` has certainly ended before `later`, a step of another queue, starts: `later` waits for it or for
/// something behind it there. (Longer chains are not followed: missing one costs the engine a counter, nothing else.)
bool certainly_before(Plan& plan, StepId earlier, StepId later) {
  const std::size_t queue = queue_index(plan.steps[earlier.at()].kind);
  return queued_in(plan, later).needs[queue] > plan.positions[earlier.at()];
}

/// The releasers of a block that may be the last to end: of each queue the last one, without those
/// that certainly end before another.
void keep_last_users(Plan& plan, std::span<const StepId> releasers, std::vector<StepId>& kept) {
  kept.clear();
  for (const StepId step : releasers) {
    const auto same_queue = std::find_if(kept.begin(), kept.end(), [&](StepId other) {
      return plan.steps[other.at()].kind == plan.steps[step.at()].kind;
    });
    if (same_queue == kept.end()) {
      kept.push_back(step);
    } else if (plan.positions[same_queue->at()] < plan.positions[step.at()]) {
      *same_queue = step;
    }
  }
  for (std::size_t index = 0; kept.size() > 1 && index < kept.size();) {
    const StepId step = kept[index];
    const bool dominated = std::any_of(kept.begin(), kept.end(), [&](StepId other) {
      return other != step && certainly_before(plan, step, other);
    });
    if (dominated) {
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(index));
    } else {
      ++index;
    }
  }
}

/// Bytes released by each step; blocks whose last user is not certain go to shared_releases.
void derive_releases(Plan& plan) {
  plan.shared_release_counts.assign(plan.blocks.size(), 0);
  std::vector<std::pair<StepId, BlockId>> shared;
  std::vector<StepId> last_users;
  for (std::size_t index = 0; index < plan.blocks.size(); ++index) {
    const auto id = make_id<BlockId>(index);
    const Block& block = plan.blocks[index];
    keep_last_users(plan, plan.releasers[id], last_users);
    if (last_users.size() == 1) {
      queued_in(plan, last_users[0]).released += block.bytes;
      continue;
    }
    for (const StepId step : last_users) {
      shared.emplace_back(step, id);
      queued_in(plan, step).shared_releases = true;
    }
    plan.shared_release_counts[index] = static_cast<std::int32_t>(last_users.size());
  }
  plan.shared_releases.assign(shared.empty() ? 0 : plan.steps.size(), shared);
}

}  // namespace

PlanBuilder::PlanBuilder(const PlanHeader& header) { static_cast<PlanHeader&>(plan_) = header; }

void PlanBuilder::reserve(std::size_t steps, std::size_t blocks) {
  plan_.steps.reserve(steps);
  plan_.positions.reserve(steps);
  plan_.blocks.reserve(blocks);
  for (const StepKind kind : {StepKind::kCompute, StepKind::kToFar, StepKind::kToNear}) {
    plan_.queues[queue_index(kind)].reserve(steps);
    plan_.queued[queue_index(kind)].reserve(steps);
  }
  waits_.reserve(steps * 2);
  acquires_.reserve(blocks);
  releasers_.reserve(blocks);
}

StepId PlanBuilder::add(const Step& step) {
  const auto id = make_id<StepId>(plan_.steps.size());
  const std::size_t queue = queue_index(step.kind);
  plan_.positions.push_back(static_cast<std::int32_t>(plan_.queues[queue].size()));
  plan_.queues[queue].push_back(id);
  QueuedStep& queued = plan_.queued[queue].emplace_back();
  queued.step = id;
  queued.cost = runs_task(step.kind) ? step.alternative.index : step.object;
  queued.recompute = step.recompute;
  queued.on_demand = step.on_demand;
  plan_.steps.push_back(step);
  return id;
}

void PlanBuilder::on_demand(StepId copy) {
  plan_.steps[copy.at()].on_demand = true;
  queued_step(copy).on_demand = true;
}

QueuedStep& PlanBuilder::queued_step(StepId id) { return queued_in(plan_, id); }

BlockId PlanBuilder::add(const Block& block) {
  plan_.blocks.push_back(block);
  return make_id<BlockId>(plan_.blocks.size() - 1);
}

void PlanBuilder::wait(StepId step, StepId until_ended) {
  waits_.emplace_back(step, until_ended);
  if (std::max(step, until_ended).at() < plan_.steps.size()) {
    note_wait(step, until_ended);
  } else {
    ahead_ = true;
  }
}

void PlanBuilder::note_wait(StepId step, StepId until_ended) {
  std::int32_t& needed = queued_step(step).needs[queue_index(plan_.steps[until_ended.at()].kind)];
  needed = std::max(needed, plan_.positions[until_ended.at()] + 1);
}

void PlanBuilder::acquire(StepId step, BlockId block) {
  acquires_.emplace_back(step, block);
  if (step.at() < plan_.steps.size() && block.at() < plan_.blocks.size()) {
    note_acquire(step, block);
  } else {
    ahead_ = true;
  }
}

void PlanBuilder::note_acquire(StepId step, BlockId block) {
  OOC_CHECK(plan_.steps[step.at()].kind != StepKind::kFarCompute, "far compute holds no memory");
  queued_step(step).acquired += plan_.blocks[block.at()].bytes;
}

void PlanBuilder::note_all() {
  for (auto& queue : plan_.queued) {
    for (QueuedStep& queued : queue) {
      queued.needs = {};
      queued.acquired = Bytes(0);
    }
  }
  for (const auto& [step, until_ended] : waits_) note_wait(step, until_ended);
  for (const auto& [step, block] : acquires_) note_acquire(step, block);
}

void PlanBuilder::initially_resident(BlockId block) { plan_.initial_blocks.push_back(block); }

void PlanBuilder::release(BlockId block, StepId when_ended) {
  releasers_.emplace_back(block, when_ended);
}

void PlanBuilder::check_ids() const {
  const std::size_t steps = plan_.steps.size();
  const std::size_t blocks = plan_.blocks.size();
  OOC_CHECK(within(waits_, steps, steps) && within(acquires_, steps, blocks) &&
                within(releasers_, blocks, steps),
            "waits, acquires and releasers name steps and blocks that were added");
  if (!plan_.has_far_compute()) return;
  OOC_CHECK(std::none_of(releasers_.begin(), releasers_.end(),
                         [&](const auto& pair) {
                           return plan_.steps[pair.second.at()].kind == StepKind::kFarCompute;
                         }),
            "far compute frees no memory");
}

void PlanBuilder::derive(Pairs pairs) {
  check_ids();
  const std::size_t steps = plan_.steps.size();
  const std::size_t blocks = plan_.blocks.size();
  const auto sorted = [&](auto& used) {
    if (pairs == Pairs::kDrop) used = {};
  };
  if (ahead_) note_all();
  assign_unique(plan_.waits, steps, steps, waits_);
  sorted(waits_);
  plan_.acquires.assign(steps, acquires_);
  sorted(acquires_);
  assign_unique(plan_.releasers, blocks, steps, releasers_);
  sorted(releasers_);
  plan_.releasers.transpose_into(plan_.releases, steps);
  derive_releases(plan_);
}

Plan PlanBuilder::finish() && {
  derive(Pairs::kDrop);
  return std::move(plan_);
}

const Plan& PlanBuilder::finish() & {
  derive(Pairs::kKeep);
  return plan_;
}

void PlanBuilder::reset() {
  plan_.steps.clear();
  plan_.blocks.clear();
  plan_.initial_blocks.clear();
  for (auto& queue : plan_.queues) queue.clear();
  plan_.positions.clear();
  for (auto& queue : plan_.queued) queue.clear();
  waits_.clear();
  acquires_.clear();
  releasers_.clear();
  ahead_ = false;
}

}  // namespace ooc
