// checkpoint: of each block of layers only what it reads stays; when backward reaches it, all of it is computed again,
// once, convolutions and matrix products included, and each tensor then stays up to its last use. No byte moves. What
// torch.utils.checkpoint does with each block of a model, and checkpoint_sequential with N parts of a chain.
//
// --blocks layer: the blocks of the network by its layers' names (recompute_choice.hpp), as a user wraps them; what lies
// around them (embedding, final norm, head, loss) is not wrapped and keeps what it saves; layer:2, two blocks at a time;
// layer:2/4, two of every four; layer:norm2..fc2, of each block these layers. --blocks N: at most N blocks,
// cut where least crosses, the largest as small as that allows. --blocks auto (default): nothing is dropped where
// everything fits; else the quickest that fits of cuts that drop, in each block, at most all that can be
// dropped, 0.8 of it, 0.64 ...; of cuts with that limit the one whose blocks' ends fewest bytes cross
// (mix_segments.hpp; on a chain that is the best choice of checkpoints for computing each block again once).
//
// Example, six layers a ... f that all save their inputs of 1 GB, two blocks {a b c}, {d e f}; x is the data, capitals
// are gradients, + means again; GB that tasks need:
//
//     a 2  b 3  c 3  d 3  e 4  f 4 | d+ 4  e+ 5  f 6  e 5  d 4 | a+ 4  b+ 5  c 5  b 4  a 3
//
// (f: x c d e F and f; b and d, which only their readers save, go as soon as these have run.) In-core needs 8; what it
// costs is the time of a, b, d and e once more.
//
// When it does not help: where one block is too large for what is left beside the others' inputs; where links are fast
// and moving is cheaper than computing (checkpoint-offload, best).
//
// Source: Chen et al., Training Deep Nets with Sublinear Memory Cost (2016), section 4. Deviations: any graph, not chains
// only: a tensor that a skip carries over a block's end counts as one of its inputs; what backward does not read is not
// computed again (PyTorch stops early, too); cuts by bytes, of which several are compared, not by one guess at sqrt(n).
#include "simulator/schedules/recompute_choice.hpp"

namespace ooc {
namespace {

Decisions drop_blocks(const MixFacts&, const MixSegments& segments, const SegmentEnds& ends) {
  return segments.drop_within(ends);
}

constexpr std::string_view kCheckpointOptions[] = {"--algorithms", "--blocks"};

}  // namespace

extern const Schedule checkpoint_schedule{
    .name = "checkpoint",
    .summary = "keep what blocks of layers read, compute everything in them again; nothing moves",
    .source = "Chen et al., sublinear memory (2016); torch.utils.checkpoint",
    .traits = {Trait::kCarriesState, Trait::kMovesNothing, Trait::kRecomputes,
               Trait::kMovesOnlyWhatItMust},
    .options = kCheckpointOptions,
    .make_plan =
        [](const PlanningProblem& problem) {
          return plan_blocks(problem, BlockInputs::kStay, drop_blocks);
        },
};

}  // namespace ooc
