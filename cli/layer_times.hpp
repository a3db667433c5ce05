// Measured times by layer (`--layer-times FILE`): CSV with the header layer,forward_ms,backward_ms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/kineto_trace.hpp"
#include "model/base/spec_tree.hpp"
#include "model/cost/compute_cost.hpp"
#include "model/network/network.hpp"

namespace ooc {

// Times of layers from the operators of a trace.

struct TracedLayers {
  std::vector<LayerTime> times;  ///< times of one pass, in layer order; only layers with a time
  std::string coverage;          ///< remark: share of the trace's time that was assigned to layers
};

/// Returns the names of ranges that count as one call: names of layers, and classes of modules (RMSNorm).
[[nodiscard]] std::vector<std::string> ranges_of_layers(const Network& network);

/// Returns times by layer: a range with a layer's name is that layer; else the N-th operator of a kind in a pass is
/// that kind's N-th layer. Kinds with differing numbers get no times. Throws SpecError if under half of the time fits.
[[nodiscard]] TracedLayers layers_of_trace(const KinetoTrace& trace, const Network& network,
                                           const std::string& file);

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
