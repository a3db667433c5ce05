// vdnn++: vDNN without its barriers. What moves is what vdnn-all moves; what waits is less:
//
// * Forward waits for the layer before only. X's copy out starts with the layer that reads X last,
//   and X is freed when both have ended; a layer that finds no room waits until such a free makes it.
// * At the turn one barrier stays: all copies out end before the loss (without one: before backward).
// * Backward waits only for the copy in of what it reads now. One copy ahead per layer is asked for
//   when the layer starts, found by vDNN's search (vdnn_common.cpp).
//
// Example, four custom layers a b c d that save their outputs (1 GB each, 50 ms forward, 100 ms
// backward, a copy takes 100 ms); a and b move, as under vdnn-all:
//
//     compute   a.fw b.fw c.fw d.fw | d.bw c.bw b.bw a.bw
//     to_far         a---------|b---------|
//     starts    0    50   100  150  | 250  350  450  550        = 650 ms (vdnn-all: 700)
//
// a goes out from 50 to 150, b from 150 to 250: the layers do not wait, the turn does. b returns
// beside d.bw (250 to 350), a beside c.bw.
//
// When it does not help: where the link is slower than forward as a whole, the barrier at the turn collects what the layers
// no longer wait for; with little memory layers wait for copies after all. And it moves data even if everything fits.
//
// `--far-compression R`: tensors are kept R times smaller in far memory; they cross the link as they are.
//
// Source: OOC-Paleo, section 2.1, on Shriram et al., "Dynamic Memory Management for GPU-based training of Deep Neural
// Networks" (vDNN++, IPDPS 2019). Deviation: what fits is decided on a ledger of tasks at plan time (memory_ledger.hpp
// says why), with copies ahead counted from when they are asked for, so that no allocation can block for ever.
#include <algorithm>
#include <string>

#include "simulator/schedules/move_candidates.hpp"
#include "simulator/schedules/task_plan.hpp"
#include "simulator/schedules/vdnn_common.hpp"

namespace ooc {
namespace {

constexpr std::int64_t kLargestCompression = 1000;

void check_options(const ScheduleOptions& options) {
  const Ratio ratio = options.far_compression;
  if (ratio >= kOne && ratio.count() <= kLargestCompression * kOne.count()) return;
  bad_value("--far-compression", std::to_string(static_cast<double>(ratio.count()) / 1e9),
            "a number from 1 to 1000");
}

TaskId before(std::size_t task) { return make_id<TaskId>(task > 0 ? task - 1 : 0); }

/// In the order of their first backward use.
std::vector<Move> find_moves(const TrainingGraph& graph) {
  const std::vector<bool> flagged = vdnn_flags(graph, &LayerModel::is_feature_extractor);
  std::vector<Move> moves;
  for (const Section& section : vdnn_sections(graph, flagged)) {
    for (const TensorId tensor : section.to_near) {
      const Lifetime& life = graph.lifetimes[tensor.at()];
      moves.push_back({.tensor = tensor,
                       .may_return_after = before(section.first_task),
                       .leaves_after = before(life.last_forward_use->at())});
    }
  }
  std::ranges::stable_sort(moves, {}, [&](const Move& each) {
    return *graph.lifetimes[each.tensor.at()].first_backward_use;
  });
  // The queue is in order: what stands behind another copy starts no earlier.
  for (std::size_t i = 1; i < moves.size(); ++i) {
    moves[i].may_return_after = std::max(moves[i].may_return_after, moves[i - 1].may_return_after);
  }
  return moves;
}

std::optional<TaskId> turn_of(const TrainingGraph& graph) {
  if (graph.forward_tasks == 0) return std::nullopt;
  const TaskId last = make_id<TaskId>(graph.forward_tasks - 1);
  const LayerId layer = graph.tasks[last.at()].layer;
  if (graph.network->layers[layer.at()].model->is_loss) return last;
  if (graph.forward_tasks == graph.tasks.size()) return std::nullopt;
  return make_id<TaskId>(graph.forward_tasks);
}

PlanResult plan_vdnnpp(const PlanningProblem& problem) {
  check_options(problem.options);
  const TrainingGraph& graph = problem.graph;
  const std::vector<Move> moves = find_moves(graph);
  std::vector<std::optional<TaskId>> back(graph.tensors.size());
  for (const Move& move : moves) {
    back[move.tensor.at()] = make_id<TaskId>(move.may_return_after.at() + 1);
  }
  if (auto shortage = task_shortage(problem, footprint_between(problem, back))) {
    return *std::move(shortage);
  }
  Plan plan = build_task_plan(problem, moves, turn_of(graph));
  plan.far_compression = problem.options.far_compression;
  return plan;
}

constexpr std::string_view kVdnnppOptions[] = {"--algorithms", "--far-compression"};

}  // namespace

extern const Schedule vdnnpp_schedule{
    .name = "vdnn++",
    .summary = "vdnn-all without its barriers: layers wait for what they need, copies out for none",
    .source = "OOC-Paleo, section 2.1; Shriram et al., vDNN++ (IPDPS 2019)",
    .options = kVdnnppOptions,
    .make_plan = plan_vdnnpp,
};

}  // namespace ooc
