// `inspect`: what a network is and needs, before any schedule.
#include <algorithm>

#include "model/cost/amounts.hpp"
#include "model/cost/compute_cost.hpp"
#include "model/graph/training_graph.hpp"
#include "simulator/summary/layer_reports.hpp"
#include "simulator/summary/summarize.hpp"

namespace ooc {

namespace {
std::optional<Dtype> adapter_type(const Network& network) {
  for (const Layer& layer : network.layers) {
    if (layer.model->parameter_type) return layer.model->parameter_type;
  }
  return {};
}
}  // namespace

std::string adapter_dtype(const Network& network) {
  const std::optional<Dtype> type = adapter_type(network);
  return type ? std::string(dtype_info(*type).name) : std::string();
}

ParameterBytes bytes_of_learnt(const TrainingGraph& graph) {
  return bytes_of_layer(graph.per_parameter, adapter_type(*graph.network));
}

NetworkReport summarize_network(const InspectionInput& input) {
  const TrainingGraph& graph = input.graph;
  check_work(graph, input.compute_model, input.batch);
  const Network& network = *graph.network;
  NetworkReport report;
  report.network = network.name;
  report.source = network.source;
  report.dtype = dtype_info(network.dtype).name;
  if (network.precision) report.precision = precision_info(*network.precision).name;
  if (graph.per_parameter.gradient_is_said) {
    report.gradient_dtype =
        dtype_info(graph.per_parameter.gradient == 4 ? Dtype::kFloat32 : network.dtype).name;
  }
  report.adapter_dtype = adapter_dtype(network);
  report.hardware = input.hardware;
  report.batch = input.batch;
  report.framework = input.framework;
  report.framework_meaning = input.framework_meaning;
  report.accounting = accounting_name(input.accounting);
  report.optimizer = optimizer_name(graph.optimizer);
  for (const NetworkInput& entry : network.inputs) {
    report.inputs.emplace_back(entry.name, entry.shape.dims);
  }
  report.parameters = total_parameters(network);
  report.trainable_parameters = trainable_parameters(network);
  report.active_parameters = active_parameters(network);
  report.forward_macs_per_sample = total_forward_macs(network);
  report.saved =
      Bytes(saved_bytes_per_sample(graph)) * input.batch + Bytes(saved_bytes_fixed(graph));
  report.weight_copies = Bytes(saved_weight_copies(graph));
  const CostTable sizes = input.costs != nullptr   ? *input.costs
                          : input.sizes != nullptr ? *input.sizes
                                                   : estimate_sizes(graph, {.batch = input.batch});
  report.static_bytes = sizes.static_bytes;
  report.per_parameter = bytes_of_learnt(graph);
  report.gradients_freed = std::any_of(sizes.held.begin(), sizes.held.end(),
                                       [](const HeldBytes& task) { return task.begun > Bytes(0); });
  report.in_core_peak = in_core_peak(graph, sizes, input.accounting);
  report.layers = layer_reports({.graph = graph,
                                 .batch = input.batch,
                                 .costs = input.costs,
                                 .compute_model = input.compute_model});
  Duration compute{0};
  report.saved_inputs = report.saved;
  for (const LayerReport& layer : report.layers) {
    report.saved_inputs -= layer.saved;
    report.forward_macs += layer.forward_macs;
    report.forward_flops += layer.forward_flops;
    report.backward_flops += layer.backward_flops;
    compute += layer.forward + layer.backward + layer.update;
  }
  if (input.costs != nullptr) report.compute_time = compute;
  report.assumed = input.assumed;
  return report;
}

}  // namespace ooc
