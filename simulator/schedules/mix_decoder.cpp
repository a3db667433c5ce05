// Listing is one pass over the tasks that knows by tensor which buffer holds it now. Placing books memory as
// capacity does (capacity.cpp), by idle time instead of by tensor.
#include "simulator/schedules/mix_decoder.hpp"

#include <algorithm>

namespace ooc {

MixDecoder::MixDecoder(const MixFacts& facts)
    : facts_(facts),
      current_(facts.tensors),
      passing_(facts.tensors, kNoIndex),
      use_(facts.tensors),
      seen_(facts.idle.size()),
      planner_(facts.problem) {}

// --- listing

bool MixDecoder::list(const Decisions& decisions) {
  list_.runs.clear();
  list_.stays.clear();
  list_.gaps.clear();
  list_.forward_runs = facts_.forward;
  idle_of_gap_.clear();
  repeated_.clear();
  algorithm_.clear();
  written_.clear();
  std::ranges::fill(current_, kNoIndex);
  std::ranges::fill(use_, 0U);
  std::ranges::fill(seen_, char{0});
  wanted_by_.assign(facts_.forward, kNoIndex);
  for (std::uint32_t x = 0; x < facts_.tensors; ++x) {
    if (facts_.is_input[x] != 0) open(x, current_[x]);
  }
  for (std::uint32_t task = 0; task < facts_.tasks; ++task) {
    now_ = task;
    if (!want_for(task)) return false;
    run_wanted(decisions);
    run_task(decisions, task);
    forget_passing(decisions, task);
  }
  return true;
}

void MixDecoder::open(std::uint32_t tensor, std::uint32_t& where) {
  where = static_cast<std::uint32_t>(list_.stays.size());
  list_.stays.push_back({TensorId{static_cast<std::int32_t>(tensor)}, list_.runs.size(), 0});
  written_.push_back(kNoIndex);
}

/// `idle`: the idle time that it ends, if any.
void MixDecoder::touch(std::uint32_t index, bool writes, std::uint32_t idle) {
  const std::size_t position = list_.runs.size();
  TensorStay& stay = list_.stays[index];
  if (idle != kNoIndex && stay.end > 0 && position > stay.end) {
    StayGap& gap = list_.gaps.emplace_back();
    gap.stay = index;
    gap.first = stay.end;
    gap.end = position;
    if (written_[index] != kNoIndex) gap.written = written_[index];
    idle_of_gap_.push_back(idle);
    repeated_.push_back(seen_[idle]);
    seen_[idle] = 1;
  }
  stay.end = position + 1;
  if (writes) written_[index] = static_cast<std::uint32_t>(position);
}

std::uint32_t MixDecoder::idle_now(std::uint32_t tensor) const {
  const std::uint32_t uses = use_[tensor];
  return uses == 0 ? kNoIndex : facts_.idle_after[tensor][uses - 1];
}

/// The same where it may be away meanwhile.
std::uint32_t MixDecoder::idle_now(const Decisions& decisions, std::uint32_t tensor) const {
  const std::uint32_t idle = idle_now(tensor);
  const bool stays = decisions.made_again_stays && idle != kNoIndex &&
                     decisions.treatment[idle] >= Treatment::kDrop;
  return stays ? kNoIndex : idle;
}

bool MixDecoder::want(std::uint32_t tensor) {
  const std::uint32_t piece = facts_.piece_of[tensor];
  if (piece == kNoIndex) return false;
  if (wanted_by_[piece] == now_) return true;
  wanted_by_[piece] = now_;
  waiting_.push_back(piece);
  return true;
}

/// All that has to run again before the task can: into batch_, in task order.
bool MixDecoder::want_for(std::uint32_t task) {
  batch_.clear();
  waiting_.clear();
  for (const TaskTouch& touched : facts_.touches[task]) {
    const bool missing = !touched.first && current_[touched.tensor] == kNoIndex;
    if (missing && !want(touched.tensor)) return false;
  }
  while (!waiting_.empty()) {
    const std::uint32_t piece = waiting_.back();
    waiting_.pop_back();
    for (const std::uint32_t again : facts_.piece_tasks[piece]) {
      batch_.push_back(again);
      for (const TaskTouch& touched : facts_.touches[again]) {
        const bool missing = !touched.first && current_[touched.tensor] == kNoIndex;
        if (!missing || facts_.piece_of[touched.tensor] == piece) continue;
        if (!want(touched.tensor)) return false;
      }
    }
  }
  std::ranges::sort(batch_);
  return true;
}

/// What is near already and made once more with the rest of its piece has a buffer of its own meanwhile.
void MixDecoder::run_wanted(const Decisions& decisions) {
  opened_.clear();
  for (const std::uint32_t task : batch_) {
    for (const TaskTouch& touched : facts_.touches[task]) {
      const std::uint32_t x = touched.tensor;
      if (touched.first) {
        open(x, passing_[x]);
        opened_.push_back(x);
      }
      if (passing_[x] != kNoIndex) {
        touch(passing_[x], touched.writes, kNoIndex);
      } else {
        touch(current_[x], touched.writes, idle_now(decisions, x));
      }
    }
    list_.runs.push_back({TaskId{static_cast<std::int32_t>(task)}, true, {}});
    algorithm_.push_back(decisions.algorithm[task]);
  }
  for (const std::uint32_t x : opened_) {
    if (current_[x] == kNoIndex) current_[x] = passing_[x];
    passing_[x] = kNoIndex;
  }
}

void MixDecoder::run_task(const Decisions& decisions, std::uint32_t task) {
  for (const TaskTouch& touched : facts_.touches[task]) {
    const std::uint32_t x = touched.tensor;
    if (touched.first) open(x, current_[x]);
    touch(current_[x], touched.writes, idle_now(decisions, x));
    const std::uint32_t idle = facts_.idle_after[x][use_[x]++];
    const bool ends = idle == kNoIndex ? use_[x] == facts_.uses[x].size()
                                       : decisions.treatment[idle] >= Treatment::kDrop;
    if (ends) current_[x] = kNoIndex;
  }
  list_.runs.push_back({TaskId{static_cast<std::int32_t>(task)}, false, {}});
  algorithm_.push_back(decisions.algorithm[task]);
}

/// Of what ran again for `task`, what nobody will want or what is to be made for each use.
void MixDecoder::forget_passing(const Decisions& decisions, std::uint32_t task) {
  for (const std::uint32_t x : opened_) {
    if (current_[x] == kNoIndex) continue;
    const std::uint32_t idle = idle_now(x);
    const bool used_again = use_[x] < facts_.uses[x].size();
    const bool each = idle != kNoIndex && decisions.treatment[idle] == Treatment::kDropEach;
    const bool used_now = use_[x] > 0 && facts_.uses[x][use_[x] - 1] == task;
    if ((!used_again && idle == kNoIndex) || (each && !used_now)) current_[x] = kNoIndex;
  }
  opened_.clear();
}

std::int64_t MixDecoder::compute_time() const {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < algorithm_.size(); ++i) {
    sum += facts_.algorithms[list_.runs[i].task.at()][algorithm_[i]].time;
  }
  return sum;
}

