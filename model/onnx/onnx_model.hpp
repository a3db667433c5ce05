// ONNX model as stored in its file (onnx.proto of the ONNX project, public field numbers). Small
// tensors have their values, since shapes are computed with them; weights have names and shapes.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"

namespace ooc {

/// Element types by their numbers in files. All other numbers are treated as integers.
enum OnnxType : int { kOnnxFloat = 1, kOnnxInt32 = 6, kOnnxInt64 = 7, kOnnxBool = 9, kOnnxHalf = 10, kOnnxDouble = 11, kOnnxBfloat16 = 16 };
[[nodiscard]] bool is_floating(int type);

struct OnnxTensor {
  std::string name;
  int type = kOnnxFloat;
  std::vector<std::int64_t> dims;
  std::optional<std::vector<double>> values;  ///< unset: too many, texts, or in another file
};

struct OnnxAttribute {
  std::string name;
  double f = 0;
  std::int64_t i = 0;
  std::string s = {};
  std::vector<std::int64_t> ints = {};
  std::vector<double> floats = {};
  std::optional<OnnxTensor> tensor = {};
};

struct OnnxNode {
  std::string name;
  std::string op;  ///< operator, with its domain unless ONNX's: "com.microsoft.FusedMatMul"
  std::vector<std::string> inputs;  ///< names of tensors; an empty name: optional input left out
  std::vector<std::string> outputs;
  std::vector<OnnxAttribute> attributes = {};

  [[nodiscard]] const OnnxAttribute* find(std::string_view attribute) const;
  /// Returns a field of the attribute; `otherwise`: there is no such attribute.
  template <class Value>
  [[nodiscard]] Value get(std::string_view attribute, Value OnnxAttribute::*field, Value otherwise = {}) const {
    const OnnxAttribute* found = find(attribute);
    return found == nullptr ? otherwise : found->*field;
  }
  [[nodiscard]] auto integer(std::string_view attribute, std::int64_t otherwise) const { return get(attribute, &OnnxAttribute::i, otherwise); }
  [[nodiscard]] auto number(std::string_view attribute, double otherwise) const { return get(attribute, &OnnxAttribute::f, otherwise); }
  [[nodiscard]] auto integers(std::string_view attribute) const { return get(attribute, &OnnxAttribute::ints); }
  [[nodiscard]] auto text(std::string_view attribute) const { return get(attribute, &OnnxAttribute::s); }
  /// Returns a text for messages: node "/features/0/Conv" (Conv); a node without a name is called by its first output.
  [[nodiscard]] std::string place() const;
};

/// Dimension of a shape.
struct OnnxDim {
  std::int64_t size = 0;    ///< valid if `symbol` is empty
  std::string symbol = {};  ///< name such as "batch"; empty: the dimension is a number
};

/// Type and shape of an input, an output, or a tensor that shape inference has noted in the file.
struct OnnxValue {
  std::string name;
  int type = kOnnxFloat;
  std::optional<std::vector<OnnxDim>> dims;  ///< unset: not stated
};

struct OnnxModel {
  std::string file;
  std::string producer;
  std::int64_t opset = 0;
  std::vector<OnnxNode> nodes;
  std::map<std::string, OnnxTensor> weights;  ///< initialisers, by name
  std::vector<OnnxValue> inputs;              ///< without initialisers
  std::vector<OnnxValue> outputs;
  std::map<std::string, OnnxValue> noted;     ///< types and shapes of other tensors, by name
};

/// Returns the model. Throws SpecError with byte offset or node if the bytes are no ONNX model or its opset is not 11
/// to 21. `bytes` must be seekable: a file, or a text in memory.
[[nodiscard]] OnnxModel read_onnx_model(std::istream& bytes, const std::string& file, const ReadLimits& limits);

// Shapes of all tensors of an ONNX model at a given batch, the first dimension of every input. Two batches show which
// dimensions grow. For shapes computed in the graph (Shape, Gather, Concat on integers) the values are computed.

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
