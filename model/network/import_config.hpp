// Import of a checkpoint's config.json, in the layout of Hugging Face's Transformers, as a network
// file (docs/transformers.md). The result is a plain network for the reader of all networks. Rules
// by `model_type` stand in family files (family_scope.hpp).
#pragma once

#include <string>
#include <string_view>

#include "model/base/spec_tree.hpp"

namespace ooc {

/// Kernels of the software (--kernels), which decide what is saved and moved, not what is computed.
enum class ImportKernels {
  kEager,  ///< attention as separate products, float32 softmax, repeated keys and values
  kSdpa,   ///< flash attention; norms, gates and the loss as separate operations
  kFused,  ///< flash attention, and fused norms, gates and loss
};
[[nodiscard]] std::string_view kernels_name(ImportKernels kernels);

struct NetworkOptions;  // network_json.hpp

/// True if the document is a checkpoint's config.json: an object with "model_type".
[[nodiscard]] bool is_checkpoint_config(const SpecDocument& document);

/// Returns the text of a network file without "expect". Throws SpecError at a key of the config for
/// an unknown family of models and for values that the family does not allow.
[[nodiscard]] std::string import_config(const SpecDocument& config, const NetworkOptions& options);

}  // namespace ooc
