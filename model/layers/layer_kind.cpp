// Look-up in the generated table of kinds. Linear: there are a few dozen, and a network of a
// million layers names them once per layer of its file, not per copy.
#include "model/layers/layer_kind.hpp"

namespace ooc {

const LayerKind* find_layer_kind(std::string_view name) {
  for (const LayerKind* kind : layer_kinds()) {
    if (kind->name == name) return kind;
  }
  return nullptr;
}

}  // namespace ooc
