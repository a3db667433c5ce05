#include "simulator/predict/stated_times.hpp"

#include <fmt/format.h>

#include <vector>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

constexpr const char* kRemedy =
    "\"per\": \"sample\" in the layer says that its times and workspace are those of one sample";

/// The first layer whose times are for a batch; null: none.
const Layer* layer_for_batch(const Network& network, const std::vector<LayerTime>& measured) {
  std::vector<bool> replaced(network.layers.size());
  for (const LayerTime& time : measured) replaced[time.layer.at()] = true;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const auto& custom = network.layers[i].model->custom;
    if (custom && custom->per == CustomCost::Per::kBatch && !replaced[i]) return &network.layers[i];
  }
  return nullptr;
}

std::string remark_on(const Layer& layer, const std::string& batch) {
  return fmt::format(
      "the times of layer \"{}\" are taken for {}, as the file states no \"batch\" ({})",
      layer.name, batch, kRemedy);
}

}  // namespace

void check_stated_times(const Workload& workload, const ComputeOptions& compute) {
  const Network& network = *workload.network;
  if (!network.batch || compute.batch == *network.batch) return;
  const Layer* layer = layer_for_batch(network, compute.layer_times);
  if (layer == nullptr) return;
  throw SpecError(
      {.file = {},
       .place = "--batch",
       .found = std::to_string(compute.batch),
       .expected = fmt::format("{}, the batch of {}, for which its layer \"{}\" states times",
                               *network.batch, workload.path, layer->name),
       .hint = kRemedy});
}

void check_any_batch(const Workload& workload) {
  if (!workload.network->batch) return;
  const Layer* layer = layer_for_batch(*workload.network, {});
  if (layer == nullptr) return;
  throw SpecError({.file = workload.path,
                   .place = fmt::format("layer \"{}\"", layer->name),
                   .found = fmt::format("times for batch {}", *workload.network->batch),
                   .expected = "times that hold for any batch",
                   .hint = kRemedy});
}

std::string stated_times_remark(const Workload& workload, const ComputeOptions& compute) {
  if (workload.network->batch || compute.batch == 1) return {};
  const Layer* layer = layer_for_batch(*workload.network, compute.layer_times);
  return layer == nullptr ? "" : remark_on(*layer, fmt::format("batch {}", compute.batch));
}

std::string stated_times_remark(const Workload& workload) {
  if (workload.network->batch) return {};
  const Layer* layer = layer_for_batch(*workload.network, {});
  return layer == nullptr ? "" : remark_on(*layer, "any batch alike");
}

}  // namespace ooc
