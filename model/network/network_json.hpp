// Reader of the network format, version 1 (docs/formats.md, 2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/precision.hpp"
#include "model/base/spec_tree.hpp"
#include "model/network/adapters.hpp"
#include "model/network/import_config.hpp"
#include "model/network/network.hpp"

namespace ooc {

/// True for the name of an ONNX file, which is accepted in place of a network file.
[[nodiscard]] inline bool is_onnx(std::string_view path) { return path.ends_with(".onnx"); }

/// Options that override the network file.
struct NetworkOptions {
  ReadLimits limits = {};
  std::optional<Dtype> dtype = {};          ///< unset: the file's
  std::optional<Precision> precision = {};  ///< unset: the file's, unless `dtype` is set
  std::optional<std::int64_t> copies = {};  ///< copies of repeats marked "scale"; unset: the file's
  std::vector<SymbolValue> symbols = {};    ///< new values of symbols of the file
  /// True: sequences may be longer than a config states, if its positions are rotary.
  bool long_sequences = false;
  // Only for a checkpoint's config.json; `kernels` for an ONNX model, too:
  std::vector<std::string> families = {};     ///< folders of family files (family_scope.hpp)
  std::optional<ImportKernels> kernels = {};  ///< unset: kSdpa
  /// "memory" of the layer softmax_cross_entropy, or "chunked" for linear_cross_entropy; empty: by `kernels`.
  std::string loss = {};
  std::string name = {};    ///< name of the network; empty: that of the file or its folder
  std::string source = {};  ///< Network::source; empty: names the config
  /// Reads ONNX models (model/onnx/import_onnx.hpp); null: ONNX models are refused.
  SpecDocument (*onnx)(const std::string& path, NetworkOptions& options) = nullptr;
  std::optional<AdapterOptions> adapters = {};  ///< unset: no adapters beside those of the file
  std::int64_t expert_parallel = 1;             ///< number of devices that experts are split over

  bool operator==(const NetworkOptions&) const = default;
};

/// Returns the network. Throws SpecError with file, JSON pointer, found and expected. Checks "expect" of the file
/// unless copies, symbols or expert_parallel are set; with adapters only "parameters", against the frozen ones.
[[nodiscard]] Network read_network(SpecDocument document, const NetworkOptions& options = {});
[[nodiscard]] Network read_network_file(const std::string& path,
                                        const NetworkOptions& options = {});
[[nodiscard]] inline Network read_network_text(std::string_view text, const std::string& file,
                                               const NetworkOptions& options = {}) {
  return read_network(read_spec_text(text, file, options.limits), options);
}

}  // namespace ooc
