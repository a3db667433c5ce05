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
  Duration forward;
  Duration backward;  ///< of all backward tasks, shared in proportion to computed times
};

struct ComputeOptions {
  ComputeModel model = ComputeModel::kNative;
  std::int64_t batch = 1;
  Ratio compute_scale = kOne;    ///< factor of peak and GPU memory rate (--compute-scale)
  Ratio percent_of_peak = kOne;  ///< share of both rates that forward and backward reach (PALEO)
  std::vector<LayerTime> layer_times = {};  ///< divided by compute_scale
  /// Software that runs the kernels, if the profile has an architecture. Unset: ideal, with the profile's cuDNN.
  std::optional<Software> software = {};
  std::optional<Bytes> workspace = {};  ///< limit for a convolution's algorithm; unset: none
  RunMode mode = RunMode::kTraining;    ///< counts only if the profile has an architecture
  AdamKernels adam = AdamKernels::kFused;
  GradientBuffers gradient_buffers = {};
  bool each_save = false;  ///< CopyRules::each_save
};

/// Returns sizes without times, for an unknown machine: one algorithm a task, with the workspace
/// that every algorithm needs. Throws SpecError for sizes too large to count.
[[nodiscard]] CostTable estimate_sizes(const TrainingGraph& graph, const ComputeOptions& options);

/// Returns the CostTable without `transfers`. Throws SpecError if the batch, a size or a time exceeds
/// its limit, if the profile lacks a peak rate, and for a LayerTime without a task.
[[nodiscard]] CostTable estimate_compute(const TrainingGraph& graph, const HardwareProfile& profile,
                                         const ComputeOptions& options);

/// Returns the machine, `scale` times as fast as the profile's, its architecture and `software` (unset: ideal).
/// Precondition: the profile names an architecture.
[[nodiscard]] KernelPlatform kernel_platform(const HardwareProfile& profile,
                                             const std::optional<Software>& software,
                                             Ratio scale = kOne);

/// Returns the cost of a task of `flops` FLOPs, of no layer, that reads and writes `bytes` in all.
[[nodiscard]] TaskAlternative elementwise_cost(const TrainingGraph& graph,
                                               const HardwareProfile& profile,
                                               const ComputeOptions& options, std::int64_t flops,
                                               std::int64_t bytes);

}  // namespace ooc
