// Source of the defaults: PyTorch sets torch.backends.cudnn.allow_tf32 (convolutions; since 1.12 not
// torch.backends.cuda.matmul.allow_tf32), TensorFlow enable_tensor_float_32_execution (both), from Ampere on.
#include "simulator/predict/remarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <variant>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/precision.hpp"
#include "model/base/quantity_io.hpp"
#include "model/hardware/profile_provenance.hpp"
#include "simulator/schedules/own_options.hpp"

namespace ooc {

// A field of the list names an entry of the profile's provenance; it is worth a warning as long as one
// number that the entry answers for is used.

namespace {

constexpr std::string_view kModes = "connection.modes";
constexpr const char* kFaults = "unified_fault";
constexpr const char* kPageable = "pageable";

bool below(std::string_view field, std::string_view path) {
  return field.starts_with(path) && (field.size() == path.size() || field[path.size()] == '.');
}

/// Of a single peak, whether this job multiplies in that type.
bool other_peak(std::string_view field, const RunInputs& inputs) {
  constexpr std::string_view kPeak = "compute.peak.";
  if (!field.starts_with(kPeak)) return false;
  const std::string_view dtype = field.substr(kPeak.size());
  const std::optional<Precision> precision = find_precision(inputs.precision);
  return dtype != inputs.dtype && dtype != dtype_info(Dtype::kFloat32).name &&
         !(precision && dtype == dtype_info(precision_info(*precision).products).name);
}

/// The numbers of a mode in use that no flag replaces.
void add_numbers_of_mode(std::vector<std::string>& numbers, const HardwareProfile& hardware,
                         const RunInputs& inputs, const std::string& mode) {
  const auto found = hardware.connection.modes.find(mode);
  if (found == hardware.connection.modes.end()) return;
  const auto add = [&](const TransferLine& line, const std::string& direction) {
    const std::string path = std::string(kModes) + "." + mode + "." + direction;
    if (std::holds_alternative<SizeCurve>(line)) {
      numbers.push_back(path + ".curve");  // --link and --latency keep its shape
      return;
    }
    const auto& own =
        direction == "to_near" ? inputs.transfers.link_to_near : inputs.transfers.link_to_far;
    if (!inputs.transfers.link && !own) numbers.push_back(path + ".throughput");
    if (!inputs.transfers.latency) numbers.push_back(path + ".latency");
  };
  add(found->second.to_near, "to_near");
  add(found->second.to_far, "to_far");
  if (mode != kFaults) return;
  for (const char* cost : {".page", ".fault"}) {
    numbers.push_back(std::string(kModes) + "." + mode + cost);
  }
  if (found->second.grows_to) numbers.push_back(std::string(kModes) + "." + mode + ".grows_to");
}

/// What is fetched ahead may still be missing, and then faults.
std::vector<std::string> numbers_of_modes(const HardwareProfile& hardware,
                                          const RunInputs& inputs) {
  std::vector<std::string> numbers;
  add_numbers_of_mode(numbers, hardware, inputs, inputs.mode);
  if (inputs.mode == "unified_prefetch") add_numbers_of_mode(numbers, hardware, inputs, kFaults);
  // Whatever the link.
  if (inputs.pageable_returns) add_numbers_of_mode(numbers, hardware, {}, kPageable);
  return numbers;
}

/// The assumed sections of an architecture that prices of this element type come from. Single numbers below a
/// fitted section are left to its file.
std::vector<std::string> assumed_of_architecture(const HardwareProfile& hardware,
                                                 const RunInputs& inputs) {
  std::vector<std::string> used;
  if (!hardware.kernels || inputs.compute != "native") return used;
  const std::optional<Dtype> dtype = find_dtype(inputs.dtype);
  const bool tensor = hardware.kernels->architecture->parameters.tensor && dtype &&
                      *dtype != Dtype::kFloat32 && *dtype != Dtype::kFloat64;
  const std::string own_sustained = "sustained." + inputs.dtype;
  for (const std::string& field : hardware.kernels->architecture->assumed) {
    const bool of_type = field == "sustained" || field == own_sustained;
    if (of_type && dtype && hardware.kernels->sustained.contains(*dtype)) continue;
    const bool counts = of_type || field == "near_share" || field == "kernel" ||
                        field == "elementwise_kernel" || field == (tensor ? "tensor" : "simt") ||
                        (field == "flash" && tensor && inputs.flash_attention);
    if (counts) used.push_back("compute.architecture." + field);
  }
  return used;
}

}  // namespace

std::vector<std::string> assumed_in_use(const HardwareProfile& hardware, const RunInputs& inputs,
                                        const Framework& framework) {
  const std::vector<std::string> of_mode = numbers_of_modes(hardware, inputs);
  const auto is_used = [&](const std::string& field) {
    if (below(field, kModes)) {
      return std::ranges::any_of(of_mode, [&](const std::string& number) {
        return is_assumed_under(hardware.provenance, field, number);
      });
    }
    const bool other_model = inputs.compute != "native" && (below(field, "compute.efficiency") ||
                                                            below(field, "compute.kernel_launch"));
    const bool replaced =
        ((inputs.memory_given || framework.context) && field == "near_memory.reserved") ||
        (inputs.far_memory_given &&
         (field == "far_memory.capacity" || field == "far_memory.reserved")) ||
        (inputs.transfers.far_throughput && field == "far_memory.throughput") ||
        (inputs.transfers.duplex && below(field, "connection.duplex"));
    const bool updates_far =
        !inputs.far_compute && inputs.offload.find("update far") != std::string::npos;
    if (below(field, "far_compute") && !updates_far) return false;
    if (below(field, "peers") && inputs.devices == 1) return false;
    return !other_model && !replaced && !other_peak(field, inputs);
  };
  std::vector<std::string> used = assumed_of_architecture(hardware, inputs);
  std::ranges::copy_if(hardware.assumed, std::back_inserter(used), is_used);
  for (const std::string& field : framework.assumed) used.push_back("framework." + field);
  if (inputs.devices > 1 && !hardware.peers) used.emplace_back("peers");
  const bool as_pinned = inputs.pageable_returns && !hardware.connection.modes.contains(kPageable);
  if (as_pinned) used.emplace_back("connection.modes.pageable");
  return used;
}

namespace {

std::string_view what_moves(const Case& which, const Schedule& schedule, bool copies) {
  if (which.inputs.devices > 1) return "several devices";
  if (which.moving) {
    const StateOptions& state = which.moving->options;
    if (state.weights) return "weights streamed";
    return state.update == UpdateAt::kFar ? "states far, updated there"
                                          : "states far, updated near";
  }
  if (!schedule.is(Trait::kMovesNothing) && copies) return "activations to the host";
  return schedule.is(Trait::kRecomputes) ? "recomputation" : "in core";
}

std::string_view family(const Network& network) {
  for (const Layer& layer : network.layers) {
    if (layer.kind != nullptr && layer.kind->name == "attention") return "transformers";
  }
  return symbol_of(network, "seq") ? "recurrent networks" : "convolutional networks";
}

std::string_view precision_class(const Network& network) {
  const Dtype products =
      network.precision ? precision_info(*network.precision).products : network.dtype;
  switch (products) {
    case Dtype::kTf32:
      return "tf32";
    case Dtype::kFloat8:
      return "8 bits";
    default:
      return dtype_info(products).bytes == 2 ? "16 bits" : "float32";
  }
}

std::string_view state_text(Optimizer optimizer) {
  return text_at(optimizer, {"0 B of float32 state", "4 B of float32 state", "8 B of float32 state",
                             "2 B of state", "the factored state"});
}

std::string of_two_bytes(Dtype dtype, Optimizer optimizer) {
  const std::string_view better = dtype == Dtype::kFloat16 ? "fp16" : "bf16";
  const std::string hint =
      optimizer == Optimizer::kAdam
          ? fmt::format(": 12 bytes a parameter, where --precision {} has 16", better)
          : std::string();
  return fmt::format(
      "{0}: of each parameter 2 B of weight, 2 B of gradient and {1} of {2} are counted; float32 "
      "master weights, 4 B a parameter, are not{3}",
      dtype_info(dtype).name, state_text(optimizer), optimizer_name(optimizer), hint);
}

/// Types that only tensor cores would be faster in, where there are none for them.
std::string without_tensor_cores(Dtype dtype, const HardwareProfile* hardware) {
  if (hardware == nullptr || !hardware->kernels || !hardware->peak.contains(dtype)) return "";
  if (on_tensor_cores(kernel_platform(*hardware, {}), dtype)) return "";
  return fmt::format("{} on {}: products run at float32's rate, its peak is not used",
                     dtype_info(dtype).name, hardware->name);
}

std::string of_float32(const HardwareProfile& hardware) {
  const auto plain = hardware.peak.find(Dtype::kFloat32);
  const auto tf32 = hardware.peak.find(Dtype::kTf32);
  if (plain == hardware.peak.end() || tf32 == hardware.peak.end()) return {};
  if (tf32->second.per_second <= plain->second.per_second) return {};
  return fmt::format(
      "float32 on {}: {}, without TF32; frameworks use TF32 there by default (PyTorch for "
      "convolutions, TensorFlow also for matrix products), {}: --dtype tf32",
      hardware.name, format_flop_rate(plain->second), format_flop_rate(tf32->second));
}

constexpr std::string_view kLaunchBound = ", launch-bound";

}  // namespace

std::string job_kind(const Case& which, const Schedule& schedule, const RunReport* run) {
  const bool has_run = run && run->feasible;
  const bool copies = !has_run || run->to_far.count() > 0;
  constexpr double kOften = 0.25;
  const bool waits =
      has_run &&
      run->stalls[static_cast<std::size_t>(StallCause::kLaunch)] / run->iteration_time > kOften;
  const Network& network = *which.workload.network;
  const auto& kernels = which.hardware.kernels;
  return fmt::format("{}, {}, {}{}, on {}", what_moves(which, schedule, copies), family(network),
                     precision_class(network), waits ? kLaunchBound : "",
                     kernels ? kernels->architecture->name : "others");
}

MeasuredErrors errors_of_kind(const std::vector<MeasuredErrors>& table, std::string_view kind) {
  const MeasuredErrors* found = find_named(table, kind, &MeasuredErrors::kind);
  const std::size_t machine = kind.rfind(", on ");
  const bool is_narrowest = machine != std::string_view::npos;
  constexpr std::int64_t kFewestOfMachine =
      3;  // one or two say less of a machine than the others' do
  if (found != nullptr && (!is_narrowest || found->figures >= kFewestOfMachine)) return *found;
  if (is_narrowest) return errors_of_kind(table, kind.substr(0, machine));
  if (kind.ends_with(kLaunchBound)) {
    return errors_of_kind(table, kind.substr(0, kind.size() - kLaunchBound.size()));
  }
  return {.kind = std::string(kind)};
}

std::string dtype_remark(const Network& network, const HardwareProfile* hardware,
                         const CaseOptions& options) {
  const bool reduced = dtype_info(network.dtype).bytes == 2 || network.dtype == Dtype::kTf32;
  const std::string slow = reduced ? without_tensor_cores(network.dtype, hardware) : "";
  if (network.precision) return slow;
  if (dtype_info(network.dtype).bytes == 2) {
    const Optimizer optimizer =
        options.graph.optimizer.value_or(network.optimizer.value_or(Optimizer::kSgd));
    return of_two_bytes(network.dtype, optimizer) + (slow.empty() ? "" : "; ") + slow;
  }
  if (!slow.empty()) return slow;
  const bool asked_for = options.dtype.has_value();
  if (network.dtype != Dtype::kFloat32 || asked_for || hardware == nullptr) return {};
  return of_float32(*hardware);
}

std::string one_pool_remark(const HardwareProfile& hardware) {
  return "moving gains nothing here: " + hardware.name +
         " has one pool of memory; the run keeps everything in it";
}

std::string devices_remark(int devices) {
  return "/devices: " + std::to_string(devices) +
         " devices, of which one is simulated; --devices N splits the batch";
}

std::string training_remark(const Network& network, const CaseOptions& options,
                            std::string_view but) {
  const bool is_stated = network.optimizer || (network.precision && !options.precision);
  if (!is_stated) return {};
  std::string taken;
  const auto take = [&](std::string_view name, std::string_view value) {
    if (name == but) return;
    taken += fmt::format("{}{} {}", taken.empty() ? "" : ", ", name, value);
  };
  if (!options.batch && network.batch) take("batch", fmt::format("{}", *network.batch));
  for (const SymbolValue& symbol : network.symbols) {
    const bool asked = find_named(options.symbols, symbol.name) != nullptr;
    if (!asked) take(symbol.name, fmt::format("{}", symbol.value));
  }
  if (!options.precision && network.precision) {
    take("precision", precision_info(*network.precision).name);
  }
  if (!options.graph.optimizer && network.optimizer) {
    take("optimizer", optimizer_name(*network.optimizer));
  }
  if (network.is_imported && !options.kernels) take("kernels", "sdpa");
  return taken.empty() ? "" : "where no flag says other: " + taken;
}

std::string margin_remark(Bytes planned_for, Bytes budget) {
  return fmt::format("planned for {} of {}: what the allocator holds back",
                     format_bytes(planned_for), format_bytes(budget));
}

std::string kept_gradients_remark() {
  return "the weights' gradients keep their memory (zero_grad(set_to_none=False)): freed ones "
         "leave holes in which no plan runs, or only slower ones";
}

std::string search_remark(const ScheduleOptions& options) {
  if (options.own->search != 0) return {};
  return "--search 0: best looks for no plan and tries no other schedule; one may be quicker";
}

std::string norms_remark(std::int64_t sub_batch) {
  return "batch norms take their statistics over a round of " + std::to_string(sub_batch) +
         " samples, not over the batch";
}

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

std::string stated_weights_remark(const Network& network, const CaseOptions& options) {
  const bool moves = options.state.any() || sharing_devices(options) > 1;
  if (!moves && !options.adapters) return {};
  const auto layer = std::ranges::find_if(network.layers, [](const Layer& each) {
    return each.model->custom && each.model->parameters > 0;
  });
  if (layer == network.layers.end()) return {};
  return fmt::format(
      "the weights of layer \"{}\", which states its times, stay near and whole, trained and not "
      "quantised: {} leaves them out; state its work (forward_flops, forward_elements) instead",
      layer->name, moves ? "what moves or shards state" : "--lora");
}

void check_stated_times(const Workload& workload, const ComputeOptions& compute) {
  const Network& network = *workload.network;
  if (!network.batch || compute.batch == *network.batch) return;
  const Layer* layer = layer_for_batch(network, compute.layer_times);
  if (layer == nullptr) return;
  bad_value("--batch", std::to_string(compute.batch),
            fmt::format("{}, the batch of {}, for which its layer \"{}\" states times",
                        *network.batch, workload.path, layer->name),
            kRemedy);
}

void check_any_batch(const Workload& workload) {
  if (!workload.network->batch) return;
  const Layer* layer = layer_for_batch(*workload.network, {});
  if (layer == nullptr) return;
  throw SpecError({workload.path, fmt::format("layer \"{}\"", layer->name),
                   fmt::format("times for batch {}", *workload.network->batch),
                   "times that hold for any batch", kRemedy});
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
