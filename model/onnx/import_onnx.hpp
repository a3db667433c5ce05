// Import of ONNX models: the model becomes the text of a network, which the reader of networks reads.
#pragma once

#include <iosfwd>
#include <string>

#include "model/network/network_json.hpp"

namespace ooc {

/// Returns the network document for an ONNX file. options.symbols gives the sizes of named dimensions; those of
/// dimensions of inputs are removed from it. With ImportKernels::kEager attention stays separate products.
/// "description" names the operators without a kind of layer. Throws SpecError with node, input or byte offset.
[[nodiscard]] SpecDocument import_onnx(const std::string& path, NetworkOptions& options);
/// Returns the network document for a model in a stream. `file`: its path, for the network's name and for messages.
[[nodiscard]] SpecDocument import_onnx(std::istream& bytes, const std::string& file, NetworkOptions& options);

}  // namespace ooc
