// Look-up in the generated table of kinds. Linear: there are a few dozen, and a network of a
// million layers names them once per layer of its file, not per copy.
#include "model/layers/layer_kind.hpp"

#include "model/base/named.hpp"

namespace ooc {

const LayerKind* find_layer_kind(std::string_view name) { return find_named(layer_kinds(), name); }

}  // namespace ooc
