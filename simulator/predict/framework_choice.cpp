#include "simulator/predict/framework_choice.hpp"

#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"
#include "model/cost/compute_cost.hpp"
#include "model/cost/cost_table.hpp"

namespace ooc {

const Framework& framework_of(const std::shared_ptr<const Framework>& framework) {
  static const Framework kIdeal;
  return framework ? *framework : kIdeal;
}

Allocator allocator_of(const CaseOptions& options) {
  if (options.allocator) return *options.allocator;
  return framework_of(options.framework).allocator == FrameworkAllocator::kCaching
             ? Allocator::kCaching
             : Allocator::kIdeal;
}

bool frees_gradients(const CaseOptions& options) {
  // What a framework does with gradients that leave or are shared out is StateOptions'.
  StateOptions stays = options.state;
  if (stays.update == UpdateAt::kNear) stays.optimizer.reset();
  return framework_of(options.framework).weight_gradients == WeightGradients::kFreed &&
         options.graph.accounting == Accounting::kLiveness && options.devices == 1 &&
         !stays.any();
}

void hold_as_framework(const CaseOptions& options, const TrainingGraph& graph, CostTable& costs) {
  if (!frees_gradients(options)) return;
  free_gradients(graph, costs);
  if (framework_of(options.framework).inputs == HeldInputs::kThroughout) hold_inputs(graph, costs);
  if (allocator_of(options) == Allocator::kCaching && !options.state.any()) {
    make_states_late(graph, costs);
  }
}

CostTable sizes_of(const CaseOptions& options, const TrainingGraph& graph, std::int64_t batch) {
  CostTable sizes = estimate_sizes(graph, {.model = options.compute,
                                           .batch = batch,
                                           .adam = options.adam,
                                           .gradient_buffers = gradient_buffers_of(options),
                  .each_save = framework_of(options.framework).copies.each_save});
  hold_as_framework(options, graph, sizes);
  return sizes;
}

TransferOptions transfers_of(const CaseOptions& options) {
  TransferOptions transfers = options.transfers;
  transfers.pinning = framework_of(options.framework).copies.pinned_cost;
  transfers.host_sharers = sharing_devices(options);
  return transfers;
}

GraphOptions graph_options_of(const CaseOptions& options) {
  GraphOptions graph = options.graph;
  if (!options.framework) return graph;
  graph.keeping = options.framework->keeping;
  if (graph.accounting == Accounting::kDefineByRun && graph.keeping != Keeping{}) {
    bad_value("--accounting", "define-by-run beside the framework " + options.framework->name,
              "one of the two: both say what is kept for backward",
              "the framework alone is the finer one");
  }
  return graph;
}

GradientBuffers gradient_buffers_of(const CaseOptions& options) {
  GradientBuffers buffers = framework_of(options.framework).gradient_buffers;
  buffers.keeps_holes = allocator_of(options) == Allocator::kCaching;
  return buffers;
}

std::optional<Software> software_of(const CaseOptions& options, const HardwareProfile& hardware) {
  if (options.software || !options.framework) return options.software;
  Software software = options.framework->software;
  if (const auto& cudnn = options.framework->cudnn ? options.framework->cudnn : hardware.cudnn) {
    software.cudnn = *cudnn;
  }
  return software;
}

}  // namespace ooc