// --- placing

std::int64_t MixDecoder::gap_bytes(std::size_t gap) const {
  return facts_.bytes[list_.stays[list_.gaps[gap].stay].tensor.at()];
}

/// With everything away that can be.
bool MixDecoder::choose_algorithms() {
  const std::size_t positions = list_.runs.size();
  change_.assign(positions + 1, 0);
  for (const TensorStay& stay : list_.stays) {
    const std::int64_t bytes = facts_.bytes[stay.tensor.at()];
    change_[stay.first] += bytes;
    change_[stay.end] -= bytes;
  }
  for (std::size_t i = 0; i < list_.gaps.size(); ++i) {
    change_[list_.gaps[i].first] -= gap_bytes(i);
    change_[list_.gaps[i].end] += gap_bytes(i);
  }
  excess_.resize(positions);
  needed_.resize(positions);
  bool fits = room_ >= 0;
  std::int64_t near = 0;
  for (std::size_t i = 0; i < positions; ++i) {
    near += change_[i];
    TaskRun& run = list_.runs[i];
    const auto algorithms = facts_.algorithms[run.task.at()];
    while (near + algorithms[algorithm_[i]].workspace > room_ &&
           algorithm_[i] + 1U < algorithms.size()) {
      ++algorithm_[i];
    }
    run.algorithm = algorithms[algorithm_[i]].id;
    const std::int64_t need = near + algorithms[algorithm_[i]].workspace;
    needed_[i] = Bytes(need);
    excess_[i] = need - room_;
    fits = fits && need <= room_;
  }
  return fits;
}

/// By the time at which they end, then the latest to begin, or the first; they were found in the order of their ends.
void MixDecoder::order_gaps(bool first_left_first) {
  const std::size_t count = list_.gaps.size();
  order_.resize(count);
  for (std::size_t i = 0; i < count; ++i) order_[i] = static_cast<std::uint32_t>(i);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    const std::size_t first_a = list_.gaps[a].first;
    const std::size_t first_b = list_.gaps[b].first;
    return first_a != first_b ? (first_a > first_b) != first_left_first : a < b;
  };
  for (std::size_t i = 0; i < count;) {
    std::size_t end = i + 1;
    while (end < count && list_.gaps[end].end == list_.gaps[i].end) ++end;
    if (end - i > 1) {
      std::sort(order_.begin() + static_cast<std::ptrdiff_t>(i),
                order_.begin() + static_cast<std::ptrdiff_t>(end), before);
    }
    i = end;
  }
}

