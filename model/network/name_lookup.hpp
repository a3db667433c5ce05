// Resolution of producers' names while a layer tree is read: the blocks around the entry at hand,
// and the network's inputs behind them. See layer_tree.hpp for the rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/network/layer_tree.hpp"

namespace ooc {

class NameLookup {
 public:
  /// `inputs` must outlive the look-up.
  explicit NameLookup(const InputNames& inputs) : inputs_(&inputs) {}

  void enter(const EntryBlock& block) { blocks_.push_back(&block); }
  void leave() { blocks_.pop_back(); }
  [[nodiscard]] bool is_outermost() const { return blocks_.size() == 1; }

  /// The producer that `name` means here, else an error at `name` with the nearest known one.
  [[nodiscard]] Reference resolve(const SpecView& name) const;
  /// The same of a layer alone.
  [[nodiscard]] LayerReference resolve_layer(const SpecView& name) const;

 private:
  [[nodiscard]] std::optional<Reference> find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> known_layers() const;

  const InputNames* inputs_;
  std::vector<const EntryBlock*> blocks_;  ///< outermost first
};

}  // namespace ooc
