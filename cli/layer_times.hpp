// Measured times per layer (`--layer-times FILE`): CSV with the header
// layer,forward_ms,backward_ms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/cost/compute_cost.hpp"
#include "model/network/network.hpp"

namespace ooc {

/// Throws SpecError naming file and line for anything malformed, an unknown layer (with the nearest
/// one) or a layer named twice. The result is in layer order.
[[nodiscard]] std::vector<LayerTime> read_layer_times_file(const std::string& path,
                                                           const Network& network,
                                                           const ReadLimits& limits = {});
/// The same from memory; `file` is only for messages.
[[nodiscard]] std::vector<LayerTime> read_layer_times_text(std::string_view text,
                                                           const std::string& file,
                                                           const Network& network);

}  // namespace ooc
