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
  std::vector<LayerTime> times;  ///< times of one pass, in layer order
  std::string coverage;          ///< remark on the share of the trace that was assigned
};

/// Returns names of ranges that identify layers: names of layers, and classes of modules with several operators.
[[nodiscard]] std::vector<std::string> ranges_of_layers(const Network& network);

/// Assigns times: the N-th operator of a kind in a pass is the N-th layer of that kind, unless a range has the layer's
/// name. Kinds with differing numbers get no times. Throws SpecError if less than half of the time is assigned.
[[nodiscard]] TracedLayers layers_of_trace(const KinetoTrace& trace, const Network& network,
                                           const std::string& file);

/// Returns times in layer order. Throws SpecError with file and line for malformed lines, unknown
/// layers (with the nearest) and repeated layers.
[[nodiscard]] std::vector<LayerTime> read_layer_times_file(const std::string& path,
                                                           const Network& network,
                                                           const ReadLimits& limits = {});
/// Reads from memory; `file`: name for messages.
[[nodiscard]] std::vector<LayerTime> read_layer_times_text(std::string_view text,
                                                           const std::string& file,
                                                           const Network& network);

}  // namespace ooc
