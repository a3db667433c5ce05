// What people would call a block of a network, or in transformers "a layer": by the names of layers, for there is nothing
// else that frameworks go by.
#pragma once

#include <string_view>

namespace ooc {

/// The first part of a name that counts something, with all before it: "blocks/3" of "blocks/3/ff1", "layer1_0" of
/// "layer1_0_bn2", "mixed5b" of "mixed5b_1x1_bn"; empty where there is no part behind it ("conv1").
[[nodiscard]] std::string_view block_name(std::string_view layer);

}  // namespace ooc
