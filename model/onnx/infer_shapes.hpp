// Shapes of all tensors of an ONNX model at a given batch, the first dimension of every input. Two batches show which
// dimensions grow. For shapes computed in the graph (Shape, Gather, Concat on integers) the values are computed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/onnx/onnx_model.hpp"

namespace ooc {

using OnnxDims = std::vector<std::int64_t>;
using OnnxNumbers = std::vector<double>;

/// Shape of a tensor, and its values if they are known.
struct TracedTensor {
  OnnxDims dims = {};
  int type = kOnnxFloat;  ///< number of the element type (OnnxType)
  bool is_data = false;   ///< true: depends on values of the model's inputs, not only on shapes
  std::optional<OnnxNumbers> values = {};  ///< unset: not known before the model runs
};
/// Traced tensors by name.
using TracedTensors = std::map<std::string, TracedTensor>;

[[nodiscard]] std::int64_t elements(const OnnxDims& dims);
[[nodiscard]] std::string text(const OnnxDims& dims);  ///< such as "[3, 224, 224]"

/// Returns the first dimension of the first input whose first dimension is a number; unset: all have names ("batch").
[[nodiscard]] std::optional<std::int64_t> fixed_batch(const OnnxModel& model);

/// Returns the shapes at `batch`. `sizes`: of named dimensions. `fixed`: shapes at fixed_batch(), which constants may
/// contain; null: `batch` is that batch, or there is none. Throws SpecError at a node for a shape that cannot be known
/// or does not fit, and at an input of unknown size.
[[nodiscard]] TracedTensors infer_shapes(const OnnxModel& model,
                                         const std::vector<SymbolValue>& sizes, std::int64_t batch,
                                         const TracedTensors* fixed);

/// Returns the numbers of `attribute`, which newer opsets have as input `at`; unset: neither, or values unknown.
[[nodiscard]] std::optional<OnnxNumbers> numbers_of(const OnnxNode& node,
                                                    const TracedTensors& tensors,
                                                    std::string_view attribute, std::size_t at);

/// Sets out.values if all inputs have values, `out` at most 4,096 elements, and the operator can compute shapes.
void fold_values(const OnnxNode& node, const std::vector<const TracedTensor*>& in,
                 TracedTensor& out);

// Fusion of operators that were exported as several nodes. Chains of element-wise operators and row means are
// recognised by running them on numbers (activations, layer and RMS norms); attention and group norm by their nodes.

/// Replaces chains of nodes by fused nodes. `fuses_attention`: products around a softmax become one, "ooc.Attention".
void fuse_nodes(OnnxModel& model, const TracedTensors& tensors, bool fuses_attention);

// Layers for the nodes of an ONNX model. Operators map to kinds as in scripts/from_torch.py, so that both imports of
// one model cost the same. A node without a kind becomes a `custom` layer by its elements.

/// Shapes of one model at two batches.
struct OnnxShapes {
  std::int64_t batch = 1;        ///< batch of `one`
  std::int64_t other_batch = 2;  ///< batch of `other`
  TracedTensors one = {};
  TracedTensors other = {};
};

struct TranslatedNetwork {
  std::string json;    ///< "inputs", "layers" and "outputs" of a network file
  std::string remark;  ///< numbers of operators without a kind of layer; empty: none
};
/// Returns the network. Throws SpecError for shapes that do not grow with the batch, and if no output needs an input.
[[nodiscard]] TranslatedNetwork translate_nodes(const OnnxModel& model, const OnnxShapes& shapes);

}  // namespace ooc