bool MixDecoder::is_wish(const Decisions& decisions, std::uint32_t gap) const {
  const Treatment treatment = decisions.treatment[idle_of_gap_[gap]];
  if (treatment >= Treatment::kDrop) return false;  // made again, and idle up to its use
  return repeated_[gap] != 0 || treatment == Treatment::kKeep;
}

bool MixDecoder::moves_anyway(const Decisions& decisions, std::uint32_t gap) const {
  return decisions.moves_anyway && repeated_[gap] == 0 &&
         decisions.treatment[idle_of_gap_[gap]] == Treatment::kMove;
}

bool MixDecoder::keep(std::uint32_t index) {
  const StayGap& gap = list_.gaps[index];
  const Bytes bytes(gap_bytes(index));
  if (ledger_.max(gap.first, gap.end) + bytes > Bytes(room_)) return false;
  ledger_.book(gap.first, gap.end, bytes);
  stays_[index] = 1;
  return true;
}

/// From the earliest position on from which there is room up to its end; it stays if that is the gap's first, unless it
/// is to move anyway.
void MixDecoder::return_early(std::uint32_t index, bool anyway, std::size_t& earliest) {
  const StayGap& gap = list_.gaps[index];
  const Bytes bytes(gap_bytes(index));
  const std::size_t last_use = gap.first - 1;
  std::size_t after = std::min(std::max(earliest, anyway ? gap.first : last_use), gap.end - 1);
  if (after + 1 < gap.end) {
    after = ledger_.last_above(after + 1, gap.end, Bytes(room_) - bytes).value_or(after);
  }
  ledger_.book(after + 1, gap.end, bytes);
  if (after == last_use) {
    stays_[index] = 1;
    return;
  }
  earliest = after;
  return_after_[index] = static_cast<std::uint32_t>(after);
}

bool MixDecoder::place(const Decisions& decisions, std::size_t not_before) {
  room_ = facts_.available - decisions.unused;
  if (!choose_algorithms()) return false;
  moves_.clear();
  const std::size_t count = list_.gaps.size();
  stays_.assign(count, 0);
  return_after_.resize(count);
  if (count == 0) return true;
  ledger_.reset(needed_);
  order_gaps(decisions.moves_anyway);
  if (!decisions.one_walk) {
    for (const std::uint32_t gap : order_) {
      if (is_wish(decisions, gap)) keep(gap);
    }
  }
  std::size_t earliest = not_before;
  std::size_t read_before = 0;
  for (const std::uint32_t gap : order_) {
    if (stays_[gap] != 0) continue;
    if (decisions.one_walk && is_wish(decisions, gap) && keep(gap)) continue;
    if (const std::size_t end = list_.gaps[gap].end; decisions.one_ahead && end != read_before) {
      if (read_before > 0) earliest = std::max(earliest, read_before - 1);
      read_before = end;
    }
    return_early(gap, moves_anyway(decisions, gap), earliest);
    if (stays_[gap] == 0) moves_.push_back({gap, return_after_[gap]});
  }
  return true;
}

bool MixDecoder::place_unmoved() {
  moves_.clear();
  stays_.assign(list_.gaps.size(), 1);
  room_ = facts_.available;
  if (!choose_algorithms()) return false;
  change_.assign(list_.runs.size() + 1, 0);
  for (std::size_t i = 0; i < list_.gaps.size(); ++i) {
    change_[list_.gaps[i].first] += gap_bytes(i);
    change_[list_.gaps[i].end] -= gap_bytes(i);
  }
  std::int64_t more = 0;
  for (std::size_t i = 0; i < excess_.size(); ++i) {
    more += change_[i];
    if (excess_[i] + more > 0) return false;
  }
  return true;
}

std::optional<OutOfMemory> MixDecoder::shortage(Away away) const {
  std::vector<std::size_t> gaps;
  if (away == Away::kAll) {
    for (std::size_t i = 0; i < list_.gaps.size(); ++i) gaps.push_back(i);
  }
  PlanningProblem as_run = facts_.problem;
  std::vector<AlternativeId> algorithms;
  for (std::size_t t = 0; t < facts_.tasks; ++t)
    algorithms.push_back(facts_.algorithms[t].back().id);
  as_run.by_task = &algorithms;
  return run_shortage(as_run, list_, footprint_of(as_run, list_, gaps));
}

// --- the plan

const Plan& MixDecoder::build() { return planner_.build(list_, moves_); }

Plan MixDecoder::build_once() && { return std::move(planner_).build_once(list_, moves_); }

}  // namespace ooc
