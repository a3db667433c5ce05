// Task times: sums of kernels if the profile names an architecture, else a roofline; or PALEO's
// model (docs/model.md, 1; docs/paleo.md).
#pragma once

#include <optional>
#include <vector>

#include "model/cost/amounts.hpp"
#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "model/hardware/hardware_profile.hpp"
#include "model/kernels/platform.hpp"

namespace ooc {

/// Measured time of a layer, in place of the computed one (`--layer-times`).
struct LayerTime {
  LayerId layer;
  Duration forward;   ///< time of the forward task
  Duration backward;  ///< time of all backward tasks, divided in proportion to computed times
};

struct ComputeOptions {
  ComputeModel model = ComputeModel::kNative;
  std::int64_t batch = 1;
  Ratio compute_scale = kOne;    ///< --compute-scale: factor of peak and GPU memory rate
  Ratio percent_of_peak = kOne;  ///< PALEO's PPP: times of forward and backward are divided by it
  std::vector<LayerTime> layer_times = {};  ///< at compute_scale 1; empty: all times are computed
  /// Software that runs the kernels; without an architecture only its issue times count. Unset: an ideal one, with the
  /// profile's cuDNN.
  std::optional<Software> software = {};
  std::optional<Bytes> workspace = {};  ///< limit for a convolution's algorithm; unset: no limit
  RunMode mode = RunMode::kTraining;    ///< ignored without an architecture in the profile
  AdamKernels adam = AdamKernels::kFused;
  bool clips = false;  ///< true: updates follow a norm of all gradients, which then are scaled
  GradientBuffers gradient_buffers = {};
  bool each_save = false;  ///< CopyRules::each_save
};

/// Returns a CostTable without times and copy costs, for an unknown machine: one algorithm a task,
/// with the workspace that every algorithm needs. Throws SpecError for sizes too large to count.
[[nodiscard]] CostTable estimate_sizes(const TrainingGraph& graph, const ComputeOptions& options);

/// Returns a CostTable without copy costs. Throws SpecError if the batch, a size or a time exceeds its
/// limit, if the profile lacks the peak rate of a type, and for a LayerTime above 0 without a task.
[[nodiscard]] CostTable estimate_compute(const TrainingGraph& graph, const HardwareProfile& profile,
                                         const ComputeOptions& options);

/// Returns the profile's machine, with peak and memory rates times `scale`, its architecture, and `software` (unset: an
/// ideal one, with the profile's cuDNN). Precondition: the profile has an architecture.
[[nodiscard]] KernelPlatform kernel_platform(const HardwareProfile& profile,
                                             const std::optional<Software>& software,
                                             Ratio scale = kOne);

/// Returns the cost of an element-wise task that no layer has, of `flops` FLOPs and `bytes` of memory traffic.
[[nodiscard]] TaskAlternative elementwise_cost(const TrainingGraph& graph,
                                               const HardwareProfile& profile,
                                               const ComputeOptions& options, std::int64_t flops,
                                               std::int64_t bytes);

}  // namespace ooc
