// One check lives here and nowhere else: the capacity of far memory, because no stage before the simulation
// knows how much of it a plan uses.
#include "simulator/predict/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "model/base/errors.hpp"
#include "model/base/quantity_io.hpp"
#include "model/hardware/profile_json.hpp"
#include "model/network/network_json.hpp"
#include "simulator/plan/bounds_mixed.hpp"
#include "simulator/plan/plan_text.hpp"
#include "simulator/plan/wait_as_framework.hpp"
#include "simulator/predict/assumed.hpp"
#include "simulator/predict/far_overflow.hpp"
#include "simulator/predict/framework_choice.hpp"
#include "simulator/predict/layer_place.hpp"
#include "simulator/predict/margins.hpp"
#include "simulator/predict/moving_plan.hpp"
#include "simulator/predict/paged_plan.hpp"
#include "simulator/predict/planning.hpp"
#include "simulator/predict/remarks.hpp"
#include "simulator/predict/round_costs.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "simulator/predict/sequence_rates.hpp"
#include "simulator/predict/stated_times.hpp"
#include "simulator/schedules/option_table.hpp"
#include "simulator/summary/in_core_peak.hpp"
#include "simulator/summary/memory_use.hpp"

namespace ooc {
namespace {

bool has_batch_norm(const Network& network) {
  return std::any_of(network.layers.begin(), network.layers.end(), [](const Layer& layer) {
    return layer.kind != nullptr && layer.kind->name == "batch_norm";
  });
}

/// "" where every task is known one way only.
std::string_view algorithms_text(const Case& which, const Schedule& schedule) {
  if (which.costs.alternatives.size() == which.workload.graph.tasks.size()) return "";
  return schedule.is(Trait::kChoosesAlgorithms)
             ? "own"
             : algorithms_name(which.schedule_options.algorithms);
}

/// The same error, about a file that the model knows by its name only.
[[noreturn]] void throw_about(const std::string& path, const SpecError& error) {
  SpecError::Parts parts = error.parts();
  parts.file = path;
  throw SpecError(std::move(parts));
}

CostTable costs_of(const Workload& workload, const Machine& machine, const ComputeOptions& compute,
                   const CaseOptions& options) {
  try {
    CostTable costs = estimate_compute(workload.graph, machine.profile, compute);
    costs.transfers =
        estimate_transfers(costs.tensor_bytes, machine.profile, transfers_of(options));
    return costs;
  } catch (const SpecError& error) {
    const bool network_at_fault = !error.parts().file.empty() && error.parts().place == "--batch";
    if (network_at_fault) throw_too_large(error, workload, options);
    throw;
  }
}

void check_adam(const Workload& workload, const CaseOptions& options) {
  const Optimizer optimizer = workload.graph.optimizer;
  if (options.adam == AdamKernels::kFused || optimizer == Optimizer::kAdam) return;
  throw SpecError({.file = "",
                   .place = "--adam",
                   .found = fmt::format("{} beside the optimizer {}",
                                        adam_kernels_name(options.adam), optimizer_name(optimizer)),
                   .expected = "--optimizer adam",
                   .hint = {}});
}

NetworkOptions network_options(const CaseOptions& options) {
  return {.limits = options.limits,
          .dtype = options.dtype,
          .precision = options.precision,
          .copies = options.copies,
          .symbols = options.symbols,
          .long_sequences = options.long_sequences,
          .families = options.families,
          .kernels = options.kernels,
          .loss = options.loss,
          .adapters = options.adapters};
}

/// Sees no other option, so that equal ones mean equal workloads.
Workload read_by(const std::string& path, const WorkloadOptions& options) {
  Workload workload;
  workload.path = path;
  workload.network = std::make_unique<const Network>(read_network_file(path, options.network));
  try {
    workload.graph = build_training_graph(*workload.network, options.graph);
  } catch (const SpecError& error) {
    const std::string& where = error.parts().place;
    constexpr std::string_view kLayer = "layer \"";
    if (!where.starts_with(kLayer) || !where.ends_with('"')) throw_about(path, error);
    throw_at_layer(path, options.network.limits,
                   where.substr(kLayer.size(), where.size() - kLayer.size() - 1), "in_place",
                   error);
  }
  return workload;
}

}  // namespace

WorkloadOptions workload_options(const CaseOptions& options) {
  return {.network = network_options(options), .graph = graph_options_of(options)};
}

Workload read_workload(const std::string& path, const CaseOptions& options) {
  return read_by(path, workload_options(options));
}

Machine read_machine(const std::string& path, const ProfileSources& sources) {
  return {.path = path, .profile = read_profile_file(path, sources)};
}

std::string_view allocator_name(Allocator allocator) {
  switch (allocator) {
    case Allocator::kIdeal:
      return "ideal";
    case Allocator::kFirstFit:
      return "first-fit";
    case Allocator::kBestFit:
      return "best-fit";
    case Allocator::kCaching:
      return "caching";
  }
  return "";
}

std::string_view compute_name(ComputeModel model) {
  return model == ComputeModel::kNative ? "native" : "paleo";
}

std::string_view exchange_name(Exchange exchange) {
  return exchange == Exchange::kEnd ? "end" : "overlap";
}

void throw_too_large(const SpecError& error, const Workload& workload, const CaseOptions& options) {
  SpecError::Parts parts = error.parts();
  if (!options.batch) {
    parts.file = workload.path;
    parts.place = workload.network->batch ? "/batch" : "/layers";
  } else {
    parts.file.clear();
  }
  parts.found = fmt::format("{} ({})", batch_of(options, *workload.network), parts.found);
  throw SpecError(std::move(parts));
}

std::int64_t batch_of(const CaseOptions& options, const Network& network) {
  if (options.batch) return *options.batch;
  if (network.batch) return *network.batch;
  // Stated times are those of the batch that they were measured at.
  const bool all_stated =
      std::all_of(network.layers.begin(), network.layers.end(),
                  [](const Layer& layer) { return layer.model->custom.has_value(); });
  if (options.per_sample || all_stated) return 1;
  throw SpecError({.file = "",
                   .place = "--batch",
                   .found = fmt::format("none, and none in the network {}", network.name),
                   .expected = "the samples of an iteration, e.g. --batch 32",
                   .hint = "`ooc-paleo max-batch` finds the largest that fits"});
}

Bytes budget_of(const CaseOptions& options, const HardwareProfile& hardware) {
  if (options.memory) return *options.memory;
  const MemoryTier& near = hardware.near_memory;
  const Framework& framework = framework_of(options.framework);
  const Bytes taken = framework.context.value_or(near.reserved);
  if (taken >= near.capacity) {
    throw SpecError(
        {.file = "",
         .place = "--framework",
         .found = fmt::format("a context of {} in {}", exact_bytes(taken), framework.name),
         .expected = fmt::format("less than the near memory of {}, {}", hardware.name,
                                 exact_bytes(near.capacity)),
         .hint = "or --memory, which counts for itself"});
  }
  const auto rest = static_cast<double>((near.capacity - taken).count());
  return Bytes(static_cast<std::int64_t>(rest * framework.memory_share));
}

Bytes far_capacity_of(const CaseOptions& options, const HardwareProfile& hardware) {
  return options.far_memory.value_or(hardware.far_memory.capacity);
}

void repeat_prices(const TransferOptions& transfers, RunInputs& inputs) {
  inputs.link = transfers.link;
  inputs.link_to_far = transfers.link_to_far;
  inputs.link_to_near = transfers.link_to_near;
  inputs.far_throughput = transfers.far_throughput;
  inputs.latency = transfers.latency;
  inputs.duplex = transfers.duplex;
}

RunInputs inputs_of(const Workload& workload, const HardwareProfile& hardware,
                    const CaseOptions& options) {
  RunInputs inputs;
  inputs.network = workload.network->name;
  inputs.hardware = hardware.name;
  inputs.memory = budget_of(options, hardware);
  inputs.memory_given = options.memory.has_value();
  inputs.far_memory = far_capacity_of(options, hardware);
  inputs.far_memory_given = options.far_memory.has_value();
  inputs.batch = batch_of(options, *workload.network);
  inputs.symbols = workload.network->symbols;
  inputs.accounting = accounting_name(options.graph.accounting);
  inputs.dtype = dtype_info(workload.network->dtype).name;
  if (const auto& precision = workload.network->precision) {
    inputs.precision = precision_info(*precision).name;
  }
  if (const auto& gradient = options.graph.gradient_dtype) {
    inputs.gradient_dtype = dtype_info(*gradient).name;
  }
  inputs.adapter_dtype = adapter_dtype(*workload.network);
  inputs.flash_attention =
      std::any_of(workload.network->layers.begin(), workload.network->layers.end(),
                  [](const Layer& layer) { return layer.model && layer.model->is_fused_product; });
  inputs.optimizer = optimizer_name(workload.graph.optimizer);
  if (options.adam != AdamKernels::kFused) inputs.adam = adam_kernels_name(options.adam);
  inputs.framework = framework_of(options.framework).name;
  inputs.framework_meaning = framework_of(options.framework).meaning;
  inputs.allocator = allocator_name(allocator_of(options));
  inputs.compute = compute_name(options.compute);
  inputs.mode = copy_mode_name(options.transfers.mode);
  repeat_prices(options.transfers, inputs);
  inputs.compute_scale = options.compute_scale;
  inputs.devices = options.devices;
  inputs.exchange = exchange_name(options.exchange);
  inputs.far_compute = options.far_compute;
  if (options.state.any()) inputs.offload = state_text(options.state);
  return inputs;
}

Case make_case(const Workload& workload, const Machine& machine, const CaseOptions& options) {
  check_adam(workload, options);
  const HardwareProfile& hardware = machine.profile;
  Case made{.workload = workload,
            .hardware = hardware,
            .accounting = options.graph.accounting,
            .allocator = allocator_of(options),
            .costs = {},
            .in_core_peak = {},
            .budget = budget_of(options, hardware),
            .far_capacity = far_capacity_of(options, hardware),
            .inputs = inputs_of(workload, hardware, options),
            .compute_model = options.compute,
            .schedule_options = options.schedule,
            .framework = options.framework,
            .compute = {.model = options.compute,
                        .batch = batch_of(options, *workload.network),
                        .compute_scale = options.compute_scale.value_or(kOne),
                        .layer_times = options.layer_times,
                        .software = software_of(options, hardware),
                        .workspace = framework_of(options.framework).workspace,
                        .mode = options.mode,
                        .adam = options.adam,
                        .gradient_buffers = gradient_buffers_of(options)},
            .transfers = transfers_of(options),
            .devices = options.devices,
            .exchange = options.exchange};
  const ComputeOptions& compute = made.compute;
  if (!compute.layer_times.empty()) {
    made.inputs.layer_times = static_cast<int>(compute.layer_times.size());
  }
  check_stated_times(workload, compute);
  made.costs = costs_of(workload, machine, compute, options);
  if (options.devices > 1) {
    check_devices_of_batch(options.devices, compute.batch);
    made.costs = round_costs(made, split_batch(compute.batch, options.devices).front());
  }
  hold_as_framework(options, workload.graph, made.costs);
  if (auto text = dtype_remark(*workload.network, &hardware, options)) {
    made.remarks.push_back(*std::move(text));
  }
  if (hardware.devices > 1 && options.devices == 1) {
    made.remarks.push_back(devices_remark(hardware.devices));
  }
  made.in_core_peak = in_core_peak(workload.graph, made.costs, options.graph.accounting);
  if (options.state.any()) add_moving_state(made, options);
  return made;
}

Bytes CaseRun::allowed(const Case& which) const {
  return allocator_limit.value_or(simulated_budget(which));
}

std::optional<CaseRun> plan_case(const Case& which, const Schedule& schedule, ToBeat to_beat,
                                 CaseBuffers& buffers) {
  std::optional<CaseRun> run = plan_with_margins(which, schedule, to_beat, buffers.simulation);
  buffers.far_use.reset();
  buffers.paper = {};
  if (run && std::holds_alternative<Plan>(run->plan)) {
    buffers.far_use = far_use(std::get<Plan>(run->plan), run->graph(which), run->costs(which));
  }
  return run;
}

void simulate_case(const Case& which, CaseRun& run, CaseBuffers& buffers) {
  Timeline& lent = buffers.simulation.timeline;
  if (run.outcome) {
    // Back to where it was lent from, with all that its vectors have grown to.
    if (auto* timeline = std::get_if<Timeline>(&*run.outcome)) lent = std::move(*timeline);
  }
  run.outcome.reset();
  run.far_overflow.reset();
  run.peak_far.reset();
  const Plan* plan = std::get_if<Plan>(&run.plan);
  if (plan == nullptr) return;

  auto blocked = simulate({.plan = *plan,
                           .costs = run.costs(which),
                           .budget = run.allowed(which),
                           .allocator = run.allocator(which),
                           .records = buffers.records || !buffers.far_use},
                          buffers.simulation);
  if (blocked) {
    run.outcome.emplace(*std::move(blocked));
    return;
  }
  if (is_footprint(which.accounting)) lent.peak_near = which.in_core_peak;
  const Bytes far =
      buffers.far_use
          ? peak_far_bytes(*buffers.far_use, lent)
          : peak_far_by_category(*plan, run.graph(which), run.costs(which), lent).total();
  if (far > which.far_capacity) {
    run.far_overflow = far_overflow(which, run, lent, far);
    return;
  }
  run.peak_far = far;
  run.outcome.emplace(std::move(lent));
}

CaseRun run_case(const Case& which, const Schedule& schedule, Bounds bounds) {
  ScheduledCase scheduled(which, schedule);
  (void)scheduled.run();
  if (bounds == Bounds::kAll) scheduled.bound();
  return std::move(scheduled).take();
}

void bound_run(const Case& which, const Schedule& schedule, CaseRun& run) {
  const Plan* plan = std::get_if<Plan>(&run.plan);
  if (plan == nullptr) return;
  const bool added = compresses(schedule, which.schedule_options);
  MemoryPressure pressure;
  // A graph with tensors compressed has tasks that nobody has to run.
  find_memory_pressure(added ? which.workload.graph : run.bounded_graph(which),
                       added ? which.costs : run.share_costs(which), simulated_budget(which),
                       pressure);
  if (!pressure.feasible) return;
  // What memory forces on a schedule that only moves tensors, others may avoid.
  if (!only_moves_tensors(schedule, which.schedule_options)) pressure.cuts.clear();
  // Of unequal shares only the first one's pressure is known.
  const bool equal = which.inputs.batch % which.devices == 0;
  run.bounds = bound_cuts(pressure, run.share_costs(which).transfers, equal ? which.devices : 1);
  if (run.devices) {
    run.bounds->add(exchange_bound(*run.devices, which.exchange));
    run.bounds->raise(fetch_bound(*run.devices, pressure));
  }
  if (which.moving) {
    const bool again = std::any_of(plan->steps.begin(), plan->steps.end(),
                                   [](const Step& step) { return step.recompute; });
    run.bounds->raise(state_bound(*run.rounds->moving, run.costs(which),
                                  again ? TaskOrder::kAny : TaskOrder::kOnce));
  }
  if (added) return;
  if (!only_moves_tensors(schedule, which.schedule_options)) {
    if (which.moving) return;  // what it books is not what such a plan must hold
    // Of several devices the first one's: others, and their exchange, only delay it.
    const auto mixed = bound_mixed(run.share_graph(which), run.share_costs(which),
                                   simulated_budget(which), MixedEffort::kWhole);
    if (!mixed) return;
    run.bounds->raise(mixed->best());
    run.bounds_recomputing = true;
    return;
  }
  Duration windows = bound_windows(run.bounded_graph(which), run.share_costs(which), pressure);
  if (run.devices) windows += exchange_bound(*run.devices, which.exchange);
  run.bounds->windows = std::max(run.bounds->cut, windows);
}

namespace {

std::string_view class_of_bounds(const Case& which, const Schedule& schedule, const CaseRun& run) {
  const bool moves = only_moves_tensors(schedule, which.schedule_options);
  if (which.moving) {
    return moves ? "schedules that only move tensors, with this placement of state"
                 : "schedules of any kind, with this placement of state";
  }
  if (run.bounds_recomputing) return "schedules that move or recompute tensors";
  return moves ? "schedules that only move tensors" : "schedules of any kind";
}

SummaryInput summary_of(const Case& which, const Schedule& schedule, const CaseRun& run,
                        const RunInputs& inputs) {
  return {.inputs = inputs,
          .graph = which.workload.graph,
          .costs = which.costs,
          .plan = run.verdict(),
          .outcome = run.outcome,
          .rounds = run.rounds.get(),
          .devices = run.devices.get(),
          .in_core_peak = which.in_core_peak,
          .bounds = run.bounds,
          .bound_class = class_of_bounds(which, schedule, run),
          .compute_model = which.compute_model,
          .closed_form = which.moving ? ClosedForm::kNone : schedule.closed_form,
          .peak_far = run.peak_far,
          .moving = which.moving.get()};
}

}  // namespace

RunReport report_case(const Case& which, const Schedule& schedule, const CaseRun& run,
                      Detail detail) {
  RunInputs inputs = which.inputs;
  inputs.schedule = schedule.name;
  inputs.mode = transfer_mode(schedule, inputs.mode);
  inputs.allocator = allocator_name(run.allocator(which));
  inputs.options = options_text(schedule, which.schedule_options);
  inputs.algorithms = algorithms_text(which, schedule);
  SummaryInput input = summary_of(which, schedule, run, inputs);
  input.assumed = assumed_in_use(which.hardware, inputs, framework_of(which.framework));
  input.detail = detail;
  RunReport report = summarize(input);
  report.sequence = sequence_rates(which, report);
  report.in_words = schedule.is(Trait::kOptimizes);
  report.remarks = which.remarks;
  report.norms_by_round = report.rounds > 1 && has_batch_norm(*which.workload.network);
  if (report.norms_by_round) report.remarks.push_back(norms_remark(report.sub_batch));
  const std::string stated = stated_times_remark(which.workload, which.compute);
  if (!stated.empty()) report.remarks.push_back(stated);
  if (which.moving) add_state_words(which, report);
  report.planned_for = run.planned_for;
  report.keeps_gradients = run.keeps_gradients;
  if (run.keeps_gradients) report.remarks.push_back(kept_gradients_remark());
  if (run.planned_for) report.remarks.push_back(margin_remark(*run.planned_for, which.budget));
  return report;
}

void report_again(const Case& which, const Schedule& schedule, const CaseRun& run,
                  CaseBuffers& buffers, RunReport& report) {
  repeat_prices(which.transfers, report.inputs);
  SummaryInput input = summary_of(which, schedule, run, report.inputs);
  input.detail = Detail::kTotals;
  input.paper = &buffers.paper;
  summarize_again(input, report);
  report.sequence = sequence_rates(which, report);
}

RunReport predict(const Case& which, const Schedule& schedule, Detail detail) {
  return report_case(which, schedule, run_case(which, schedule, Bounds::kAll), detail);
}

}  // namespace ooc
