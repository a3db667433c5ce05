// superneurons: recompute what is cheap, and move the checkpoints that then still do not fit, through a cache: nothing
// is copied while everything fits, and what has not been used for longest goes first.
//
// Which segments are dropped, and how each is computed again, is recompute's business (recompute.cpp,
// --recompute). Only where all of them dropped do not suffice do checkpoints move; a segment that even
// then has no room to be computed again is not dropped, its tensors move too. The cache is walked along the tasks: where
// one does not fit, the tensor whose last use is longest ago leaves, of those that backward wants again (and no task before
// it). As it is known beforehand who will leave, its copy out starts with its last writer's end, beside the tasks that
// follow. In backward a tensor comes back one checkpoint ahead: its copy may start with the first task that uses the
// checkpoint needed before it, or as soon after that as memory has room for it (booked on the ledger, as capacity does, so
// that no copy starves a task).
//
// Example, seven layers: linear a c e g, gelu b d f between them; outputs of 4 words, data x and g of
// 1; capitals are gradients. Segments {b}, {d}, {f} are dropped; words that tasks need with all
// checkpoints near, and with all of them away while nobody uses them:
//
//     task     a b c  d  e  f  g  g_d f+ g_w f  e_d d+ e_w d  c_d b+ c_w b  a_w    (+: again)
//     near     5 9 13 13 17 17 18 17  21 21  21 17  21 21  17 13  17 17  13 5
//     away     5 8 8  8  8  8  5  4   12 12  12 8   16 16  12 8   16 16  12 5
//
// In 17 words: g.fw lacks 1, so x leaves (it is an input: no copy out). Computing f again lacks 3: a leaves. Both
// return: a was to come with d+, which uses c, but there is room for its 4 words only after e_w; x comes with b+, which
// uses a. In 15 words {d} and {b} are kept, and move, so it goes on down to what single tasks need: 12.
//
// When it does not help: where copies are slower than the tasks behind them (the cache says who leaves, not whether that
// pays); where a skip's tensor takes its place all through the forward pass: tensors leave only between the two passes.
//
// The paper takes the first plan that it finds by these rules. Recomputing costs the same on any link, though, and
// where all segments dropped suffice there may be room for nothing else, so that a faster link or more memory would be
// of no use, or less memory, in which segments are kept for lack of room, of more. So its plan is tried against those
// that drop none, 1/8, 2/8 ... of the segments, cheapest first, and move what then does not fit, then against plans for
// a little less memory, and the quickest is taken (ours; docs/notebook/0015-plans-by-trial.md).
//
// Source: Wang et al., SuperNeurons (PPoPP 2018): liveness analysis, the unified tensor pool with its
// tensor cache (least recently used), and cost-aware recomputation, section 3.
// Deviations: the paper decides while it runs and evicts when an allocation fails; here the same
// decision is known before, so the copy out need not wait for it. It drops all segments whatever
// fits; here only as many as suffice, or as are quickest. Tensors do not leave between two uses of the forward pass.
#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "model/base/errors.hpp"
#include "simulator/plan/memory_ledger.hpp"
#include "simulator/schedules/recompute_choice.hpp"
#include "simulator/schedules/task_plan.hpp"

