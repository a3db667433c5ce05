// Shapes of all tensors of an ONNX model, at a given batch: the first dimension of every input. Two batches tell which
// dimensions grow with it. Shapes that the graph computes (Shape, Gather, Concat on whole numbers) follow by their values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_symbols.hpp"
#include "model/onnx/onnx_model.hpp"

namespace ooc {

using OnnxDims = std::vector<std::int64_t>;
using OnnxNumbers = std::vector<double>;

struct TracedTensor {
  OnnxDims dims = {};
  int type = kOnnxFloat;
  bool is_data = false;  ///< depends on values of inputs, not only on their shapes
  std::optional<OnnxNumbers> values = {};
};
using TracedTensors = std::map<std::string, TracedTensor>;

[[nodiscard]] std::int64_t elements(const OnnxDims& dims);
[[nodiscard]] std::string text(const OnnxDims& dims);  ///< "[3, 224, 224]"

/// The batch that the model's inputs are fixed to; unset: it has a name.
[[nodiscard]] std::optional<std::int64_t> fixed_batch(const OnnxModel& model);

/// Shapes at `batch`. `fixed`: shapes at the batch that the model is fixed to, whose constants hold it; else null.
/// Throws SpecError at the node for a shape that cannot be known or does not fit, and at the input for one without a size.
[[nodiscard]] TracedTensors infer_shapes(const OnnxModel& model,
                                         const std::vector<SymbolValue>& sizes, std::int64_t batch,
                                         const TracedTensors* fixed);

/// Returns numbers that newer opsets have as input `at` and older ones as an attribute; unset: neither, or not known.
[[nodiscard]] std::optional<OnnxNumbers> numbers_of(const OnnxNode& node,
                                                    const TracedTensors& tensors,
                                                    std::string_view attribute, std::size_t at);

/// Sets the values of `out`, whose dims are set, where those of all inputs are known and the operator is about shapes.
void fold_values(const OnnxNode& node, const std::vector<const TracedTensor*>& in,
                 TracedTensor& out);

// Operators written out, fused back. What a chain of elementwise operators and means over rows computes is found by running
// it on numbers (activations, layer and RMS norms in whatever form); attention and group norm by their nodes.

/// `fuses_attention`: two products around a softmax become one node, "ooc.Attention".
void fuse_nodes(OnnxModel& model, const TracedTensors& tensors, bool fuses_attention);

// Layers of our kinds for the nodes of an ONNX model, chosen as scripts/from_torch.py chooses them for the operators of
// PyTorch, so that one model by both ways costs the same. Without a kind a node becomes a `custom` layer by its elements.

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
