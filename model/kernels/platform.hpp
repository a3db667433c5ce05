// Inputs of kernel costs beside the shape: the machine (data sheet), its architecture (fitted numbers,
// hwprofiles/architectures/*.json) and the software. Fitted numbers that all architectures share stand in code.
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
  /// By Dtype: share of the peak that the best matrix product reaches; 0: that of CardClass or architecture.
  std::array<double, kDtypes.size()> sustained{};
  int multiprocessors = 1;
  BytesPerSecond near_rate{1};  ///< rate of GPU memory by the data sheet
};

/// Fitted numbers of kernels on ordinary (SIMT) units, which serve float32, and float64 at its own peak.
struct SimtParameters {
  double wide_tiles = 1;         ///< share of the sustained rate that tiles 128x32, 32x128 reach
  double small_tiles = 1;        ///< share that tiles 64x32, 32x64, 32x32, or 8 or 16 wide, reach
  double wave_tail = 1;          ///< waves added to fill and drain the device
  double extra_depth = 0;        ///< steps along K added for a tile's prologue and epilogue
  double generation = 1;         ///< rate factor of this generation's convolutions
  double early_library = 1;      ///< further rate factor of convolutions before cuDNN 7.4
  double pointwise_weights = 1;  ///< rate factor of weight gradients of 1x1 convolutions
  double scatter_rate = 1;       ///< rate factor of backward-data that adds into its output
  double scatter_memory = 1;     ///< memory rate factor of backward-data that adds into its output
  double winograd_fused = 1;     ///< rate factor of Winograd's F(2x2, 3x3) in one kernel
  double transformed = 1;        ///< rate factor of products between transforms (Winograd, FFTs)
  double transform_traffic = 1;  ///< factor of the bytes that these transforms move
  double depthwise = 1;          ///< share of the rate that depthwise kernels reach
  double linear_rate = 1;        ///< rate factor of linear layers and batched products (cuBLAS)
  double linear_memory = 1;      ///< memory rate factor of linear layers and batched products
  double linear_recent = 1;      ///< further factor of linear_rate with cuDNN 8 and later
};

/// Fitted numbers of convolutions and other matrix products on tensor cores.
struct TensorParameters {
  double tiles = 1;         ///< share of the sustained rate of tiles whose operands arrive in time
  double operands = 100;    ///< rate at which operands reach the tiles, over the GPU memory rate
  double few_channels = 1;  ///< time factor of ungrouped convolutions of < 8 input channels
};

/// Kernels of attention: one fused kernel of a library, or kSeparate, a kernel for each step. kMasked: PyTorch's
/// memory-efficient kernel, which runs if a mask is passed as a tensor.
enum class AttentionKernels { kFlash2, kCudnn, kFlash3, kFlash1, kMasked, kSeparate };
/// Number of libraries with FlashParameters of their own: kFlash2, kCudnn, kFlash3.
inline constexpr std::size_t kFusedAttentions = 3;

/// Rates of fused attention on tensor cores, over the rate of large products. Defaults: 73 % (forward) and at best 63 %
/// (backward) of an A100's peak, where large products reach 83 % (Dao, arXiv:2307.08691, section 1).
struct FlashParameters {
  double forward = 0.88;
  double backward = 0.76;
  double head_64 = 0.88;  ///< rate factor of heads 64 wide instead of 128
  bool operator==(const FlashParameters&) const = default;
};

/// Fitted numbers of recurrent layers (product.hpp).
struct RecurrentParameters {
  double forward = 1;           ///< time factor of a step's product; below 1 for persistent kernels
  double backward = 1;          ///< time factor of a step's product in backward-data
  double step_seconds = 0;      ///< seconds of a step beside its product and gates
  double old_forward = 1;       ///< further time factor of `forward` with cuDNN 6 and earlier
  double old_backward = 1;      ///< further time factor of `backward` with cuDNN 6 and earlier
  double old_gru_backward = 1;  ///< further factor of `backward` for a GRU with cuDNN 6
};

/// Parameters of cards whose 16-bit peak is little above float32's, in place of their architecture's.
struct CardClass {
  double most_gain = 0;  ///< upper limit of 16-bit peak / float32 peak; 0: no such class
  std::array<double, kDtypes.size()> sustained{};  ///< as in KernelMachine; 0: the architecture's
  bool operator==(const CardClass&) const = default;
};

/// Fitted numbers of an architecture.
struct ArchitectureParameters {
  double near_share = 1;  ///< share of the data sheet's memory rate that streaming kernels reach
  double roof_sharpness = 2.5;                     ///< s in: time = (math^s + memory^s)^(1/s)
  double kernel_seconds = 0;                       ///< seconds to launch a product or convolution
  double elementwise_kernel_seconds = 0;           ///< seconds to launch any other kernel
  std::array<double, kDtypes.size()> sustained{};  ///< as in KernelMachine; 0: not fitted
  std::array<CardClass, 2> classes;                ///< by ascending most_gain: GeForce, workstation
  SimtParameters simt;
  std::optional<TensorParameters> tensor;               ///< unset: no tensor cores, as before Volta
  std::array<FlashParameters, kFusedAttentions> flash;  ///< by AttentionKernels; used with `tensor`
  RecurrentParameters recurrent;
};

