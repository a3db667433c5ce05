// ONNX models in place of network files: the model becomes the text of a network, which the reader of networks reads.
#pragma once

#include <iosfwd>
#include <string>

#include "model/network/network_json.hpp"

namespace ooc {

/// Returns the document of the network in an ONNX file. Named dimensions have the sizes in `options.symbols`, which are
/// taken out of it; `--kernels eager` leaves attention as products. "description" says which operators have no kind.
/// Throws SpecError with node, input or byte offset.
[[nodiscard]] SpecDocument import_onnx(const std::string& path, NetworkOptions& options);
/// `file`: the name for messages.
[[nodiscard]] SpecDocument import_onnx(std::istream& bytes, const std::string& file, NetworkOptions& options);

}  // namespace ooc
