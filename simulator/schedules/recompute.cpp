// recompute: what is cheap to compute is dropped after the forward pass has used it and computed
// again when backward wants it. No byte moves; the price is paid on the compute queue.
//
// Outputs of layers that multiply (convolutions, linear layers, matrix products, attention, recurrent steps) and of
// custom layers are checkpoints, which stay for as long as backward or a recomputation needs them. The layers between
// two checkpoints form a segment (segments.hpp says how, on any graph). --recompute speed: when backward first reads
// something of a segment, all of it is computed again, once, and each tensor then stays up to its last use. --recompute
// memory: each backward task gets what it reads computed from the checkpoint, and drops it. --recompute cost (default):
// once for segments that, kept at once, need no more than the largest task needs anyway, so that they cannot raise the
// peak; from the checkpoint for every use for the others. Where everything fits nothing is dropped; else as few
// segments as suffice, those first that give back the most bytes for their time. Where all dropped do not suffice,
// because being computed again is what makes the peak, those that need more for it than the largest task are kept.
//
// Example, five layers: a linear, gelus b c d, e linear; outputs of 4 words, data x and e of 1; all save
// their inputs, capitals are gradients, + means again. One segment {b, c, d}; words that tasks need:
//
//     in-core    a 5  b 9  c 13  d 17  e 18 | e_d 21  e_w 21  d 21  c 17  b 13  a_w 5
//     speed      a 5  b 9  c 13  d 13  e 10 | e_d 9  b+ 13  c+ 17  d+ 21  e_w 21  d 21  c 17 ...
//     memory     a 5  b 9  c 13  d 13  e 10 | e_d 9  b+ 13  c+ 17  d+ 17  e_w 17  d 17  b+ 13  c 17  b 13
//
// (e_w with speed: x a b c d D; with memory x a c d D: b is computed a second time before c.bw; c stays
// over e_w, because d.bw reads it next.) Kept at once the segment needs 16 words, one task at most 12
// (d.bw: c D C), so the cost rule chooses memory here: in 17 words, 4 forward times more. With many
// segments, all but the one in use are away, and speed saves nearly as much.
//
// When it does not help: where the checkpoints themselves are too large (superneurons moves them); where outputs
// between the checkpoints are smaller than what they are computed from (an average pool that shrinks its input: kept
// here); chains of custom layers, where all are checkpoints. A dense block's concatenations feed later segments, so
// they count as checkpoints: less is saved there than a recomputation made for that network would save.
//
// Contents: a recomputed dropout draws the same mask again (its generator is seeded per layer and iteration, as PyTorch's
// checkpointing restores the generator's state); a mask whose dropout overwrites a checkpoint in place stays. A recomputed
// batch norm has the same batch, so the same statistics; its running averages must be updated by the first run only.
//
// More memory or a faster link can make it slower: it drops by layers, not by what a gap costs (tests/property/monotony_test.cpp).
//
// Source: Wang et al., SuperNeurons (PPoPP 2018), section 3.4, cost-aware recomputation; the idea: Chen et al.,
// Training Deep Nets with Sublinear Memory Cost (2016). Deviations: checkpoints are recognised by their work, not by a
// list of kinds; what fits is not dropped (SuperNeurons always drops); a saved value that a later segment reads is a
// checkpoint; segments end after 8 layers; a value that the next backward task reads again is not dropped in between.
#include "simulator/schedules/recompute_choice.hpp"
#include "simulator/schedules/task_plan.hpp"

namespace ooc {
namespace {

PlanResult plan_recompute(const PlanningProblem& problem) {
  const Segments segments = find_segments(problem);
  const std::vector<SegmentUse> nothing(segments.list.size(), SegmentUse::kKept);
  const auto shortage_of = [&](const std::vector<SegmentUse>& uses) {
    const RunList list = list_runs(problem, segments, uses);
    return run_shortage(problem, list, footprint_of(problem, list));
  };
  auto shortage = shortage_of(nothing);
  if (!shortage) return build_task_plan(problem, {});

  for (const std::vector<SegmentUse>& most : sets_to_drop(problem, segments)) {
    auto least = shortage_of(most);
    if (!least) return build_run_plan(problem, drop_fewest(problem, segments, most));
    shortage = lesser_shortage(*std::move(shortage), *std::move(least));
  }
  return *std::move(shortage);
}

constexpr std::string_view kRecomputeOptions[] = {"--algorithms", "--recompute"};

}  // namespace

extern const Schedule recompute_schedule{
    .name = "recompute",
    .summary = "drop what is cheap to compute and compute it again; nothing moves",
    .source = "SuperNeurons (PPoPP 2018), section 3.4",
    .traits = {Trait::kCarriesState, Trait::kMovesNothing, Trait::kRecomputes,
               Trait::kMovesOnlyWhatItMust},
    .options = kRecomputeOptions,
    .make_plan = plan_recompute,
};

}  // namespace ooc