namespace ooc {
namespace {

/// Passes in which only the segments that make the plan too large are kept; after them all are.
constexpr int kPasses = 16;
/// Tried: none of the segments dropped, so many parts of them, all.
constexpr std::size_t kParts = 8;
/// Tried: less memory, from what keeps all near downwards by this factor ...
constexpr double kTrialMemoryStep = 1.1;
/// ... as far as the memory at hand divided by this one.
constexpr double kTrialMemoryReach = 1.5;

/// All gaps, by the time at which backward wants their tensors again.
std::vector<std::size_t> gaps_by_end(const RunList& list) {
  std::vector<std::size_t> gaps(list.gaps.size());
  std::iota(gaps.begin(), gaps.end(), std::size_t{0});
  std::ranges::sort(gaps, {}, [&](std::size_t each) {
    const StayGap& gap = list.gaps[each];
    return std::tuple(gap.end, -static_cast<std::ptrdiff_t>(list.stays[gap.stay].first), gap.stay);
  });
  return gaps;
}

Bytes bytes_of(const PlanningProblem& problem, const RunList& list, std::size_t gap) {
  return problem.costs.tensor_bytes[list.stays[list.gaps[gap].stay].tensor.at()];
}

/// The cache along the runs: who leaves, by gap.
std::vector<bool> evict(const PlanningProblem& problem, const RunList& list,
                        const std::vector<std::size_t>& gaps) {
  std::vector<std::size_t> oldest = gaps;  // by last use: the order in which they would leave
  std::ranges::sort(oldest, {}, [&](std::size_t each) {
    return std::pair(list.gaps[each].first, list.gaps[each].stay);
  });
  const Bytes available = problem.budget - problem.costs.static_bytes;
  const std::vector<Bytes> needed = footprint_of(problem, list).bytes();
  std::vector<Bytes> back(needed.size() + 1);  // by position: bytes that return there
  std::vector<bool> leaves(list.gaps.size());
  Bytes away;
  std::size_t next = 0;
  for (std::size_t position = 0; position < needed.size(); ++position) {
    away -= back[position];
    for (; needed[position] - away > available && next < oldest.size(); ++next) {
      const StayGap& gap = list.gaps[oldest[next]];
      if (gap.first > position) break;
      if (gap.end <= position) continue;
      const Bytes bytes = bytes_of(problem, list, oldest[next]);
      leaves[oldest[next]] = true;
      away += bytes;
      back[gap.end] += bytes;
    }
  }
  return leaves;
}

std::vector<GapMove> prefetch(const PlanningProblem& problem, const RunList& list,
                              const std::vector<std::size_t>& gaps) {
  const std::vector<bool> leaves = evict(problem, list, gaps);
  std::vector<std::size_t> away;
  for (const std::size_t gap : gaps) {
    if (leaves[gap]) away.push_back(gap);
  }
  MemoryLedger ledger(footprint_of(problem, list, away).bytes());
  const Bytes available = problem.budget - problem.costs.static_bytes;
  std::vector<GapMove> moves;
  std::size_t earliest = list.forward_runs - 1;
  std::size_t use_ahead = list.forward_runs;  // of the checkpoint needed before this one
  std::size_t latest_use = list.forward_runs;
  for (const std::size_t index : gaps) {
    const StayGap& gap = list.gaps[index];
    if (gap.end > latest_use) use_ahead = std::exchange(latest_use, gap.end);
    if (!leaves[index]) continue;
    const Bytes bytes = bytes_of(problem, list, index);
    const std::size_t from = std::max(earliest, use_ahead - 1);
    const std::size_t t = ledger.last_above(from + 1, gap.end, available - bytes).value_or(from);
    ledger.book(t + 1, gap.end, bytes);
    earliest = t;
    moves.push_back({.gap = index, .may_return_after = t});
  }
  return moves;
}

/// Keeps the segments that are near, or being computed, again where too much is; false if there is none.
bool keep_what_is_in_the_way(const PlanningProblem& problem, const Segments& segments,
                             const RunList& list, const Footprint& footprint,
                             std::vector<SegmentUse>& uses) {
  const Bytes available = problem.budget - problem.costs.static_bytes;
  const std::vector<Bytes> sums = footprint.bytes();
  std::vector<std::size_t> above(sums.size() + 1);  // how many positions before this one exceed
  std::vector<std::size_t> series(sums.size());     // where a run of repeated tasks began
  for (std::size_t i = 0; i < sums.size(); ++i) {
    above[i + 1] = above[i] + (sums[i] > available ? 1 : 0);
    series[i] = i > 0 && list.runs[i - 1].again ? series[i - 1] : i;
  }
  bool found = false;
  for (const TensorStay& stay : list.stays) {
    const auto& segment = segments.of_tensor[stay.tensor.at()];
    if (!segment || !list.runs[stay.first].again) continue;
    if (above[stay.end] == above[series[stay.first]]) continue;
    uses[*segment] = SegmentUse::kKept;
    found = true;
  }
  return found;
}

/// No plan of the list is quicker: what it computes, one after the other.
Duration least_time(const PlanningProblem& problem, const RunList& list) {
  Duration sum;
  for (const TaskRun& run : list.runs) sum += problem.costs[run.algorithm].time;
  return sum;
}

/// With copies: as many segments dropped as leave room for being computed again. None where that takes `limit` or longer
/// even if copies cost nothing.
std::optional<Plan> plan_with_copies(const PlanningProblem& problem, const Segments& segments,
                                     std::vector<SegmentUse> uses, std::optional<Duration> limit) {
  for (int pass = 1;; ++pass) {
    OOC_CHECK(pass <= kPasses + 1, "with nothing dropped it fits");
    const RunList list = list_runs(problem, segments, uses);
    const std::vector<std::size_t> gaps = gaps_by_end(list);
    const Footprint footprint = footprint_of(problem, list, gaps);
    if (fits(problem, footprint)) {
      if (limit && least_time(problem, list) >= *limit) return std::nullopt;
      return build_run_plan(problem, list, prefetch(problem, list, gaps));
    }
    const bool fewer = keep_what_is_in_the_way(problem, segments, list, footprint, uses);
    if (!fewer || pass == kPasses) uses.assign(uses.size(), SegmentUse::kKept);
  }
}

/// As many segments dropped as suffice; where all do not, checkpoints move.
std::optional<Plan> plan_by_rule(const PlanningProblem& problem, const Segments& segments,
                                 const std::vector<std::vector<SegmentUse>>& sets,
                                 std::optional<Duration> limit) {
  for (const std::vector<SegmentUse>& most : sets) {
    if (!fits(problem, footprint_of(problem, list_runs(problem, segments, most)))) continue;
    const RunList list = drop_fewest(problem, segments, most);
    if (limit && least_time(problem, list) >= *limit) return std::nullopt;
    return build_run_plan(problem, list);
  }
  return plan_with_copies(problem, segments, sets.front(), limit);
}

Bytes largest_of(const Footprint& footprint) {
  Bytes largest;
  for (const Bytes bytes : footprint.bytes()) largest = std::max(largest, bytes);
  return largest;
}

/// Sizes of memory below the one at hand, which only says which of them take part. `most` is what all that stays
/// near needs, `least` what suffices.
std::vector<Bytes> less_memory(const PlanningProblem& problem, Bytes least, Bytes most) {
  const Bytes available = problem.budget - problem.costs.static_bytes;
  const double reach = static_cast<double>(available.count()) / kTrialMemoryReach;
  std::vector<Bytes> memories;
  auto size = static_cast<double>(most.count());
  while (size > reach) {
    const Bytes memory(static_cast<std::int64_t>(size));
    if (memory < least) break;
    if (memory < available) memories.push_back(memory);
    size /= kTrialMemoryStep;
  }
  return memories;
}

/// The paper's plan, or the quickest of those that drop other numbers of segments, and of plans for less memory;
/// of equals the first.
class SuperneuronsTrials {
 public:
  SuperneuronsTrials(const PlanningProblem& problem, const Segments& segments)
      : problem_(problem), segments_(segments) {}

