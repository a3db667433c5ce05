// Layers of our kinds for the nodes of an ONNX model, chosen as scripts/from_torch.py chooses them for the operators of
// PyTorch, so that one model by both ways costs the same. Without a kind a node becomes a `custom` layer by its elements.
#pragma once

#include <string>

#include "model/onnx/infer_shapes.hpp"

namespace ooc {

/// The shapes of one model at two batches.
struct OnnxShapes {
  std::int64_t batch = 1;  ///< of `one`
  std::int64_t other_batch = 2;
  TracedTensors one = {};
  TracedTensors other = {};
};

struct TranslatedNetwork {
  std::string json;    ///< members "inputs", "layers" and "outputs" of a network file
  std::string remark;  ///< operators without a kind and their share; empty: none
};
/// Throws SpecError where shapes do not grow with the batch.
[[nodiscard]] TranslatedNetwork translate_nodes(const OnnxModel& model, const OnnxShapes& shapes);

}  // namespace ooc
