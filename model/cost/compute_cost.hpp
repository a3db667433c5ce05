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
  Duration backward;  ///< divided over the backward tasks in proportion to their computed times
};

struct ComputeOptions {
  ComputeModel model = ComputeModel::kNative;
  std::int64_t batch = 1;
  Ratio compute_scale = kOne;    ///< factor of peak and GPU memory rate in what-if runs
  Ratio percent_of_peak = kOne;  ///< PALEO's, for both rates, in forward and backward
  std::vector<LayerTime> layer_times = {};
  /// Software that runs the kernels, if the profile has an architecture. Unset: ideal, with the profile's cuDNN.
  std::optional<Software> software = {};
  std::optional<Bytes> workspace = {};  ///< limit for a convolution's algorithm; unset: none
  RunMode mode = RunMode::kTraining;  ///< training or inference, if the profile has an architecture
  AdamKernels adam = AdamKernels::kFused;
  GradientBuffers gradient_buffers = {};
  bool each_save = false;  ///< CopyRules::each_save
};

/// Returns sizes without times, for an unknown machine: one algorithm a task, with the workspace
/// that every algorithm needs. Throws SpecError for sizes too large to count.
[[nodiscard]] CostTable estimate_sizes(const TrainingGraph& graph, const ComputeOptions& options);

/// Returns the CostTable without `transfers`. Throws SpecError if a size or a time exceeds the
/// limits of units.hpp, or if the profile lacks the network's dtype.
[[nodiscard]] CostTable estimate_compute(const TrainingGraph& graph, const HardwareProfile& profile,
                                         const ComputeOptions& options);

/// Returns the machine, `scale` times as fast as the profile's, its architecture and the software.
/// Precondition: the profile names an architecture.
[[nodiscard]] KernelPlatform kernel_platform(const HardwareProfile& profile,
                                             const std::optional<Software>& software,
                                             Ratio scale = kOne);

/// Returns the cost of a task without a layer that reads and writes `bytes` once in all.
[[nodiscard]] TaskAlternative elementwise_cost(const TrainingGraph& graph,
                                               const HardwareProfile& profile,
                                               const ComputeOptions& options, std::int64_t flops,
                                               std::int64_t bytes);

}  // namespace ooc
