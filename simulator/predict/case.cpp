#include "simulator/predict/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/base/json_writer.hpp"
#include "model/base/quantity_io.hpp"
#include "simulator/predict/planning.hpp"
#include "simulator/predict/remarks.hpp"

namespace ooc {
namespace {

/// About the flag if --batch was given, else about the file.
[[noreturn]] void throw_too_large(const SpecError& error, const Workload& workload,
                                  const CaseOptions& options) {
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

/// "block/3/conv" -> block, conv: copies are numbered, names have no slash.
std::vector<std::string> entry_names(const std::string& layer) {
  std::vector<std::string> names;
  for (std::size_t begin = 0, part = 0; begin <= layer.size(); ++part) {
    const std::size_t end = std::min(layer.find('/', begin), layer.size());
    if (part % 2 == 0) names.push_back(layer.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

std::optional<SpecView> find_layer(const SpecView& root, const std::string& layer) {
  SpecView place = root;
  for (const std::string& wanted : entry_names(layer)) {
    std::optional<SpecView> next;
    const std::optional<SpecView> layers = place.find("layers");
    if (!layers) return std::nullopt;
    const std::vector<SpecView> items = layers->items();
    for (std::size_t i = 0; i < items.size() && !next; ++i) {
      const std::optional<SpecView> name = items[i].find("name");
      if ((name ? name->as_text() : "repeat" + std::to_string(i)) == wanted) next = items[i];
    }
    if (!next) return std::nullopt;
    place = *next;
  }
  return place;
}

/// `error` about the layer called `layer` (copies of repeats as "block/3/conv"), at its `key` in `file`
/// with JSON pointer and line; `error` itself, about `file`, where the file has no such place.
// The file is read again: what costs a second is fine for an error, and networks need not remember where
// each of a million layers stood.
[[noreturn]] void throw_at_layer(const std::string& file, const ReadLimits& limits,
                                 const std::string& layer, std::string_view key,
                                 const SpecError& error) {
  SpecError::Parts parts = error.parts();
  parts.file = file;
  std::optional<SpecDocument> document;
  try {
    document = read_spec_file(file, limits);
  } catch (const SpecError&) {  // a pipe is read only once
    throw SpecError(std::move(parts));
  }
  const auto place = find_layer(SpecView(*document), layer);
  if (!place) throw SpecError(std::move(parts));
  const std::optional<SpecView> at = place->find(key);
  (at ? *at : *place)
      .fail(parts.found + " of layer " + in_quotes(layer), parts.expected, parts.hint);
}

/// The same error, about a file that the model knows by its name only.
[[noreturn]] void throw_about(const std::string& path, const SpecError& error) {
  SpecError::Parts parts = error.parts();
  parts.file = path;
  throw SpecError(std::move(parts));
}

/// Such as "62.0 %-of-peak paleo".
std::string compute_text(const CaseOptions& options) {
  if (options.compute == ComputeModel::kNative) return "native";
  if (options.percent_of_peak == kOne) return "paleo";
  return format_percent(options.percent_of_peak / kOne) + "-of-peak paleo";
}

Exchange exchange_of(const CaseOptions& options) {
  return options.exchange.value_or(framework_of(options.framework).exchange);
}

/// The framework's buffers, with holes if the allocator in use keeps them.
GradientBuffers gradient_buffers_of(const CaseOptions& options) {
  GradientBuffers buffers = framework_of(options.framework).gradient_buffers;
  if (buffers.exchanged && options.devices > sharing_devices(options))
    buffers.buckets = GradientBuffers::kAll;
  buffers.keeps_holes = allocator_of(options) == Allocator::kCaching;
  buffers.state_shards = sharing_devices(options);
  if (options.state.shards(Shard::kWeights)) buffers.weight_shards = options.state.devices;
  return buffers;
}

/// True if weight gradients are allocated only from their first writer on.
bool frees_gradients(const CaseOptions& options) {
  // What a framework does with gradients that leave, are shared out or have buffers is StateOptions'.
  StateOptions stays = options.state;
  const bool has_buffers = stays.far_gradients == FarGradients::kAllocated;
  if (stays.update == UpdateAt::kNear || !(stays.gradients || has_buffers)) stays.optimizer.reset();
  return framework_of(options.framework).weight_gradients == WeightGradients::kFreed &&
         options.graph.accounting == Accounting::kLiveness && options.devices == 1 && !stays.any();
}

/// Applies free_gradients() and hold_inputs() as the framework does.
void hold_as_framework(const CaseOptions& options, const TrainingGraph& graph, CostTable& costs) {
  if (!frees_gradients(options)) return;
  free_gradients(graph, costs);
  if (framework_of(options.framework).inputs == HeldInputs::kThroughout) hold_inputs(graph, costs);
  if (allocator_of(options) == Allocator::kCaching && !options.state.any()) {
    make_states_late(graph, costs);
  }
}

int devices_of_job(const CaseOptions& options) {
  return std::max(options.devices, options.state.devices);
}

/// The options' own, with what devices share and the framework's cost of pinning memory.
TransferOptions transfers_of(const CaseOptions& options, const HardwareProfile& hardware) {
  TransferOptions transfers = options.transfers;
  transfers.pinning = framework_of(options.framework).copies.pinned_cost;
  transfers.sharers = std::min(devices_of_job(options), hardware.devices);
  transfers.host_sharers = devices_of_host(options, hardware);
  return transfers;
}

void repeat_budgets(const CaseOptions& options, const HardwareProfile& hardware,
                    RunInputs& inputs) {
  inputs.memory = budget_of(options, hardware);
  inputs.memory_given = options.memory.has_value();
  inputs.far_memory = far_memory_of(options, hardware);
  inputs.far_memory_given = options.far_memory.has_value();
}

CostTable costs_of(const Workload& workload, const Machine& machine, const ComputeOptions& compute,
                   const CaseOptions& options) {
  try {
    CostTable costs = estimate_compute(workload.graph, machine.profile, compute);
    costs.transfers = estimate_transfers(costs.link_bytes(), machine.profile,
                                         transfers_of(options, machine.profile));
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
  bad_value("--adam",
            fmt::format("{} beside the optimizer {}", adam_kernels_name(options.adam),
                        optimizer_name(optimizer)),
            "--optimizer adam");
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
  return {.network = options, .graph = graph_options_of(options)};
}

Workload read_workload(const std::string& path, const CaseOptions& options) {
  return read_by(path, workload_options(options));
}

Machine read_machine(const std::string& path, const ProfileSources& sources) {
  return {.path = path, .profile = read_profile_file(path, sources)};
}

std::string_view allocator_name(Allocator allocator) {
  return text_at(allocator, {"ideal", "first-fit", "best-fit", "caching"});
}

std::int64_t batch_of(const CaseOptions& options, const Network& network) {
  if (options.batch) return *options.batch;
  if (network.batch) return *network.batch;
  // Stated times are those of the batch that they were measured at.
  const bool all_stated = std::ranges::all_of(
      network.layers, [](const Layer& layer) { return layer.model->custom.has_value(); });
  if (options.per_sample || all_stated) return 1;
  bad_value("--batch", fmt::format("none, and none in the network {}", network.name),
            "the samples of an iteration, e.g. --batch 32",
            "`ooc-paleo max-batch` finds the largest that fits");
}

Bytes budget_of(const CaseOptions& options, const HardwareProfile& hardware) {
  if (options.memory) return *options.memory;
  const MemoryTier& near = hardware.near_memory;
  const Framework& framework = framework_of(options.framework);
  const Bytes taken = framework.context.value_or(near.reserved);
  if (taken >= near.capacity) {
    bad_value("--framework",
              fmt::format("a context of {} in {}", exact_bytes(taken), framework.name),
              fmt::format("less than the near memory of {}, {}", hardware.name,
                          exact_bytes(near.capacity)),
              "or --memory, which counts for itself");
  }
  const auto rest = static_cast<double>((near.capacity - taken).count());
  return Bytes(static_cast<std::int64_t>(rest * framework.memory_share));
}

Bytes far_memory_of(const CaseOptions& options, const HardwareProfile& hardware) {
  const MemoryTier& far = hardware.far_memory;
  return options.far_memory.value_or(far.capacity - far.reserved);
}

int sharing_devices(const CaseOptions& options) {
  return options.state.shard == Shard::kNone ? 1 : devices_of_job(options);
}

int devices_of_host(const CaseOptions& options, const HardwareProfile& hardware) {
  const int devices = devices_of_job(options);
  return std::min(devices, hardware.devices_per_host.value_or(devices));
}

void ask_budgets(const CaseOptions& options, Case& which) {
  repeat_budgets(options, which.hardware, which.inputs);
  which.budget = which.inputs.memory;
  which.far_capacity =
      Bytes(which.inputs.far_memory.count() / devices_of_host(options, which.hardware));
}

void ask_prices(const CaseOptions& options, Case& which) {
  which.transfers = transfers_of(options, which.hardware);
  which.inputs.transfers = which.transfers;
  which.inputs.far_compute = options.far_compute;
  estimate_transfers_into(which.costs.transfers, which.costs.link_bytes(), which.hardware,
                          which.transfers);
  if (which.moving) {
    which.far_compute = far_compute_of(which.hardware, options, which.moving->options);
  }
}

RunInputs inputs_of(const Workload& workload, const HardwareProfile* hardware,
                    const CaseOptions& options) {
  RunInputs inputs;
  inputs.network = workload.network->name;
  if (hardware != nullptr) {
    inputs.hardware = hardware->name;
    repeat_budgets(options, *hardware, inputs);
  }
  inputs.batch = batch_of(options, *workload.network);
  inputs.symbols = workload.network->symbols;
  inputs.accounting = accounting_name(options.graph.accounting);
  inputs.dtype = dtype_info(workload.network->dtype).name;
  if (const auto& precision = workload.network->precision) {
    inputs.precision = precision_info(*precision).name;
  }
  if (const auto& gradient = options.graph.types.gradient) {
    inputs.gradient_dtype = dtype_info(*gradient).name;
  }
  if (const auto type = adapter_type(*workload.network)) {
    inputs.adapter_dtype = dtype_info(*type).name;
  }
  inputs.flash_attention = std::ranges::any_of(workload.network->layers, [](const Layer& layer) {
    return layer.model && layer.model->fused_attention;
  });
  inputs.optimizer = optimizer_name(workload.graph.optimizer);
  if (options.adam != AdamKernels::kFused) inputs.adam = adam_kernels_name(options.adam);
  inputs.framework = framework_of(options.framework).name;
  inputs.framework_meaning = framework_of(options.framework).meaning;
  inputs.allocator = allocator_name(allocator_of(options));
  inputs.compute = compute_text(options);
  inputs.mode = copy_mode_name(options.transfers.mode);
  inputs.transfers = options.transfers;
  inputs.compute_scale = options.compute_scale;
  inputs.host_speed = options.host_speed;
  inputs.devices = options.devices;
  inputs.expert_parallel = options.expert_parallel;
  if (sharing_devices(options) > 1) {
    inputs.exchange.clear();  // in its place shards are gathered and summed
  } else if (exchange_of(options) == Exchange::kOverlap) {
    inputs.exchange = "overlap";
  }
  inputs.far_compute = options.far_compute;
  const StateOptions& state = options.state;
  inputs.pageable_returns = state.updates_far() && state.weights.value_or(Ratio(0)) < kOne &&
                            framework_of(options.framework).pageable_returns;
  if (state.any()) inputs.offload = state_text(state);
  if (inputs.pageable_returns) inputs.offload += ", weights return pageable";
  return inputs;
}

Case make_case(const Workload& workload, const Machine& machine, const CaseOptions& asked) {
  CaseOptions options = asked;
  const int sharing = sharing_devices(options);
  if (sharing > 1) {
    options.state.devices = sharing;
    options.state.host_devices = devices_of_host(options, machine.profile);
  }
  check_adam(workload, options);
  if (options.clips) options.state.after = UpdateAfter::kAll;
  if (sharing % options.expert_parallel != 0) {
    bad_value("--expert-parallel", std::to_string(options.expert_parallel),
              fmt::format("a divisor of the {} devices that share state", sharing),
              "--devices N says how many, and --shard that they do");
  }
  const HardwareProfile& hardware = machine.profile;
  Case made{Iteration{.graph = {std::shared_ptr<void>(), &workload.graph}}, workload, hardware};
  made.accounting = options.graph.accounting;
  made.allocator = allocator_of(options);
  made.inputs = inputs_of(workload, &hardware, options);
  ask_budgets(options, made);
  made.compute_model = options.compute;
  made.schedule_options = options.schedule;
  made.framework = options.framework;
  made.compute = {.model = options.compute,
                  .batch = batch_of(options, *workload.network),
                  .compute_scale = options.compute_scale.value_or(kOne),
                  .percent_of_peak = options.percent_of_peak,
                  .layer_times = options.layer_times,
                  .software = software_of(options, hardware),
                  .workspace = framework_of(options.framework).workspace,
                  .mode = options.mode,
                  .adam = options.adam,
                  .clips = options.clips,
                  .gradient_buffers = gradient_buffers_of(options),
                  .each_save = framework_of(options.framework).copies.each_save};
  made.sub_batch = made.compute.batch;
  made.transfers = transfers_of(options, machine.profile);
  made.devices = sharing > 1 ? 1 : options.devices;
  made.exchange = exchange_of(options);
  if (!options.asked.empty()) {
    made.inputs.asked = options.asked;
    made.inputs.given = options.given;
    ask(made.inputs.asked, "hardware", json_string(machine.given));
  }
  made.errors = options.errors;
  const ComputeOptions& compute = made.compute;
  if (!compute.layer_times.empty()) {
    made.inputs.layer_times = static_cast<int>(compute.layer_times.size());
  }
  check_stated_times(workload, compute);
  made.costs = costs_of(workload, machine, compute, options);
  if (options.devices > 1) {
    check_devices_of_batch(options.devices, compute.batch);
    made.sub_batch = largest_share(compute.batch, options.devices);
    made.costs = round_costs(made, made.sub_batch);
  }
  hold_as_framework(options, workload.graph, made.costs);
  made.remarks = {dtype_remark(*workload.network, &hardware, options),
                  stated_weights_remark(*workload.network, options),
                  search_remark(options.schedule)};
  std::erase(made.remarks, "");
  if (hardware.devices > 1 && devices_of_job(options) == 1) {
    made.remarks.push_back(devices_remark(hardware.devices));
  }
  const SubBatch& rounds = options.schedule.sub_batch;
  if (rounds.kind == SubBatch::Kind::kCount && !is_footprint(options.graph.accounting)) {
    const std::int64_t samples = (made.sub_batch - 1) / rounds.count + 1;
    const std::int64_t last =
        std::max<std::int64_t>(1, made.sub_batch - samples * (rounds.count - 1));
    made.micro_batches = std::make_shared<const MicroBatches>(
        MicroBatches{round_costs(made, samples), round_costs(made, last), rounds.count});
  }
  made.in_core_peak =
      in_core_peak(workload.graph, made.micro_batches ? made.micro_batches->each : made.costs,
                   options.graph.accounting);
  if (options.state.any()) {
    check_passes(options, hardware, nullptr);
    add_moving_state(made, options);
  }
  return made;
}

NetworkReport inspect(const Workload& workload, const Machine* machine,
                      const CaseOptions& options) {
  InspectionInput input{
      .graph = workload.graph,
      .inputs = inputs_of(workload, machine ? &machine->profile : nullptr, options),
      .accounting = options.graph.accounting,
      .compute_model = options.compute};
  input.inputs.asked = options.asked;
  std::optional<Case> which;
  std::optional<CostTable> sizes;
  if (machine != nullptr) {
    which.emplace(make_case(workload, *machine, options));
    input.job = &*which;
    input.assumed =
        assumed_in_use(machine->profile, which->inputs, framework_of(options.framework));
  }
  try {
    if (!which) input.sizes = &sizes.emplace(sizes_of(options, workload.graph, input.inputs.batch));
    return summarize_network(input);
  } catch (const SpecError& error) {
    throw_too_large(error, workload, options);
  }
}

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

CostTable sizes_of(const CaseOptions& options, const TrainingGraph& graph, std::int64_t batch) {
  CostTable sizes =
      estimate_sizes(graph, {.model = options.compute,
                             .batch = batch,
                             .adam = options.adam,
                             .gradient_buffers = gradient_buffers_of(options),
                             .each_save = framework_of(options.framework).copies.each_save});
  hold_as_framework(options, graph, sizes);
  return sizes;
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

Duration on_host(const CaseOptions& options, const HardwareProfile& hardware, Duration stated) {
  const double slower = kOne / options.host_speed.value_or(hardware.host_speed);
  return Duration(std::llround(static_cast<double>(stated.count()) * slower));
}

std::optional<Software> software_of(const CaseOptions& options, const HardwareProfile& hardware) {
  if (options.software || !options.framework) return options.software;
  Software software = options.framework->software;
  if (const auto& cudnn = options.framework->cudnn ? options.framework->cudnn : hardware.cudnn) {
    software.cudnn = *cudnn;
  }
  software.issue = on_host(options, hardware, software.issue);
  return software;
}

}  // namespace ooc
