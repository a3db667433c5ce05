// recompute: what is cheap to compute is dropped after the forward pass has used it and computed
// again when backward wants it. No byte moves; the price is paid on the compute queue.
//
// Outputs of layers that multiply (convolutions, linear layers, matrix products, attention,
// recurrent steps) and of custom layers are checkpoints, which stay for as long as backward or a
// recomputation needs them. The layers between two checkpoints form a segment (segments.hpp says
// how, on any graph). --recompute speed: when backward first reads something of a segment, all of it
// is computed again, once, and each tensor then stays up to its last use. --recompute memory: each
// backward task gets what it reads computed from the checkpoint, and drops it. --recompute cost
// (default): once for segments that, kept at once, need no more than the largest task needs anyway,
// so that they cannot raise the peak; from the checkpoint for every use for the others. Where
// everything fits nothing is dropped; else as few segments as suffice, those first that give back
// the most bytes for their time.
//
// Example, four layers: a linear, b gelu, c gelu, d linear with a custom loss of no size behind it, all
// outputs 1 GB, b and c 10 ms forward. Gelus and linear layers save their inputs: b.bw reads a, c.bw
// reads b, d.bw_w reads c. (Gradients beside that; the input of a is not counted.)
//
//     GB of a b c d    d.fw  d.bw_w  c.bw  b.bw
//     in-core          a b c d   a b c   a b   a
//     dropped          a c d     a + ...                     b and c are one segment behind a
//     speed: b, c again before d.bw_w:   a b c   a b   a     20 ms, peak as in-core's in backward
//     memory: b, c again before d.bw_w:  a c     then b again before c.bw: a b      30 ms
//
// So with one long segment between the checkpoints the speed-centric way only relieves the time in
// between; with many segments, all but one are away at any time and the peak falls by them.
//
// When it does not help: where the checkpoints themselves are too large (superneurons moves them);
// where outputs between the checkpoints are smaller than what they are computed from (an average
// pool that shrinks its input: kept here); chains of custom layers, where all are checkpoints.
// A dense block's concatenations feed later segments, so they count as checkpoints: less is saved
// there than a recomputation made for that network would save.
//
// Contents: a recomputed dropout draws the same mask again (its generator is seeded per layer and
// iteration, as PyTorch's checkpointing restores the generator's state); a mask whose dropout
// overwrites a checkpoint in place stays. A recomputed batch norm has the same batch, so the same
// statistics; its running averages must be updated by the first run only.
//
// Source: Wang et al., SuperNeurons (PPoPP 2018), section 3.4, cost-aware recomputation; the idea:
// Chen et al., Training Deep Nets with Sublinear Memory Cost (2016). Deviations: checkpoints are
// recognised by their work, not by a list of kinds; what fits is not dropped (SuperNeurons always
// drops); a saved value that a later segment reads is a checkpoint; segments end after 32 layers; a
// value that the next backward task reads again is not dropped in between.
#include "simulator/schedules/recompute_choice.hpp"
#include "simulator/schedules/task_plan.hpp"

namespace ooc {
namespace {

PlanResult make_plan(const PlanningProblem& problem) {
  const Segments segments = find_segments(problem);
  const std::vector<SegmentUse> nothing(segments.list.size(), SegmentUse::kKept);
  const RunList kept = list_runs(problem.graph, segments, nothing);
  auto shortage = run_shortage(problem, kept, footprint_of(problem, kept));
  if (!shortage) return build_task_plan(problem, {});

  const std::vector<SegmentUse> all = uses_when_dropped(problem, segments);
  const RunList dropped = list_runs(problem.graph, segments, all);
  if (auto least = run_shortage(problem, dropped, footprint_of(problem, dropped))) {
    return lesser_shortage(*std::move(shortage), *std::move(least));
  }
  return build_run_plan(problem, drop_fewest(problem, segments, all));
}

constexpr std::string_view kOptions[] = {"--algorithms", "--recompute"};

}  // namespace

extern const Schedule recompute_schedule{
    .name = "recompute",
    .summary = "drop what is cheap to compute and compute it again; nothing moves",
    .source = "SuperNeurons (PPoPP 2018), section 3.4",
    .moves_tensors = false,
    .options = kOptions,
    .recomputes = true,
    .make_plan = make_plan,
};

}  // namespace ooc
