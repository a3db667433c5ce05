// Inputs of kernel costs beside the shape: the machine (data sheet), its architecture (fitted
// numbers: hwprofiles/architectures/*.json) and the software. Fitted numbers that architectures share stand in code.
// docs/model.md, 1.2 has the equations.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "model/base/precision.hpp"
#include "model/base/units.hpp"

namespace ooc {

/// Figures of an accelerator's data sheet.
struct KernelMachine {
  std::array<FlopsPerSecond, kDtypes.size()> peak{};  ///< by Dtype; 0: not supported
  /// Share of the peak that the best matrix product reaches, by Dtype, 0..1; 0: the architecture's.
  std::array<double, kDtypes.size()> sustained{};
  int multiprocessors = 1;
  BytesPerSecond near_rate{1};
};

/// Fitted numbers of kernels on ordinary (SIMT) units, for float32 and for float64 at its own peak.
struct SimtParameters {
  double wide_tiles = 1;         ///< share of the sustained rate with tiles 128x32, 32x128
  double small_tiles = 1;        ///< share with tiles 64x32, 32x64, 32x32, or 8 or 16 wide
  double wave_tail = 1;          ///< waves lost to filling and draining the device
  double extra_depth = 0;        ///< steps along K lost to a tile's prologue and epilogue
  double generation = 1;         ///< factor of the sustained rate for this generation's kernels
  double early_library = 1;      ///< further factor with libraries before cuDNN 7.4
  double pointwise_weights = 1;  ///< rate factor of weight gradients of 1x1 convolutions
  double scatter_rate = 1;       ///< rate factor of backward-data that adds into its output
  double scatter_memory = 1;     ///< memory rate factor of backward-data that adds into its output
  double winograd_fused = 1;     ///< efficiency of F(2x2, 3x3) in one kernel
  double transformed = 1;        ///< efficiency of products of F(4x4, 3x3) and FFTs
  double transform_traffic = 1;  ///< factor of the bytes that transforms move
  double depthwise = 1;          ///< share of the rate that depthwise kernels reach
  double linear_rate = 1;        ///< rate factor of linear layers and batched products (cuBLAS)
  double linear_memory = 1;      ///< memory rate factor of linear layers and batched products
  double linear_recent = 1;      ///< further factor of linear_rate since cuDNN 8
};

/// Numbers of kernels on tensor cores.
struct TensorParameters {
  double tiles = 1;         ///< share of the sustained rate, if operands arrive in time
  double operands = 100;    ///< operand rate, as a multiple of the GPU memory rate
  double few_channels = 1;  ///< time factor below 8 input channels
};

/// Attention: one fused kernel, by its library, or separate kernels for each step. kMasked: PyTorch's memory-efficient
/// kernel, which runs where a mask is passed as a tensor.
enum class AttentionKernels { kFlash2, kCudnn, kFlash3, kFlash1, kMasked, kSeparate };
inline constexpr std::size_t kFusedAttentions = 3;  ///< kFlash2 to kFlash3 have FlashParameters

/// Fused attention on tensor cores, as shares of the rate of large products.
struct FlashParameters {
  double forward =
      0.88;  ///< 73 % of an A100's peak against 83 % for large products: Dao, arXiv:2307.08691, section 1
  double backward = 0.76;  ///< 63 %, the best measured in that paper
  double head_64 = 0.88;   ///< factor with heads of 64 instead of 128
  bool operator==(const FlashParameters&) const = default;
};

/// Time factors of recurrent layers, and the cost of a step.
struct RecurrentParameters {
  double forward = 1;           ///< time factor of a step's product; below 1 for persistent kernels
  double backward = 1;          ///< time factor of a step's product in backward-data
  double step_seconds = 0;      ///< seconds of a step beside its product and gates
  double old_forward = 1;       ///< further factor up to cuDNN 6
  double old_backward = 1;      ///< further factor up to cuDNN 6
  double old_gru_backward = 1;  ///< further factor for GRU in cuDNN 6
};

/// Numbers of cards whose 16-bit peak is little above float32's, in place of their architecture's.
struct CardClass {
  double most_gain = 0;  ///< largest 16-bit peak / float32 peak in the class; 0: class unused
  std::array<double, kDtypes.size()> sustained{};  ///< by Dtype; 0: the architecture's
  bool operator==(const CardClass&) const = default;
};

/// Fitted numbers of an architecture.
struct ArchitectureParameters {
  double near_share = 1;  ///< share of the data sheet's memory rate that streaming kernels reach
  double roof_sharpness = 2.5;                     ///< s in time = (math^s + memory^s)^(1/s)
  double kernel_seconds = 0;                       ///< seconds to launch a product or convolution
  double elementwise_kernel_seconds = 0;           ///< seconds to launch any other kernel
  std::array<double, kDtypes.size()> sustained{};  ///< by Dtype, as in KernelMachine
  std::array<CardClass, 2> classes;                ///< by ascending gain: GeForce, workstation
  SimtParameters simt;
  std::optional<TensorParameters> tensor;               ///< unset: no tensor cores (before Volta)
  std::array<FlashParameters, kFusedAttentions> flash;  ///< by AttentionKernels; only with `tensor`
  RecurrentParameters recurrent;
};

enum class ImageLayout { kChannelsFirst, kChannelsLast };
/// Objects that cost Software::hooks, once in each micro-batch.
enum class HooksOn : std::uint8_t {
  kSharded,  ///< each parameter tensor that is gathered or copied in, or whose gradient is sharded
  kAll,      ///< each parameter tensor, if states are sharded or in host memory
  kUnits,    ///< each unit (model/rewrite/state.hpp), if states are sharded or in host memory
};

enum class Fusion {
  kNone,
  kAdd,  ///< residual sums run within another kernel and cost one more pass
  kAll,  ///< as kAdd; activations cost nothing
};
/// Padding of channels in tensor-core convolutions.
enum class ChannelPadding { kToUnits, kNone };

/// Windowed pools: kernels limited by bytes, or PyTorch's, in which each thread loops over windows.
enum class PoolKernels { kStreaming, kPyTorch };
enum class IssuedBy { kLayer, kLaunch };  ///< unit that costs Software::issue

/// Software around the kernels. Defaults are an ideal stack.
struct Software {
  ImageLayout layout = ImageLayout::kChannelsLast;
  Fusion fusion = Fusion::kNone;
  AttentionKernels attention = AttentionKernels::kFlash3;
  PoolKernels pools = PoolKernels::kStreaming;
  ChannelPadding padding = ChannelPadding::kToUnits;
  double elementwise_factor = 1;    ///< time factor of streaming kernels
  std::pair<int, int> cudnn{9, 0};  ///< version (major, minor)
  /// Host time to issue a kernel (kLaunch), or a layer's pass (kLayer), shared by its backward tasks. Updates: none.
  Duration issue;
  IssuedBy issued_by = IssuedBy::kLayer;
  Duration hooks;  ///< host time for gathers, releases, gradients (HooksOn); half of it in forward
  HooksOn hooks_on = HooksOn::kSharded;
  double update_seconds = 0;  ///< seconds for each parameter tensor, beside memory traffic
  /// Number of cross entropies of the logits that the training loop computes as metrics in each micro-batch.
  std::int64_t train_metrics = 0;
  /// Factor of `issue` under autocast, which also issues casts, and for 16-bit networks without a precision.
  double autocast_issue = 1;
};

/// Purpose of a run. Inference saves nothing for backward; its batch norms use known statistics.
enum class RunMode { kTraining, kInference };

struct KernelPlatform {
  KernelMachine machine;
  ArchitectureParameters architecture;
  Software software;
};

/// Returns the machine's class of cards; null if none applies.
[[nodiscard]] const CardClass* class_of(const KernelPlatform& platform);
/// Returns the FLOP/s of the best matrix product: peak x sustained share; 0 without a peak.
[[nodiscard]] double sustained_rate(const KernelPlatform& platform, Dtype dtype);
/// Returns the bytes per second that streaming kernels reach.
[[nodiscard]] double streaming_rate(const KernelPlatform& platform);
/// Returns the cycles per second of all multiprocessors together, from the float32 peak: 64 units
/// each, or 128 if 64 would mean a clock above 2.3 GHz. 0: the machine has no float32.
[[nodiscard]] double cycles_per_second(const KernelMachine& machine);
/// True if products of this type run on tensor cores of the platform; otherwise they run in simt_dtype.
[[nodiscard]] bool on_tensor_cores(const KernelPlatform& platform, Dtype dtype);
/// Returns the type of products without tensor cores: float64 for float64, else float32.
[[nodiscard]] Dtype simt_dtype(Dtype dtype);

// Cost of kernels bound by memory: element-wise, norms, pools, sums of gradients, softmax, copies,
// updates. docs/model.md, 1.2.

struct StreamingKernel {
  double bytes = 0;    ///< bytes read and written
  double kernels = 1;  ///< number of launches
};

[[nodiscard]] double streaming_seconds(const StreamingKernel& kernel,
                                       const KernelPlatform& platform);

// Table of an architecture's numbers with plausible ranges, for the reader and writer of
// architecture files and for the fit.

struct ParameterField {
  std::string_view section;  ///< such as "simt"; empty at the top level
  std::string_view name;
  double lowest;
  double highest;
  /// Returns the number. Precondition for section "tensor": the architecture has tensor cores.
  double& (*of)(ArchitectureParameters&);
};

/// Returns the fields of ArchitectureParameters that are ratios or counts; not `sustained`, nor times.
[[nodiscard]] std::span<const ParameterField> parameter_fields();
/// Returns the field with a dotted path, "simt.wide_tiles"; null if unknown.
[[nodiscard]] const ParameterField* find_parameter_field(std::string_view path);

}  // namespace ooc
