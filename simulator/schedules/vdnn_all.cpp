// vdnn-all: vDNN's memory-saving policy: the inputs of all feature extraction layers (convolutions,
// pools, norms) leave near memory while the layer itself computes, and come back one at a time
// during backward. The walk, its source and its deviations stand in vdnn_common.cpp.
//
// Example, four custom layers a b c d (a custom layer counts as a convolution) that save their
// outputs, 50 ms forward, 100 ms backward, a copy takes 100 ms. The network input is read by no
// backward task and the input of the last layer, c, is never flagged: a and b move.
//
//     section   1    2    3    4    5    6    7    8
//     compute   a.fw b.fw c.fw d.fw d.bw c.bw b.bw a.bw
//     to_far    -    a    b    -    -    -    -    -
//     to_near   -    -    -    -    b    a    -    -
//     ms        50   100  100  50   100  100  100  100      = 700 ms
//
// Here b returns beside d.bw: c's X is b, and the search from d finds it first.
//
// When it does not help: it moves data even if everything fits; where the layers are quick against
// the link (pools, norms) every section waits for its copy.
#include "simulator/schedules/vdnn_common.hpp"

namespace ooc {

extern const Schedule vdnn_all_schedule{
    .name = "vdnn-all",
    .summary = "move the inputs of convolutions, pools and norms; a barrier after every layer",
    .source = "Rhu et al., vDNN (MICRO 2016), III.B; Synced (2017)",
    .options = kAlgorithmsAlone,
    .make_plan =
        [](const PlanningProblem& problem) {
          return plan_vdnn(problem, &LayerModel::is_feature_extractor);
        },
};

}  // namespace ooc
