// Networks in PALEO's own form (Qi, Sparks & Talwalkar, ICLR 2017; its nets/*.json): an object of layers
// by name, NHWC. Rules: docs/paleo.md, 4.
#pragma once

#include "model/base/spec_tree.hpp"

namespace ooc {

/// True if the document has no "format", and "layers" is an object.
[[nodiscard]] bool is_paleo_network(const SpecDocument& document);

/// Returns the network in the format of this program. Keys "source" and "expect" are copied. Throws
/// SpecError at the place in PALEO's file for layers that cannot be converted.
[[nodiscard]] SpecDocument convert_paleo_network(const SpecDocument& document);

}  // namespace ooc
