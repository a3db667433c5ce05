// capacity: keep near what can stay, move the rest, and bring it back as early as memory allows. No barriers: backward
// starts at once with what was kept, copies in run ahead of it in order, and a used buffer is dropped, not written back.
//
// How early "as memory allows" is must be decided before anything runs, or tomorrow's tensors fill the memory that
// today's task needs and the run stands still. So the plan is made on a ledger of the bytes that every task must find
// (memory_ledger.hpp): what it reads and writes, its workspace, and every tensor that is alive across it and does not
// move. Candidates to move are the tensors with a gap between their last forward and their first backward use. Nearest
// use first, each gets the longest stay the ledger has room for: the smallest position t from which on it fits, never
// before the t of the last one that moves (copies in run in order). A candidate whose t is its last forward use never
// leaves. From the first one that cannot stay on, all move; on a chain that is "keep the longest suffix".
//
// Example, four layers a b c d, outputs of 1 GB saved for backward, network input 1 GB. GB that the
// tasks need if all candidates (c, b, a: d is read at once) move, and with c, then b booked for M = 4:
//
//     task             a.fw b.fw c.fw d.fw d.bw c.bw b.bw a.bw
//     all moved           2    2    2    2    2    3    3    2   smallest budget: 3 GB
//     c from c.fw on      2    2    2    2    3    3    3    2   c is read by d.fw: t = d.fw, it stays
//     b from d.fw on      2    2    2    3    4    4    3    2   t = c.fw = last forward use: it stays
//     a after c.bw        2    2    2    3    4    4    4    2   no room for a in c.bw: it moves
//
// At 4 GB one tensor moves, a, and its copies hide completely; in-core needs 5 GB.
//
// When it does not help: when one task alone exceeds the budget; when the link is so slow that the
// forward pass waits for copies out (recomputation is then cheaper); on networks with skips, where
// which tensors to keep is a knapsack and "nearest first" is only a good guess.
//
// Source: OOC-Paleo, section 3.5, capacity-based prefetching, read as in docs/architecture.md 4. Deviation: the paper
// keeps whole layers of a chain; here any tensor of any graph with skips is a candidate. Anomalies (more memory, yet
// slower) exist on graphs with skips, none was found on chains; a case is kept in tests/golden.
#include <algorithm>

#include "simulator/plan/memory_ledger.hpp"
#include "simulator/schedules/move_candidates.hpp"
#include "simulator/schedules/task_plan.hpp"

namespace ooc {
namespace {

/// The walk over the candidates: books every stay, returns what has to move.
std::vector<Move> choose_moves(const PlanningProblem& problem, MemoryLedger ledger,
                               const std::vector<TensorId>& candidates) {
  const Bytes available = problem.budget - problem.costs.static_bytes;
  std::vector<Move> moves;
  std::size_t earliest = 0;
  for (const TensorId tensor : candidates) {
    const Lifetime& life = problem.graph.lifetimes[tensor.at()];
    const Bytes bytes = problem.costs.tensor_bytes[tensor.at()];
    const std::size_t last_forward = life.last_forward_use->at();
    const std::size_t needed = life.first_backward_use->at();
    const std::size_t from = std::max(earliest, last_forward);
    const std::size_t t = ledger.last_above(from + 1, needed, available - bytes).value_or(from);
    ledger.book(t + 1, needed, bytes);
    if (moves.empty() && t == last_forward) continue;  // stays; no copy in for the others to follow
    earliest = t;
    moves.push_back({.tensor = tensor, .may_return_after = make_id<TaskId>(t)});
  }
  return moves;
}

PlanResult plan_capacity(const PlanningProblem& problem) {
  const std::vector<TensorId> candidates = find_candidates(problem);
  std::vector<Bytes> needed;
  {
    const Footprint footprint = footprint_without(problem, candidates);
    if (auto shortage = task_shortage(problem, footprint)) return *std::move(shortage);
    needed = footprint.bytes();
  }
  // Neither footprint nor ledger is left when the plan takes its memory.
  const std::vector<Move> moves = choose_moves(problem, MemoryLedger(needed), candidates);
  return build_task_plan(problem, moves);
}

constexpr std::string_view kCapacityOptions[] = {"--algorithms", "--only"};

}  // namespace

extern const Schedule capacity_schedule{
    .name = "capacity",
    .summary = "keep what fits, move the rest, bring it back as early as memory allows",
    .source = "OOC-Paleo, section 3.5",
    .traits = {Trait::kCarriesState, Trait::kMovesOnlyWhatItMust},
    .options = kCapacityOptions,
    .closed_form = ClosedForm::kCapacity,
    .make_plan = plan_capacity,
};

}  // namespace ooc
