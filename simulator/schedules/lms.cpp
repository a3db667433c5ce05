// lms: large model support as IBM's authors describe it. Timing analysis of the data-flow graph, as
// for digital circuits, says how long each tensor waits for its reader; those that wait longest are
// swapped, no more of them than needed, and they come back one after the other.
//
// Every task takes one unit. A task can start (TRT) when the last of its inputs has arrived, and its outputs arrive (TAT)
// one unit later; the slack of a tensor is the TRT of the first backward task that reads it less its own TAT. Candidates
// come longest slack first, of equals the largest, of equals in order of the graph. --max-swaps N swaps the first N of
// them; without it the smallest number is taken that fits, found by bisection: swapping one more never needs more memory.
//
// A restoration serves all backward tasks that read the tensor. With --restore-per-reader it comes back for each of
// them and is gone in between. (The convolution behind and the activation itself both read an activation's output.)
//
// Partial serialisation: a reader waits for its own restoration (the copy in), and a restoration
// begins only when the tensor restored before it has been used for the last time, so that no two of
// them are near together. Where the one before is still used when the next one is read, that cannot
// be: the next then follows its first use. The first restoration begins at the turn. Where memory has
// no room for a restoration so early it begins after the first task behind which there is room.
//
// Example, four layers a b c d, outputs of 1 GB saved for backward, network input 1 GB:
//
//     task       a.fw b.fw c.fw d.fw d.bw c.bw b.bw a.bw
//     TAT           1    2    3    4    5    6    7    8
//     reads saved                   d:0  c:2  b:4  a:6     tensor: slack (a: TRT 7 - TAT 1)
//     GB, none moved  2  2    3    4    5    5    4    2
//     GB, a moved     2  2    2    3    4    4    3    2
//
// In 4 GB one swap is enough, a; there is room for its return after c.bw: 600 ms if a copy takes
// 100 ms, as with enough memory. If all three move (--max-swaps 3), the chain is c, b after c.bw,
// a after b.bw: each copy runs alone and is waited for, 950 ms.
//
// When it does not help: where copies could hide: on a chain of layers a serialised restoration hides
// behind nothing but the tasks between two saved tensors. Where slack in units misleads: a long
// series of quick layers looks longer than one slow convolution.
//
// --lms-action compress and both: lms_compress.cpp.
//
// Source: Janssen, Zolotov, Le, Large Data Flow Graphs in Limited GPU Memory (IBM). Whether its pairs of
// nodes serve one reader or all it does not say: its rates on PCIe are those of one return
// (docs/notebook/0060); TFLMS, IBM's program, brings a tensor back for each reader unless it is told to fuse
// swap-ins. Deviations: a tensor leaves once, between the forward and the backward pass, so that slack is counted up to the first
// backward reader and edges within one pass are no candidates; memory is planned as if it stayed from
// its first to its last backward reader. The automatic number is ours; the paper's user finds it by
// trying. A layer's backward tasks start no earlier than its forward task ends, also where no tensor says so.
#include <span>

#include "model/base/errors.hpp"
#include "simulator/schedules/lms_compress.hpp"
#include "simulator/schedules/move_candidates.hpp"
#include "simulator/schedules/own_options.hpp"

namespace ooc {
namespace {

/// Do the tasks fit when the first `count` of the ranked tensors are away? `none_away`: what they need when none is.
bool fits(const PlanningProblem& problem, const std::vector<Bytes>& none_away,
          const std::vector<TensorId>& ranked, std::size_t count) {
  std::vector<Bytes> away(none_away.size() + 1);  // by task: bytes more than before it
  for (const TensorId tensor : std::span(ranked).first(count)) {
    const Lifetime& life = problem.graph.lifetimes[tensor.at()];
    const Bytes bytes = problem.costs.tensor_bytes[tensor.at()];
    away[life.last_forward_use->at() + 1] += bytes;
    away[life.first_backward_use->at()] -= bytes;
  }
  const Bytes available = problem.budget - problem.costs.static_bytes;
  Bytes sum;
  for (std::size_t task = 0; task < none_away.size(); ++task) {
    sum += away[task];
    if (none_away[task] - sum > available) return false;
  }
  return true;
}

/// The smallest number of swaps that fits. Precondition: all of them together fit.
std::size_t fewest_swaps(const PlanningProblem& problem, const std::vector<TensorId>& ranked) {
  const std::vector<Bytes> none_away = footprint_without(problem, {}).bytes();
  const auto fewest = nearest_that_fits(std::ptrdiff_t{-1}, std::ssize(ranked), [&](auto count) {
    return fits(problem, none_away, ranked, static_cast<std::size_t>(count));
  });
  return static_cast<std::size_t>(fewest);
}

PlanResult plan_lms(const PlanningProblem& problem) {
  check_lms_options(problem.options);
  OOC_CHECK(problem.options.lms_action == LmsAction::kSwap, "others plan about another graph");
  std::vector<TensorId> ranked = rank_for_lms(problem);
  const auto limit = static_cast<std::size_t>(
      problem.options.own->max_swaps.value_or(static_cast<std::int64_t>(ranked.size())));
  if (limit < ranked.size()) ranked.resize(limit);
  const Footprint least = footprint_without(problem, ranked);
  if (auto shortage = task_shortage(problem, least)) return *std::move(shortage);
  if (!problem.options.own->max_swaps) ranked.resize(fewest_swaps(problem, ranked));
  return plan_moving(
      problem, ranked,
      problem.options.own->restore_per_reader ? Returns::kForEachReader : Returns::kOnce);
}

constexpr std::string_view kLmsOptions[] = {"--algorithms", "--max-swaps", "--lms-action",
                                            "--restore-per-reader"};

}  // namespace

extern const Schedule lms_schedule{
    .name = "lms",
    .summary = "swap the tensors with the longest slack, as few as fit; they return one by one",
    .source = "Janssen, Zolotov, Le, Large Data Flow Graphs in Limited GPU Memory",
    .traits = {Trait::kCarriesState, Trait::kCompresses, Trait::kMovesOnlyWhatItMust},
    .options = kLmsOptions,
    .make_plan = plan_lms,
};

}  // namespace ooc
