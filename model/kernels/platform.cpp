// Derived rates.
#include "model/kernels/platform.hpp"

#include <algorithm>

namespace ooc {
namespace {

/// Share of the machine's peak: its own, its class of card's, or the generation's.
double sustained_share(const KernelPlatform& platform, Dtype dtype) {
  const auto i = static_cast<std::size_t>(dtype);
  if (platform.machine.sustained[i] > 0) return platform.machine.sustained[i];
  const CardClass* cards = class_of(platform);
  return cards && cards->sustained[i] > 0 ? cards->sustained[i]
                                          : platform.architecture.sustained[i];
}

}  // namespace

const CardClass* class_of(const KernelPlatform& platform) {
  const auto peak = [&](Dtype of) {
    return platform.machine.peak[static_cast<std::size_t>(of)].per_second;
  };
  const double half = std::max(peak(Dtype::kFloat16), peak(Dtype::kBfloat16));
  for (const CardClass& cards : platform.architecture.classes) {
    if (half <= cards.most_gain * peak(Dtype::kFloat32) && half > 0) return &cards;
  }
  return nullptr;
}

double sustained_rate(const KernelPlatform& platform, Dtype dtype) {
  double share = sustained_share(platform, dtype);
  // Nobody's float8 products were fitted: as well used as bfloat16's.
  if (share == 0 && dtype == Dtype::kFloat8) share = sustained_share(platform, Dtype::kBfloat16);
  // Its own units, as well used as float32's.
  if (share == 0 && dtype == Dtype::kFloat64) share = sustained_share(platform, Dtype::kFloat32);
  return platform.machine.peak[static_cast<std::size_t>(dtype)].per_second * share;
}

double streaming_rate(const KernelPlatform& platform) {
  return static_cast<double>(platform.machine.near_rate.count()) * platform.architecture.near_share;
}

double cycles_per_second(const KernelMachine& machine) {
  const double cycles = machine.peak[static_cast<std::size_t>(Dtype::kFloat32)].per_second / 2 / 64;
  return cycles / machine.multiprocessors > 2.3e9 ? cycles / 2 : cycles;
}

bool on_tensor_cores(const KernelPlatform& platform, Dtype dtype) {
  return platform.architecture.tensor && sustained_rate(platform, dtype) > 0 &&
         dtype != Dtype::kFloat64 && dtype != Dtype::kFloat32;
}

Dtype simt_dtype(Dtype dtype) {
  return dtype == Dtype::kFloat64 ? Dtype::kFloat64 : Dtype::kFloat32;
}

// bytes / (near rate x share) x the software's factor + the cost of each kernel.

double streaming_seconds(const StreamingKernel& kernel, const KernelPlatform& platform) {
  return kernel.bytes * platform.software.elementwise_factor / streaming_rate(platform) +
         kernel.kernels * platform.architecture.elementwise_kernel_seconds;
}

// Efficiencies may exceed 1: the sustained rate is that of a best plain product, tails beside it.

namespace {

constexpr double kLeast = 0.01;
constexpr double kEfficient = 1.5;  // efficiencies
constexpr double kFactor = 4;       // factors of rates and bytes
constexpr double kSlower = 10;      // factors of times

template <double ArchitectureParameters::*kField>
double& top(ArchitectureParameters& all) {
  return all.*kField;
}
template <double SimtParameters::*kField>
double& simt(ArchitectureParameters& all) {
  return all.simt.*kField;
}
template <double TensorParameters::*kField>
double& tensor(ArchitectureParameters& all) {
  return (*all.tensor).*kField;
}
template <AttentionKernels kLibrary, double FlashParameters::*kField>
double& flash(ArchitectureParameters& all) {
  return all.flash[static_cast<std::size_t>(kLibrary)].*kField;
}
template <double RecurrentParameters::*kField>
double& recurrent(ArchitectureParameters& all) {
  return all.recurrent.*kField;
}

using A = ArchitectureParameters;
using S = SimtParameters;
using T = TensorParameters;
using F = FlashParameters;
using enum AttentionKernels;
using R = RecurrentParameters;

constexpr std::array kFields{
    ParameterField{"", "near_share", kLeast, 1, &top<&A::near_share>},
    ParameterField{"", "roof_sharpness", 1, 20, &top<&A::roof_sharpness>},
    ParameterField{"simt", "wide_tiles", kLeast, kEfficient, &simt<&S::wide_tiles>},
    ParameterField{"simt", "small_tiles", kLeast, kEfficient, &simt<&S::small_tiles>},
    ParameterField{"simt", "wave_tail", 0, kFactor, &simt<&S::wave_tail>},
    ParameterField{"simt", "extra_depth", 0, 500, &simt<&S::extra_depth>},
    ParameterField{"simt", "generation", kLeast, kEfficient, &simt<&S::generation>},
    ParameterField{"simt", "early_library", kLeast, kEfficient, &simt<&S::early_library>},
    ParameterField{"simt", "pointwise_weights", kLeast, kEfficient, &simt<&S::pointwise_weights>},
    ParameterField{"simt", "scatter_rate", kLeast, kEfficient, &simt<&S::scatter_rate>},
    ParameterField{"simt", "scatter_memory", kLeast, kEfficient, &simt<&S::scatter_memory>},
    ParameterField{"simt", "winograd_fused", kLeast, kEfficient, &simt<&S::winograd_fused>},
    ParameterField{"simt", "transformed", kLeast, kEfficient, &simt<&S::transformed>},
    ParameterField{"simt", "transform_traffic", kLeast, kFactor, &simt<&S::transform_traffic>},
    ParameterField{"simt", "depthwise", kLeast, kEfficient, &simt<&S::depthwise>},
    ParameterField{"simt", "linear_rate", kLeast, kEfficient, &simt<&S::linear_rate>},
    ParameterField{"simt", "linear_memory", kLeast, kEfficient, &simt<&S::linear_memory>},
    ParameterField{"simt", "linear_recent", kLeast, kEfficient, &simt<&S::linear_recent>},
    ParameterField{"tensor", "tiles", kLeast, kEfficient, &tensor<&T::tiles>},
    ParameterField{"tensor", "operands", 0.1, 100, &tensor<&T::operands>},
    ParameterField{"tensor", "few_channels", 1, kSlower, &tensor<&T::few_channels>},
    ParameterField{"flash", "forward", kLeast, kEfficient, &flash<kFlash2, &F::forward>},
    ParameterField{"flash", "backward", kLeast, kEfficient, &flash<kFlash2, &F::backward>},
    ParameterField{"flash", "head_64", kLeast, kEfficient, &flash<kFlash2, &F::head_64>},
    ParameterField{"flash_cudnn", "forward", kLeast, kEfficient, &flash<kCudnn, &F::forward>},
    ParameterField{"flash_cudnn", "backward", kLeast, kEfficient, &flash<kCudnn, &F::backward>},
    ParameterField{"flash_cudnn", "head_64", kLeast, kEfficient, &flash<kCudnn, &F::head_64>},
    ParameterField{"flash_3", "forward", kLeast, kEfficient, &flash<kFlash3, &F::forward>},
    ParameterField{"flash_3", "backward", kLeast, kEfficient, &flash<kFlash3, &F::backward>},
    ParameterField{"flash_3", "head_64", kLeast, kEfficient, &flash<kFlash3, &F::head_64>},
    ParameterField{"recurrent", "forward", kLeast, kFactor, &recurrent<&R::forward>},
    ParameterField{"recurrent", "backward", kLeast, kFactor, &recurrent<&R::backward>},
    ParameterField{"recurrent", "old_forward", kLeast, kSlower, &recurrent<&R::old_forward>},
    ParameterField{"recurrent", "old_backward", kLeast, kSlower, &recurrent<&R::old_backward>},
    ParameterField{"recurrent", "old_gru_backward", kLeast, kSlower,
                   &recurrent<&R::old_gru_backward>}};

}  // namespace

std::span<const ParameterField> parameter_fields() { return kFields; }

const ParameterField* find_parameter_field(std::string_view path) {
  const std::size_t dot = path.find('.');
  const std::string_view section = dot == std::string_view::npos ? "" : path.substr(0, dot);
  const std::string_view name = dot == std::string_view::npos ? path : path.substr(dot + 1);
  const auto found = std::find_if(kFields.begin(), kFields.end(), [&](const ParameterField& field) {
    return field.section == section && field.name == name;
  });
  return found == kFields.end() ? nullptr : &*found;
}

}  // namespace ooc
