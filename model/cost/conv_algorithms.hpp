// Algorithms of a convolution's tasks: times and workspaces (docs/model.md, 1.1).
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/algorithm.hpp"
#include "model/base/tensor_shape.hpp"
#include "model/cost/cost_table.hpp"
#include "model/cost/kernel_cost.hpp"
#include "model/hardware/hardware_profile.hpp"
#include "model/layers/layer_kind.hpp"

namespace ooc {

/// Task of a convolution at a batch.
struct ConvolutionTask {
  const ConvolutionShape& shape;
  ConvolutionPass pass = ConvolutionPass::kForward;
  Dtype dtype = Dtype::kFloat32;
  std::int64_t batch = 1;
  double flops = 0;          ///< FLOPs of the direct method
  double bytes = 0;          ///< bytes of its operands, each counted once
  double first_seconds = 0;  ///< time without workspace, by the native model
  double compute_scale = 1;  ///< factor of peak and GPU memory rate
};

/// Algorithm with its time, not rounded to ns.
struct ConvolutionAlgorithm {
  Algorithm algorithm = Algorithm::kDefault;
  double seconds = 0;
  double workspace_bytes = 0;
};

/// Returns all algorithms that exist for the shape and dtype, first the one without workspace.
[[nodiscard]] std::vector<ConvolutionAlgorithm> modelled_algorithms(const ConvolutionTask& task,
                                                                    const HardwareProfile& profile);

/// Returns the first algorithm, and each other algorithm that is faster than all with less
/// workspace. In the result workspaces ascend and times descend.
[[nodiscard]] std::vector<ConvolutionAlgorithm> useful_algorithms(
    std::vector<ConvolutionAlgorithm> all);

// Algorithms of a convolution's task with kernel times (docs/model.md, 1.2): time of each method,
// and the workspace that cuDNN requests.

/// Returns algorithms, first the one without workspace. Only shape, pass, type and batch of `task` are used.
[[nodiscard]] std::vector<ConvolutionAlgorithm> kernel_algorithms(
    const ConvolutionTask& task, const KernelPricer::ConvolutionMethods& methods);

}  // namespace ooc