  Plan run(Bytes least, Bytes most) && {
    const std::vector<std::vector<SegmentUse>> sets = sets_to_drop(problem_, segments_);
    attempt(plan_by_rule(problem_, segments_, sets, best_.time));
    std::vector<SegmentUse> best_uses = sets.front();
    for (const std::vector<SegmentUse>& set : sets) {
      const std::vector<std::size_t> order = cheapest_first(segments_, set);
      std::optional<std::size_t> tried;
      for (std::size_t part = 0; part <= kParts; ++part) {
        const std::size_t count = order.size() * part / kParts;
        if (count == tried) continue;
        tried = count;
        std::vector<SegmentUse> uses = drop_first(order, count, set);
        if (attempt(plan_with_copies(problem_, segments_, uses, best_.time)))
          best_uses = std::move(uses);
      }
    }
    PlanningProblem smaller = problem_;
    for (const Bytes memory : less_memory(problem_, least, most)) {
      smaller.budget = problem_.costs.static_bytes + memory;
      attempt(plan_by_rule(smaller, segments_, sets, best_.time));
      attempt(plan_with_copies(smaller, segments_, best_uses, best_.time));
    }
    return *std::move(best_.plan);
  }

 private:
  bool attempt(std::optional<Plan> plan) { return plan && best_.offer(problem_, *std::move(plan)); }

  const PlanningProblem& problem_;
  const Segments& segments_;
  Quickest best_;
};

PlanResult plan_superneurons(const PlanningProblem& problem) {
  const Segments segments = find_segments(problem);
  const std::vector<SegmentUse> nothing(segments.list.size(), SegmentUse::kKept);
  const RunList kept = list_runs(problem, segments, nothing);
  if (fits(problem, footprint_of(problem, kept))) return build_task_plan(problem, {});
  const Footprint moved = footprint_of(problem, kept, gaps_by_end(kept));
  if (auto shortage = run_shortage(problem, kept, moved)) return *std::move(shortage);

  return SuperneuronsTrials(problem, segments)
      .run(largest_of(moved), largest_of(footprint_of(problem, kept)));
}

constexpr std::string_view kSuperneuronsOptions[] = {"--algorithms", "--recompute"};

}  // namespace

extern const Schedule superneurons_schedule{
    .name = "superneurons",
    .summary = "recompute what is cheap; checkpoints that do not fit leave, longest unused first",
    .source = "SuperNeurons (PPoPP 2018), section 3",
    .traits = {Trait::kCarriesState, Trait::kRecomputes, Trait::kMovesOnlyWhatItMust,
               Trait::kPlansForLink, Trait::kSearchesByTrial},
    .options = kSuperneuronsOptions,
    .make_plan = plan_superneurons,
};

}  // namespace ooc
