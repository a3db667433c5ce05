// Tokens: the paper counts 6 N + 12 L H Q T FLOPs a token, half of the latter with a causal mask. Here N is what
// products multiply by (a head that is tied counts, a table that is looked up does not), and the pairs of
// a causal mask are T (T + 1) / 2.
#include "simulator/predict/figures.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulator/plan/plan_text.hpp"
#include "simulator/predict/planning.hpp"
#include "simulator/summary/equations.hpp"
#include "simulator/summary/memory_use.hpp"

namespace ooc {
namespace {

/// Of one sample, forward and backward, as the model has them. Weights that are frozen have no gradient.
double unmasked_flops(const Network& network) {
  double flops = 0;
  for (const Layer& layer : network.layers) {
    const auto macs = static_cast<double>(layer.model->forward_macs - layer.model->masked_macs);
    flops += (layer.model->is_frozen ? 4 : 6) * macs;
  }
  return flops;
}

}  // namespace

std::optional<SequenceRates> sequence_rates(const Case& which, const RunReport& report) {
  const Network& network = *which.workload.network;
  const std::optional<std::int64_t> steps = symbol_of(network, "seq");
  if (!steps || !report.feasible || report.iteration_time.count() == 0) return std::nullopt;
  const double seconds = static_cast<double>(report.iteration_time.count()) / 1e9;
  SequenceRates rates;
  const auto batch = static_cast<double>(which.inputs.batch);
  rates.tokens = batch * static_cast<double>(*steps);
  rates.tokens_per_s = rates.tokens / seconds;
  rates.model_flops = batch * unmasked_flops(network);
  const Dtype type =
      network.precision ? precision_info(*network.precision).products : network.dtype;
  const auto peak = which.hardware.peak.find(type);
  if (peak == which.hardware.peak.end()) return rates;
  rates.peak = peak->second;
  rates.mfu = rates.model_flops / (seconds * peak->second.per_second * which.inputs.devices);
  return rates;
}

Equations run_equations(const Case& which, const Schedule& schedule, const CaseRun& run) {
  if (which.moving) return {.unfit = "they are about activations, and here state moves"};
  TransferOptions transfers = which.transfers;
  const std::string mode = transfer_mode(schedule, std::string(copy_mode_name(transfers.mode)));
  transfers.mode = copy_mode_named(mode).value_or(transfers.mode);
  return equations_of({.form = schedule.closed_form,
                       .about = run.about(which),
                       .plan = std::get<Plan>(run.plan),
                       .timeline = std::get<Timeline>(*run.outcome),
                       .budget = which.budget,
                       .rates = swap_in_rates(which.hardware, transfers)});
}

// Goes through the copies in the order of time up to the first one too many.

namespace {

/// What is there all the time.
std::vector<OutOfMemory::Holder> far_homes(const TrainingGraph& graph, const FarMemory& memory) {
  OutOfMemory::Holder optimizer{.name = "optimizer state"};
  OutOfMemory::Holder weights{.name = "weights"};
  OutOfMemory::Holder sums{.name = "sums of gradients"};
  OutOfMemory::Holder buffers{.name = "buffers of gradients"};
  for (const BlockId id : memory.initial) {
    const Block& block = memory.blocks[id.at()];
    const Tensor& tensor = graph.tensors[static_cast<std::size_t>(block.object)];
    OutOfMemory::Holder& holder = tensor.role == TensorRole::kWeight           ? weights
                                  : tensor.role == TensorRole::kOptimizerState ? optimizer
                                  : tensor.home == TensorHome::kFar            ? sums
                                                                               : buffers;
    holder.bytes += block.bytes;
  }
  std::vector<OutOfMemory::Holder> homes{optimizer, weights, sums, buffers};
  std::erase_if(homes, [](const auto& holder) { return holder.bytes == Bytes(0); });
  return homes;
}

void most_first(std::vector<OutOfMemory::Holder>& holders) {
  std::ranges::stable_sort(holders, [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
}

OutOfMemory far_overflow_of_device(const Case& which, const CaseRun& run, const Timeline& timeline,
                                   Bytes peak) {
  const Plan& plan = std::get<Plan>(run.plan);
  const Iteration& about = run.about(which);
  const TrainingGraph& graph = *about.graph;
  const FarMemory memory = far_memory(plan, graph, about.costs);
  const std::int64_t capacity = which.far_capacity.count();
  OutOfMemory oom{.step = "copies out",
                  .wanted = peak,
                  .free = Bytes(0),
                  .largest_hole = Bytes(0),
                  .far_taken = peak,
                  .tier = OutOfMemory::Tier::kFar};
  oom.holders = far_homes(graph, memory);
  for (OutOfMemory::Holder& home : oom.holders) {
    home.powers_of_two = plan.far_powers_of_two;
  }
  std::int64_t used = 0;
  for (const OutOfMemory::Holder& holder : oom.holders) used += holder.bytes.count();
  if (used > capacity) {
    oom.step = "the start";  // what is in far memory all the time
    oom.wanted = Bytes(used);
    oom.free = oom.largest_hole = Bytes(capacity);
    most_first(oom.holders);
    return oom;
  }
  OutOfMemory::Holder gradients{.name = "gradients that have come"};
  OutOfMemory::Holder others{.name = "activations"};
  std::vector<std::int64_t> left(memory.blocks.size());  // steps that give a block which is there
  std::optional<StepId> refused;
  for (const auto& [step, ends] : events_of(timeline.spans)) {
    for (const BlockId id : ends ? memory.gives[step] : memory.takes[step]) {
      if (ends && --left[id.at()] != 0) continue;
      if (!ends) left[id.at()] = static_cast<std::int64_t>(memory.givers[id].size());
      const Block& block = memory.blocks[id.at()];
      if (!ends && used + block.bytes.count() > capacity) {
        oom.step = step_name(plan, graph, step);
        oom.wanted = block.bytes;
        oom.free = oom.largest_hole = Bytes(capacity - used);
        refused = step;
        break;
      }
      const Bytes change = block.bytes * (ends ? -1 : 1);
      used += change.count();
      const Tensor& tensor = graph.tensors[static_cast<std::size_t>(block.object)];
      (tensor.role == TensorRole::kWeightGradient ? gradients : others).bytes += change;
    }
    if (refused) break;
  }
  for (const OutOfMemory::Holder& holder : {gradients, others}) {
    if (which.moving && holder.bytes > Bytes(0)) oom.holders.push_back(holder);
  }
  most_first(oom.holders);
  return oom;
}

}  // namespace

OutOfMemory far_overflow(const Case& which, const CaseRun& run, const Timeline& timeline,
                         Bytes peak) {
  OutOfMemory oom = far_overflow_of_device(which, run, timeline, peak);
  const int devices = which.transfers.host_sharers;  // they do the same
  for (Bytes* bytes : {&oom.wanted, &oom.free, &oom.largest_hole, &*oom.far_taken}) {
    *bytes = *bytes * devices;
  }
  for (OutOfMemory::Holder& holder : oom.holders) holder.bytes = holder.bytes * devices;
  return oom;
}

bool lacks_near_memory(const RunReport& report) {
  return report.out_of_memory && report.out_of_memory->tier == OutOfMemory::Tier::kNear;
}

std::optional<BytesByCategory> in_core_by_category(const Case& which) {
  if (is_footprint(which.accounting) || which.devices > 1) return std::nullopt;
  const Schedule& in_core = *find_schedule("in-core");
  Case roomy = which;
  roomy.budget = Bytes(kMaxTotalBytes);
  roomy.allocator = Allocator::kIdeal;
  roomy.moving = nullptr;
  if (which.micro_batches) roomy.costs = which.micro_batches->each;
  roomy.schedule_options = {};  // the first algorithms, as in_core_peak() has them
  const PlanResult made = plan_job(roomy, in_core, roomy.budget).plan;
  const Plan* plan = std::get_if<Plan>(&made);
  if (plan == nullptr) return std::nullopt;
  SimulationBuffers buffers;
  const SimulationInput input{
      .plan = *plan, .costs = roomy.costs, .budget = roomy.budget, .records = true};
  if (simulate(input, buffers)) return std::nullopt;
  return near_memory_at_peak(*plan, which.workload.graph, buffers.timeline).held;
}

}  // namespace ooc
