// Look-up of producers by name while a layer tree is read: in the enclosing blocks, then among the
// network's inputs. layer_tree.hpp gives the rules.
#pragma once

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

  /// Returns the producer called `name`; else throws SpecError at `name` with the nearest known name.
  [[nodiscard]] Reference resolve(const SpecView& name) const;
  /// Returns the layer called `name`; network inputs do not count.
  [[nodiscard]] LayerReference resolve_layer(const SpecView& name) const;

 private:
  [[nodiscard]] std::optional<Reference> find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> known_layers() const;

  const InputNames* inputs_;
  std::vector<const EntryBlock*> blocks_;  ///< enclosing blocks, outermost first
};

}  // namespace ooc
