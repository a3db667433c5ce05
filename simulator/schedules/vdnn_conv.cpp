// vdnn-conv: vDNN's faster policy: only the inputs of convolutions move, because only they compute
// long enough to hide a copy. The walk, its source and its deviations stand in vdnn_common.cpp.
//
// Example, four layers: conv1, pool1, conv2, conv3. Flagged are the inputs of conv1 (the network's, so dropped without
// a copy out) and conv2 (pool1's output, which pool1's backward reads as well); conv3 is the last layer, so its input
// stays; so does the input of the pool, the largest tensor of all.
//
//     section   1     2     3     4     5     6     7     8
//     compute   conv1 pool1 conv2 conv3 conv3 conv2 pool1 conv1
//     to_far    -     -     pool1 -     -     -     -     -
//     to_near   -     -     -     -     pool1 data  -     -
//
// In section 6 pool1 reads nothing flagged and is no convolution, so the search goes on to conv1.
//
// When it does not help: where pools and norms hold most of the memory (early layers of VGG), it
// needs far more room than vdnn-all; and like it, it moves data even if everything fits.
#include "simulator/schedules/vdnn_common.hpp"

namespace ooc {

extern const Schedule vdnn_conv_schedule{
    .name = "vdnn-conv",
    .summary = "move the inputs of convolutions only; a barrier after every layer",
    .source = "Rhu et al., vDNN (MICRO 2016), III.B; Synced (2017)",
    .options = kAlgorithmsAlone,
    .make_plan =
        [](const PlanningProblem& problem) {
          return plan_vdnn(problem, &LayerModel::is_convolution);
        },
};

}  // namespace ooc
