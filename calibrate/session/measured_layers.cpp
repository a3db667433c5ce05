// Keys and names are the measuring program's own (docs/gpu-protocol.md, "layer"). Left out is what
// has no time, what is no convolution, and algorithms that a profile has no word for.
#include "calibrate/session/measured_layers.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "calibrate/fit/statistics.hpp"
#include "calibrate/session/measurements.hpp"

namespace ooc {
namespace {

std::optional<ConvolutionPass> pass_of(const KeyValues& keys) {
  const auto pass = find_value(keys, "pass");
  if (pass == "forward") return ConvolutionPass::kForward;
  if (pass == "backward_data") return ConvolutionPass::kBackwardData;
  if (pass == "backward_weights") return ConvolutionPass::kBackwardWeights;
  return std::nullopt;
}

std::int64_t number_of(const KeyValues& keys, const std::string& key, std::int64_t usual) {
  return find_integer(keys, key).value_or(usual);
}

/// None where the sizes are no convolution's.
std::optional<ConvolutionDim> dim_of(const KeyValues& keys, const std::string& size,
                                     const std::string& end) {
  ConvolutionDim dim;
  dim.input = number_of(keys, size, 0);
  dim.kernel = number_of(keys, "kernel_" + end, 0);
  dim.stride = number_of(keys, "stride_" + end, 1);
  dim.dilation = number_of(keys, "dilation_" + end, 1);
  const std::int64_t pad = number_of(keys, "pad_" + end, 0);
  for (const std::int64_t size_above_zero : {dim.input, dim.kernel, dim.stride, dim.dilation}) {
    if (size_above_zero < 1 || size_above_zero > kMaxBatch) return std::nullopt;
  }
  if (pad < 0 || pad > kMaxBatch) return std::nullopt;
  dim.padding = 2 * pad;
  const Int128 extent = Int128{dim.dilation} * (dim.kernel - 1) + 1;
  const Int128 free = Int128{dim.input} + dim.padding - extent;
  if (free < 0) return std::nullopt;
  dim.output = static_cast<std::int64_t>(free / dim.stride) + 1;
  return dim;
}

std::vector<MeasuredAlgorithm> algorithms_of(const SampleGroup& group) {
  std::vector<MeasuredAlgorithm> algorithms;
  for (const MetricSamples& metric : group.metrics) {
    if (metric.metric != "time" || metric.ns.empty()) continue;
    const auto name = find_algorithm(find_value(metric.attributes, "algorithm").value_or(""));
    const auto time = std::llround(summarize_times(metric.ns).median);
    const auto workspace = find_integer(metric.attributes, "workspace_bytes");
    if (!name || time <= 0 || !workspace || *workspace < 0) continue;
    algorithms.push_back(
        {.algorithm = *name, .time = Duration(time), .workspace = Bytes(*workspace)});
  }
  return algorithms;
}

std::optional<MeasuredLayer> layer_of(const SampleGroup& group) {
  const KeyValues& keys = group.request;
  const auto pass = pass_of(keys);
  const auto dtype = find_dtype(find_value(keys, "dtype").value_or(""));
  const auto high = dim_of(keys, "height", "h");
  const auto wide = dim_of(keys, "width", "w");
  if (!pass || !dtype || !high || !wide) return std::nullopt;
  MeasuredLayer layer{.pass = *pass,
                      .dtype = *dtype,
                      .batch = number_of(keys, "batch", 0),
                      .shape = {.channels = number_of(keys, "channels", 0),
                                .filters = number_of(keys, "filters", 0),
                                .groups = number_of(keys, "groups", 1),
                                .dims = {*high, *wide}},
                      .algorithms = algorithms_of(group)};
  const ConvolutionShape& shape = layer.shape;
  for (const std::int64_t size : {layer.batch, shape.channels, shape.filters, shape.groups}) {
    if (size < 1 || size > kMaxBatch) return std::nullopt;
  }
  const bool divides = shape.channels % shape.groups == 0 && shape.filters % shape.groups == 0;
  if (!divides || layer.algorithms.empty()) return std::nullopt;
  return layer;
}

}  // namespace

std::vector<MeasuredLayer> measured_layers(const SampleSet& set) {
  std::vector<MeasuredLayer> layers;
  for (const SampleGroup* group : groups_of(set, "layer")) {
    if (!has_value(*group, "kind", "conv")) continue;
    std::optional<MeasuredLayer> layer = layer_of(*group);
    if (!layer) continue;
    const bool known = std::any_of(layers.begin(), layers.end(), [&](const MeasuredLayer& other) {
      return other.pass == layer->pass && other.dtype == layer->dtype &&
             other.batch == layer->batch && other.shape == layer->shape;
    });
    if (!known) layers.push_back(*std::move(layer));
  }
  return layers;
}

}  // namespace ooc
