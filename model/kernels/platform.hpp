// What prices of kernels depend on beside their shape: the machine (data sheet), the architecture
// (fitted numbers: hwprofiles/architectures/*.json) and the software that runs the kernels. Plain
// values; no number of a fit stands in code. docs/model.md, 1.2 has the equations.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "model/base/dtype.hpp"
#include "model/base/streaming_kind.hpp"
#include "model/base/units.hpp"

namespace ooc {

/// What a data sheet says of an accelerator.
struct KernelMachine {
  std::array<FlopsPerSecond, kDtypes.size()> peak{};  ///< by Dtype; 0: it has none
  /// Share of the peak that the best matrix product reaches; 0: the architecture's.
  std::array<double, kDtypes.size()> sustained{};
  int multiprocessors = 1;
  BytesPerSecond near_rate{1};
};

/// Numbers of kernels on ordinary (SIMT) units: float32, and float64 at its own peak.
struct SimtParameters {
  double wide_tiles = 1;     ///< efficiency of tiles 128x32, 32x128
  double small_tiles = 1;    ///< of 64x32, 32x64, 32x32, and of those 8 or 16 rows or columns thin
  double wave_tail = 1;      ///< waves that filling and draining the device cost
  double extra_depth = 0;    ///< steps along K that a tile's prologue and epilogue cost
  double generation = 1;     ///< of the sustained rate, what this generation's kernels reach
  double early_library = 1;  ///< factor more beside libraries older than cuDNN 7.4
  double pointwise_weights = 1;  ///< factor of the rate: weights' gradient of 1x1 convolutions
  double scatter_rate = 1;       ///< factor of the rate: backward data that adds into its output
  double scatter_memory = 1;     ///< factor of the near rate there
  double winograd_fused = 1;     ///< efficiency of F(2x2, 3x3) in one kernel
  double transformed = 1;        ///< efficiency of the products of F(4x4, 3x3) and of FFTs
  double transform_traffic = 1;  ///< factor of the bytes that their transforms move
  double depthwise = 1;          ///< share of the rate that depthwise kernels reach
  double linear_rate = 1;        ///< factor of the rate: linear layers, batched products (cuBLAS)
  double linear_memory = 1;      ///< factor of the near rate there
  double linear_recent = 1;      ///< factor more of the rate there, beside cuDNN 8 and newer
};

/// Numbers of kernels on tensor cores.
struct TensorParameters {
  double tiles = 1;  ///< efficiency of all tiles where their operands come fast enough
  double operands =
      100;  ///< rate at which operands reach the tiles, as a multiple of the near rate
  double few_channels = 1;  ///< factor of the time below 8 input channels
};

/// Attention in one kernel on tensor cores, of the rate of large products there.
struct FlashParameters {
  double forward =
      0.88;  ///< 73 % of an A100's peak, of which large products reach 83: Dao, arXiv:2307.08691, section 1
  double backward =
      0.76;  ///< 63 %; the most that was measured there, so short sequences reach less
};

/// Steps of recurrent layers.
struct RecurrentParameters {
  double forward = 1;       ///< factor of the step's product (persistent kernels: below 1)
  double backward = 1;      ///< the same, gradient of the data
  double step_seconds = 0;  ///< what one step costs beside its product and its gates
  double old_forward = 1;   ///< factor more, cuDNN 6 and older
  double old_backward = 1;
  double old_gru_backward = 1;  ///< factor more, GRU, cuDNN 6
};

/// Fitted numbers of an architecture.
struct ArchitectureParameters {
  double near_share = 1;        ///< of the data sheet's near rate, what streaming kernels reach
  double roof_sharpness = 2.5;  ///< time = (math^s + memory^s)^(1/s)
  double kernel_seconds = 0;    ///< what a product or convolution costs beside its work
  double elementwise_kernel_seconds = 0;
  std::array<double, kDtypes.size()> sustained{};  ///< as in KernelMachine
  SimtParameters simt;
  std::optional<TensorParameters> tensor;  ///< none before Volta
  FlashParameters flash;                   ///< beside `tensor`
  RecurrentParameters recurrent;
};

enum class ImageLayout { kChannelsFirst, kChannelsLast };
enum class Fusion {
  kNone,
  kAdd,  ///< residual sums ride on another kernel: one pass more
  kAll,  ///< activations cost nothing either
};
/// Attention without a fused kernel: scale, mask, softmax and permutes are kernels of their own.
enum class AttentionKernels { kFused, kSeparate };
/// Channels of tensor-core convolutions.
enum class ChannelPadding { kToUnits, kNone };

/// What the software around the kernels does. The defaults are those of an ideal stack.
struct Software {
  ImageLayout layout = ImageLayout::kChannelsLast;
  Fusion fusion = Fusion::kNone;
  AttentionKernels attention = AttentionKernels::kFused;
  ChannelPadding padding = ChannelPadding::kToUnits;
  double elementwise_factor = 1;      ///< of the time of element-wise kernels
  std::optional<double> norm_factor;  ///< of norms; none: as element-wise ones
  std::optional<double> pool_factor;  ///< of pools, likewise
  std::pair<int, int> cudnn{9, 0};    ///< (major, minor)
  /// Host time to issue one layer's kernels of one pass; backward tasks of a layer share it equally,
  /// updates are issued all at once for nothing.
  Duration issue;

  /// Of the time that the bytes of such a kernel take.
  [[nodiscard]] double factor(StreamingKind kind) const {
    switch (kind) {
      case StreamingKind::kNorm:
        return norm_factor.value_or(elementwise_factor);
      case StreamingKind::kPool:
        return pool_factor.value_or(elementwise_factor);
      case StreamingKind::kElementwise:
        break;
    }
    return elementwise_factor;
  }
};

/// What a pass is for: inference keeps nothing for backward, and batch norm normalises by known statistics.
enum class RunMode { kTraining, kInference };

struct KernelPlatform {
  KernelMachine machine;
  ArchitectureParameters architecture;
  Software software;
};

/// FLOP/s of the best product: peak x sustained share; 0 without a peak.
[[nodiscard]] double sustained_rate(const KernelPlatform& platform, Dtype dtype);
/// Bytes/s that streaming kernels reach.
[[nodiscard]] double streaming_rate(const KernelPlatform& platform);
/// Whether products of this type run on tensor cores here; else they are float32's.
[[nodiscard]] bool on_tensor_cores(const KernelPlatform& platform, Dtype dtype);
/// The type whose ordinary units multiply what tensor cores do not: float32, float64 for itself.
[[nodiscard]] Dtype simt_dtype(Dtype dtype);

}  // namespace ooc
