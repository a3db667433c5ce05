// checkpoint-offload: as checkpoint, but what blocks read moves to far memory after its last use in the forward pass, and
// comes back one block ahead: from when backward of the block behind it begins on, later where memory is short. What
// backward reads of the block at its beginning is still there.
//
// --blocks auto (default): the cut is the one with which an iteration takes least time, so it depends on the link; blocks
// are finer than frameworks', so inputs come back as early as memory allows (booked on the ledger, as capacity does).
//
// --only attn*: what these layers save moves, in all blocks, in place of what blocks read; all else in blocks is dropped
// as by checkpoint. So SimpleTuner offloads attention's saved tensors within checkpoints.
//
// Example, checkpoint's: x and c leave; in the forward pass no task needs more than 3 GB then.
//
// When it does not help: where block inputs are small beside what one block needs to be computed again; on links so slow
// that a copy takes longer than the block that it hides behind.
//
// Source: DeepSpeed, cpu_checkpointing (Rasley et al., KDD 2020; ZeRO-Infinity, Rajbhandari et al., SC 2021, section
// 5.1.2). Who fetches when it is wanted (Unsloth, LLaMA-Factory) holds a block's input less; copy_streams says so.
#include "simulator/schedules/move_candidates.hpp"
#include "simulator/schedules/own_options.hpp"
#include "simulator/schedules/recompute_choice.hpp"

namespace ooc {
namespace {

Decisions move_inputs(const MixFacts& facts, const MixSegments& segments, const SegmentEnds& ends) {
  const bool only = !facts.problem.options.own->only.empty();
  const std::vector<bool> named = may_move(facts.problem);
  Decisions decisions = segments.drop_within(ends, MixSegments::kAnyPrice,
                                             only ? Treatment::kKeep : Treatment::kMove);
  for (std::size_t i = 0; i < facts.idle.size(); ++i) {
    const IdleTime& idle = facts.idle[i];
    const bool network_input = !idle.droppable;
    const bool moves = only ? named[idle.tensor.at()] && !idle.late
                            : network_input && segments.is_read_from_outside(ends, idle.tensor);
    if (moves) decisions.treatment[i] = Treatment::kMove;
  }
  decisions.made_again_stays = true;
  decisions.one_ahead = facts.problem.options.own->blocks.kind != Blocks::Kind::kAuto;
  return decisions;
}

constexpr std::string_view kOffloadOptions[] = {"--algorithms", "--blocks", "--only"};

}  // namespace

extern const Schedule checkpoint_offload_schedule{
    .name = "checkpoint-offload",
    .summary = "as checkpoint, and what the blocks read moves out",
    .source = "DeepSpeed, cpu_checkpointing; ZeRO-Infinity (SC 2021), 5.1.2",
    .traits = {Trait::kCarriesState, Trait::kRecomputes, Trait::kMovesOnlyWhatItMust,
               Trait::kPlansForLink, Trait::kSearchesByTrial},
    .options = kOffloadOptions,
    .make_plan =
        [](const PlanningProblem& problem) {
          return plan_blocks(problem, BlockInputs::kMove, move_inputs);
        },
};

}  // namespace ooc
