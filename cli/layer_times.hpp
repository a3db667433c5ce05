// Measured times by layer (`--layer-times FILE`): CSV with the header layer,forward_ms,backward_ms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/cost/compute_cost.hpp"
#include "model/network/network.hpp"

namespace ooc {

/// Returns the times of a CSV file in layer order. Throws SpecError with file and line for malformed
/// lines, unknown layers (with the nearest) and repeated layers.
[[nodiscard]] std::vector<LayerTime> read_layer_times_file(const std::string& path,
                                                           const Network& network,
                                                           const ReadLimits& limits = {});
/// Does the same for `text`; `file`: name for messages.
[[nodiscard]] std::vector<LayerTime> read_layer_times_text(std::string_view text,
                                                           const std::string& file,
                                                           const Network& network);

}  // namespace ooc
