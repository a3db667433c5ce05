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

}  // namespace ooc
