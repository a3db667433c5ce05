// `--lora` and `--base`: a network of which nothing is learnt but adapters beside its linear layers, and whose frozen weights
// may be kept in fewer bits. Works on the text of a network, written or imported, before it is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/dtype.hpp"
#include "model/base/spec_tree.hpp"
#include "model/layers/weight_storage.hpp"
#include "model/network/network.hpp"

namespace ooc {

struct AdapterOptions {
  std::int64_t rank = 8;
  /// Layers by the end of their names, "_proj" left out or not: "q", "q_proj"; "q" is "query", too. None: all linear layers and mixtures
  /// of the network's blocks (its repeats).
  std::vector<std::string> targets = {};
  double dropout = 0;
  std::optional<Dtype> dtype = {};         ///< none: as the precision keeps what is learnt
  std::optional<WeightStorage> base = {};  ///< none: as the precision keeps weights

  bool operator==(const AdapterOptions&) const = default;
};

/// Throws SpecError where a target is no layer's name, or names one that another has named.
void add_adapters(SpecDocument& network, const AdapterOptions& options);

/// States in `file` the sums over `network`, which it is read as.
void expect_sums(SpecDocument& file, const Network& network);

}  // namespace ooc
