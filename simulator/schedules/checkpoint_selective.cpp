// checkpoint-selective: as checkpoint, but what layers that multiply have computed (convolutions, matrix products,
// attention, recurrent steps; layers that state their times) stays; only the cheap rest of a block is dropped and
// computed again. Selective activation checkpointing of Megatron and PyTorch.
//
// Example, checkpoint's with b and e cheap: in {a b c} only b's output is dropped, so a is never run again.
//
// When it does not help: where the products themselves are too large; chains of convolutions without anything cheap.
//
// Source: Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models (MLSys 2023), section 5;
// torch.utils.checkpoint.create_selective_checkpoint_contexts. Deviations: recognised by their work, not by a list of
// operations; Megatron computes attention's inner products again, PyTorch's policy keeps attention: here it is kept (its
// inner products are in no tensor of the graph).
#include "simulator/schedules/recompute_choice.hpp"

namespace ooc {
namespace {

bool is_product(const MixFacts& facts, TensorId tensor) {
  for (const std::uint32_t task : facts.uses[tensor.at()]) {
    if (task >= facts.forward) return false;
    for (const TaskTouch& touch : facts.touches[task]) {
      if (touch.tensor == tensor.at() && touch.writes &&
          multiplies(facts.graph, TaskId{static_cast<std::int32_t>(task)})) {
        return true;
      }
    }
  }
  return false;
}

Decisions drop_cheap(const MixFacts& facts, const MixSegments& segments, const SegmentEnds& ends) {
  Decisions decisions = segments.drop_within(ends);
  for (const std::uint32_t idle : segments.droppable()) {
    if (is_product(facts, facts.idle[idle].tensor)) decisions.treatment[idle] = Treatment::kKeep;
  }
  return decisions;
}

constexpr std::string_view kSelectiveOptions[] = {"--algorithms", "--blocks"};

}  // namespace

extern const Schedule checkpoint_selective_schedule{
    .name = "checkpoint-selective",
    .summary = "as checkpoint, but what convolutions, products and attention computed stays",
    .source = "Korthikanti et al. (MLSys 2023), section 5; PyTorch's selective checkpointing",
    .traits = {Trait::kCarriesState, Trait::kMovesNothing, Trait::kRecomputes,
               Trait::kMovesOnlyWhatItMust},
    .options = kSelectiveOptions,
    .make_plan =
        [](const PlanningProblem& problem) {
          return plan_blocks(problem, BlockInputs::kStay, drop_cheap);
        },
};

}  // namespace ooc
