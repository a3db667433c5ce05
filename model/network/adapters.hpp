// `--lora` and `--base`: train only adapters beside the linear layers of a network. Frozen weights
// may be stored in fewer bits. Edits the value tree of a network before the tree is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/precision.hpp"
#include "model/base/spec_tree.hpp"
#include "model/layers/weight_storage.hpp"
#include "model/network/network.hpp"

namespace ooc {

struct AdapterOptions {
  std::int64_t rank = 8;
  /// Last words of the names of layers to adapt, with or without "_proj": "q" means "q_proj" and "query"; "q/c_attn":
  /// either. Empty: all
  /// linear layers and mixtures of experts in repeats; in a network without repeats, all but the last linear layer.
  std::vector<std::string> targets = {};
  double dropout = 0;                      ///< rate of dropout before each adapter; 0: none
  std::optional<AdapterType> dtype = {};   ///< unset: by the precision
  std::optional<WeightStorage> base = {};  ///< storage of frozen weights; unset: by the precision

  bool operator==(const AdapterOptions&) const = default;
};

/// Adds adapters to layers of `network` and freezes all else. `fused`: Lora::fused (layers/attributes.hpp). Throws
/// SpecError if no layer can be adapted, if a target matches no layer, or if two targets match one layer.
void add_adapters(SpecDocument& network, const AdapterOptions& options, bool fused);

/// Returns the type of the network's adapters; unset: adapters have the precision's type, or there are none.
[[nodiscard]] std::optional<Dtype> adapter_type(const Network& network);

/// Writes "expect" into `file`: numbers of parameters and MACs of `network`, which was read from `file`.
void expect_sums(SpecDocument& file, const Network& network);

}  // namespace ooc
