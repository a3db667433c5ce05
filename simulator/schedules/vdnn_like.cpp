// vdnn-like: OOC-Paleo's abstraction of vDNN. Everything that backward reads of the forward pass
// goes out one layer after it was written and comes back one layer before it is read; a barrier
// after every layer. The baseline whose total has a closed form (docs/model.md, 4).
//
// Example, four layers a b c d, each 50 ms forward and 100 ms backward, outputs of 1 GB saved, a copy takes 100 ms:
//
//     section   1    2    3    4    5    6    7    8    9   10
//     compute   a.fw b.fw c.fw d.fw -    -    d.bw c.bw b.bw a.bw
//     to_far    -    a    b    c    d    -    -    -    -    -
//     to_near   -    -    -    -    -    d    c    b    a    -
//     ms        50   100  100  100  100  100  100  100  100  100      = 950 ms (in-core: 600)
//
// A section is one layer's forward task, or all backward tasks of one layer. A tensor that an
// in-place layer overwrites goes out after that layer; a tensor with further forward readers stays
// near until the section of the last of them. Network inputs are dropped (far memory has them) and
// fetched again. From its first to its last backward reader a tensor stays. Gradients never move.
//
// When it does not help: when copies take longer than layers, every section waits for its copy; and
// it moves everything even if nothing needs to move, so with memory to spare it only costs time.
//
// Source: OOC-Paleo, section 3.4, equations (7) to (9) with the fill term before the first section. Deviations: the
// paper treats chains; skips, several tensors per layer and inputs are read as above.
#include "simulator/schedules/vdnn_common.hpp"

namespace ooc {
namespace {

PlanResult plan_vdnn_like(const PlanningProblem& problem) {
  const TrainingGraph& graph = problem.graph;
  std::vector<bool> moves(graph.tensors.size());
  for (std::size_t i = 0; i < moves.size(); ++i) moves[i] = is_saved(graph, make_id<TensorId>(i));

  // Forward, then a section for what the last layer wrote, then one for what backward reads first.
  const std::size_t forward = graph.forward_tasks;
  std::vector<Section> sections = forward_sections(graph);
  sections.push_back({.first_task = forward, .end_task = forward});
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const auto& writer = graph.lifetimes[i].last_writer;
    if (moves[i] && writer) sections[writer->at() + 1].to_far.push_back(make_id<TensorId>(i));
  }
  sections.push_back({.first_task = forward, .end_task = forward});
  for (Section& section : backward_sections(graph)) {
    sections.back().to_near = take_reads(graph, section, moves);
    sections.push_back(std::move(section));
  }
  append_updates(graph, sections);
  return plan_sections(problem, sections);
}

}  // namespace

extern const Schedule vdnn_like_schedule{
    .name = "vdnn-like",
    .summary = "move everything that backward reads, one layer ahead, a barrier after every layer",
    .source = "OOC-Paleo, section 3.4",
    .options = kAlgorithmsAlone,
    .closed_form = ClosedForm::kVdnnLike,
    .make_plan = plan_vdnn_like,
};

}  // namespace ooc