enum class ImageLayout { kChannelsFirst, kChannelsLast };
/// Objects for each of which the host spends Software::hooks in each micro-batch.
enum class HooksOn : std::uint8_t {
  kSharded,  ///< each parameter tensor that is gathered or copied in, or whose gradient is sharded
  kAll,      ///< each parameter tensor, if states are sharded or in host memory
  kUnits,    ///< each unit (model/rewrite/state.hpp), if states are sharded or in host memory
};

/// Element-wise operations that run within the kernel of another operation.
enum class Fusion {
  kNone,
  kAdd,  ///< residual sums, at the cost of one read of the output's size
  kAll,  ///< as kAdd, and activations at no cost, as graph compilers do
};
/// Padding of channels in tensor-core convolutions. kToUnits: to multiples of 8 (tf32: 4).
enum class ChannelPadding { kToUnits, kNone };

/// Kernels of windowed pools: limited by bytes, or PyTorch's, in which each thread loops over windows.
enum class PoolKernels { kStreaming, kPyTorch };
/// Unit of work that takes Software::issue: a pass of a layer, or a kernel launch.
enum class IssuedBy { kLayer, kLaunch };

/// Software around the kernels. Defaults are an ideal stack.
struct Software {
  ImageLayout layout = ImageLayout::kChannelsLast;
  Fusion fusion = Fusion::kNone;
  AttentionKernels attention = AttentionKernels::kFlash3;
  PoolKernels pools = PoolKernels::kStreaming;
  ChannelPadding padding = ChannelPadding::kToUnits;
  double elementwise_factor = 1;    ///< time factor of the memory traffic of streaming kernels
  std::pair<int, int> cudnn{9, 0};  ///< version (major, minor)
  /// Host time to issue a kernel (kLaunch), or a layer's forward or backward pass (kLayer). Updates take none.
  Duration issue;
  IssuedBy issued_by = IssuedBy::kLayer;
  Duration hooks;  ///< host time for hooks on one object (HooksOn), half of it in forward
  HooksOn hooks_on = HooksOn::kSharded;
  double update_seconds = 0;  ///< seconds for each parameter tensor, beside memory traffic
  /// Number of cross entropies of the logits that the training loop computes as metrics in each micro-batch.
  std::int64_t train_metrics = 0;
  /// Factor of `issue` under autocast, which also issues casts, and for 16-bit networks without a precision.
  double autocast_issue = 1;
};

/// Purpose of a run. Inference runs no dropout, and its batch norms use known statistics.
enum class RunMode { kTraining, kInference };

struct KernelPlatform {
  KernelMachine machine;
  ArchitectureParameters architecture;
  Software software;
};

/// Returns the class that the machine's ratio of 16-bit and float32 peaks falls into; null: none.
[[nodiscard]] const CardClass* class_of(const KernelPlatform& platform);
/// Returns the FLOP/s of the best matrix product: peak x sustained share; 0 if either is unknown.
[[nodiscard]] double sustained_rate(const KernelPlatform& platform, Dtype dtype);
/// Returns the bytes per second that streaming kernels reach.
[[nodiscard]] double streaming_rate(const KernelPlatform& platform);
/// Returns the cycles per second of all multiprocessors together, from the float32 peak. Each has 64
/// units, or 128 if with 64 the clock were above 2.3 GHz. 0: the machine has no float32 peak.
[[nodiscard]] double cycles_per_second(const KernelMachine& machine);
/// True if products of this type run on the platform's tensor cores. Others run as type simt_dtype(dtype).
[[nodiscard]] bool on_tensor_cores(const KernelPlatform& platform, Dtype dtype);
/// Returns the type in which products run without tensor cores: float64 for float64, else float32.
[[nodiscard]] Dtype simt_dtype(Dtype dtype);

/// Kernel bound by memory: element-wise, norm, pool, sum of gradients, softmax, copy, update (docs/model.md, 1.2).
struct StreamingKernel {
  double bytes = 0;    ///< bytes read and written
  double kernels = 1;  ///< number of launches
};

[[nodiscard]] double streaming_seconds(const StreamingKernel& kernel,
                                       const KernelPlatform& platform);

/// Number of an architecture with its plausible range, for architecture files and for the fit.
struct ParameterField {
  std::string_view section;  ///< such as "simt"; empty at the top level
  std::string_view name;
  double lowest;
  double highest;
  /// Function that returns the number. Precondition for section "tensor": the architecture has tensor cores.
  double& (*of)(ArchitectureParameters&);
};

/// Returns the fields of ArchitectureParameters that are ratios or counts, without `sustained` and times.
[[nodiscard]] std::span<const ParameterField> parameter_fields();
/// Returns the field with a dotted path, "simt.wide_tiles"; null if unknown.
[[nodiscard]] const ParameterField* find_parameter_field(std::string_view path);

}  // namespace ooc
