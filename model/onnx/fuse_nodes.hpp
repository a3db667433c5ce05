// Operators written out, fused back. What a chain of elementwise operators and means over rows computes is found by running
// it on numbers (activations, layer and RMS norms in whatever form); attention and group norm by their nodes.
#pragma once

#include "model/onnx/infer_shapes.hpp"

namespace ooc {

/// `fuses_attention`: two products around a softmax become one node, "ooc.Attention".
void fuse_nodes(OnnxModel& model, const TracedTensors& tensors, bool fuses_attention);

}  // namespace ooc
