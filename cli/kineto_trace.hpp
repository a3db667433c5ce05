// Measured times by layer from a trace of torch.profiler (`--layer-times FILE`; Kineto's JSON, also .gz). The trace is
// read as a stream: memory grows with its operators alone.
#pragma once

#include <string>
#include <vector>

#include "model/cost/compute_cost.hpp"
#include "model/network/network.hpp"

namespace ooc {

struct TracedLayers {
  std::vector<LayerTime> times;  ///< times of one pass, in layer order; only layers with a time
  std::string coverage;          ///< remark: share of the trace's time that was assigned to layers
};

/// True for a file that contains a JSON object, also within gzip.
[[nodiscard]] bool is_kineto_trace(const std::string& path);

/// Returns times by layer: a range with a layer's name is that layer; else the N-th operator of a kind in a pass is
/// that kind's N-th layer. Ranges are of torch.profiler.record_function and, in traces with stacks, of modules. Kinds
/// with differing numbers get no times. Throws SpecError if the file is not a trace, and if under half of the time fits.
[[nodiscard]] TracedLayers read_kineto_trace(const std::string& path, const Network& network);

}  // namespace ooc
