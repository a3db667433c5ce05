// From the config.json of a checkpoint in the layout of Hugging Face's Transformers to a network file
// (docs/transformers.md). What is written is a plain network: it is read by the reader that reads all
// others. How the configs of a `model_type` become networks stands in family files (family_file.hpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"

namespace ooc {

/// Which kernels software runs: they decide what is kept, not what is computed.
enum class ImportKernels {
  kEager,  ///< attention as separate products, float32 softmax, repeated keys and values
  kSdpa,   ///< flash attention; norms, gates and the loss as separate operations
  kFused,  ///< flash attention, and fused norms, gates and loss
};
[[nodiscard]] std::string_view kernels_name(ImportKernels kernels);

struct ImportOptions {
  std::vector<std::string> families = {};  ///< folders of family files
  std::vector<SymbolValue> symbols =
      {};  ///< lengths; "seq" left out: of all positions, at most 4096
  ImportKernels kernels = ImportKernels::kSdpa;
  /// `memory` of softmax_cross_entropy, or "chunked" for linear_cross_entropy; empty: by the kernels.
  std::string loss = {};
  bool allow_long = false;  ///< sequences beyond the positions, where these are rotary
  std::string name = {};    ///< of the network; empty: the file's, or its folder's
  std::string source = {};  ///< empty: the config
};

/// Whether it is a checkpoint's config rather than a network: an object with "model_type".
[[nodiscard]] bool is_checkpoint_config(const SpecDocument& document);

/// The text of a network file without "expect". Throws SpecError naming the key and its value for a model that is
/// not understood, or that cannot be.
[[nodiscard]] std::string import_config(const SpecDocument& config, const ImportOptions& options);

}  // namespace ooc
