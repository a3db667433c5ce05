// Blocks of a network ("layers" in transformers), recognised by the names of their layers, for
// frameworks have nothing else.
#pragma once

#include <string_view>

namespace ooc {

/// Returns `layer` up to its first numbered part: "blocks/3" for "blocks/3/ff1", "layer1_0" for
/// "layer1_0_bn2", "mixed5b" for "mixed5b_1x1_bn". Empty if no part follows ("conv1").
[[nodiscard]] std::string_view block_name(std::string_view layer);

}  // namespace ooc
