// Source of the defaults: PyTorch sets torch.backends.cudnn.allow_tf32 (convolutions; since 1.12 not
// torch.backends.cuda.matmul.allow_tf32), TensorFlow enable_tensor_float_32_execution (both), from Ampere on.
#include "simulator/predict/remarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/base/errors.hpp"
#include "model/base/quantity_io.hpp"
#include "simulator/schedules/option_table.hpp"

namespace ooc {
namespace {

std::string_view state_text(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::kSgd:
      return "0 B of float32 state";
    case Optimizer::kMomentum:
      return "4 B of float32 state";
    case Optimizer::kAdam:
      return "8 B of float32 state";
    case Optimizer::kAdam8:
      return "2 B of state";
    case Optimizer::kAdafactor:
      return "the factored state";
  }
  return "";
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

std::optional<std::string> of_float32(const HardwareProfile& hardware) {
  const auto plain = hardware.peak.find(Dtype::kFloat32);
  const auto tf32 = hardware.peak.find(Dtype::kTf32);
  if (plain == hardware.peak.end() || tf32 == hardware.peak.end()) return std::nullopt;
  if (tf32->second.per_second <= plain->second.per_second) return std::nullopt;
  return fmt::format(
      "float32 on {}: {}, without TF32; frameworks use TF32 there by default (PyTorch for "
      "convolutions, TensorFlow also for matrix products), {}: --dtype tf32",
      hardware.name, format_flop_rate(plain->second), format_flop_rate(tf32->second));
}

}  // namespace

std::optional<std::string> dtype_remark(const Network& network, const HardwareProfile* hardware,
                                        const CaseOptions& options) {
  const bool reduced = dtype_info(network.dtype).bytes == 2 || network.dtype == Dtype::kTf32;
  const std::string slow = reduced ? without_tensor_cores(network.dtype, hardware) : "";
  if (network.precision) return slow.empty() ? std::nullopt : std::optional(slow);
  if (dtype_info(network.dtype).bytes == 2) {
    const Optimizer optimizer =
        options.graph.optimizer.value_or(network.optimizer.value_or(Optimizer::kSgd));
    return of_two_bytes(network.dtype, optimizer) + (slow.empty() ? "" : "; ") + slow;
  }
  if (!slow.empty()) return slow;
  const bool asked_for = options.dtype.has_value();
  if (network.dtype != Dtype::kFloat32 || asked_for || hardware == nullptr) return std::nullopt;
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

std::optional<std::string> training_remark(const Network& network, const CaseOptions& options,
                                           std::string_view but) {
  const bool is_stated = network.optimizer || (network.precision && !options.precision);
  if (!is_stated) return std::nullopt;
  std::string taken;
  const auto take = [&](std::string_view name, std::string_view value) {
    if (name == but) return;
    taken += fmt::format("{}{} {}", taken.empty() ? "" : ", ", name, value);
  };
  if (!options.batch && network.batch) take("batch", fmt::format("{}", *network.batch));
  for (const SymbolValue& symbol : network.symbols) {
    const auto is_it = [&](const SymbolValue& each) { return each.name == symbol.name; };
    const bool asked = std::any_of(options.symbols.begin(), options.symbols.end(), is_it);
    if (!asked) take(symbol.name, fmt::format("{}", symbol.value));
  }
  if (!options.precision && network.precision) {
    take("precision", precision_info(*network.precision).name);
  }
  if (!options.graph.optimizer && network.optimizer) {
    take("optimizer", optimizer_name(*network.optimizer));
  }
  if (network.is_imported && !options.kernels) take("kernels", "sdpa");
  if (taken.empty()) return std::nullopt;
  return "where no flag says other: " + taken;
}

std::string margin_remark(Bytes planned_for, Bytes budget) {
  return fmt::format("planned for {} of {}: what the allocator holds back",
                     format_bytes(planned_for), format_bytes(budget));
}

std::string kept_gradients_remark() {
  return "the weights' gradients keep their memory (zero_grad(set_to_none=False)): freed ones "
         "leave "
         "holes in which no plan runs, or only slower ones";
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
