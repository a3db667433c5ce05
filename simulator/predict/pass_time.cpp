#include "simulator/predict/pass_time.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "model/base/errors.hpp"
#include "model/base/precision.hpp"
#include "model/cost/kernel_cost.hpp"
#include "model/cost/transfer_cost.hpp"
#include "simulator/predict/scheduled_case.hpp"

namespace ooc {
namespace {

/// All tensors and the largest workspace together, by the limits of model/base/units.hpp.
constexpr Bytes kEnough(2 * kMaxTotalBytes);

/// Tasks of the part.
std::size_t tasks_of(const TrainingGraph& graph, TimedPass pass) {
  switch (pass) {
    case TimedPass::kForward:
      return graph.forward_tasks;
    case TimedPass::kForwardBackward:
      return graph.backward_end;
    case TimedPass::kTraining:
      break;
  }
  return graph.tasks.size();
}

}  // namespace

CaseOptions in_core_options(CaseOptions options) {
  options.memory = kEnough;
  options.schedule.algorithms = AlgorithmChoice::kPerformance;
  return options;
}

Duration time_of_pass(const Case& which, TimedPass pass) {
  const Schedule* in_core = find_schedule("in-core");
  OOC_CHECK(in_core != nullptr, "in-core is a schedule");
  const CaseRun run = run_case(which, *in_core, Bounds::kNone);
  const Plan* plan = std::get_if<Plan>(&run.plan);
  const Timeline* timeline = run.timeline();
  OOC_CHECK(plan != nullptr && timeline != nullptr, "what is timed in core fits");
  const std::size_t tasks = tasks_of(which.workload.graph, pass);
  Duration end;
  for (std::size_t i = 0; i < plan->steps.size(); ++i) {
    const Step& step = plan->steps[i];
    if (step.kind != StepKind::kCompute || static_cast<std::size_t>(step.object) >= tasks) continue;
    end = std::max(end, timeline->spans[i].end);
  }
  return end;
}

Duration input_gradient_time(const Case& which) {
  if (!which.hardware.kernels) return {};
  const KernelPlatform platform = kernel_platform(which.hardware, which.compute.software);
  const KernelPricer pricer(which.workload.graph, platform, which.inputs.batch);
  double seconds = 0;
  const std::vector<Layer>& layers = which.workload.network->layers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].model->convolution == nullptr) continue;
    if (!std::holds_alternative<InputId>(layers[i].inputs.front())) continue;
    seconds += pricer.input_gradient_seconds(make_id<LayerId>(i));
  }
  return Duration(std::llround(seconds * 1e9));
}

Duration parameter_copies_time(const Case& which, TimedPass pass) {
  const Network& network = *which.workload.network;
  std::vector<Bytes> sizes;
  for (const Layer& layer : network.layers) {
    if (layer.model->parameters == 0) continue;
    sizes.emplace_back(layer.model->parameters * dtype_info(network.dtype).bytes);
  }
  const TransferCosts copies = estimate_transfers(sizes, which.hardware, {});
  Duration time;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    time += copies.to_near[i].alone;
    if (pass != TimedPass::kForward) time += copies.to_far[i].alone;
  }
  return time;
}

}  // namespace ooc
