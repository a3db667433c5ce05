// Task times: sums of kernels where the profile names an architecture, else the roofline; and PALEO's
// model (docs/model.md, 1; docs/paleo.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/cost/amounts.hpp"
#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "model/hardware/hardware_profile.hpp"
#include "model/kernels/platform.hpp"

namespace ooc {

/// Measured times that replace computed ones, layer by layer (`--layer-times`).
struct LayerTime {
  LayerId layer;
  Duration forward;
  Duration backward;  ///< shared out over the layer's backward tasks as the model's times stand
};

struct ComputeOptions {
  ComputeModel model = ComputeModel::kNative;
  std::int64_t batch = 1;
  Ratio compute_scale = kOne;  ///< what-if: 2x faster compute = 2 (peak and near throughput alike)
  std::vector<LayerTime> layer_times = {};
  /// What runs the kernels of a profile with an architecture; none: the ideal one, with the profile's cuDNN.
  std::optional<Software> software = {};
  std::optional<Bytes> workspace = {};  ///< most that a convolution's algorithm may take; none: any
  RunMode mode =
      RunMode::kTraining;  ///< what the kernels of a profile with an architecture run for
  AdamKernels adam = AdamKernels::kFused;
  GradientBuffers gradient_buffers = {};
};

/// Bytes alone, for where no machine is known: one alternative a task, without a time and with the workspace that it
/// needs whatever its algorithm. Throws SpecError for what is too large to count.
[[nodiscard]] CostTable estimate_sizes(const TrainingGraph& graph, const ComputeOptions& options);

/// Everything of the CostTable but `transfers`. Throws SpecError when a size or a time leaves the
/// limits of units.hpp, or the profile lacks the network's dtype.
[[nodiscard]] CostTable estimate_compute(const TrainingGraph& graph, const HardwareProfile& profile,
                                         const ComputeOptions& options);

/// The profile's machine `scale` times as fast, its architecture, and the software on it (as
/// ComputeOptions::software). Precondition: the profile names an architecture.
[[nodiscard]] KernelPlatform kernel_platform(const HardwareProfile& profile,
                                             const std::optional<Software>& software,
                                             Ratio scale = kOne);

/// A task of no layer that goes through memory once: so many FLOPs, so many bytes read and written.
[[nodiscard]] TaskAlternative elementwise_cost(const TrainingGraph& graph,
                                               const HardwareProfile& profile,
                                               const ComputeOptions& options, std::int64_t flops,
                                               std::int64_t bytes);

}  // namespace ooc
