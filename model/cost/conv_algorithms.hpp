// Algorithms of a convolution's tasks: times and workspaces (docs/model.md, 1.1).
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/tensor_shape.hpp"
#include "model/cost/cost_table.hpp"
#include "model/cost/kernel_cost.hpp"
#include "model/hardware/hardware_profile.hpp"
#include "model/layers/layer_kind.hpp"

namespace ooc {

/// Task of a convolution: one pass over `batch` samples.
struct ConvolutionTask {
  const ConvolutionShape& shape;
  ConvolutionPass pass = ConvolutionPass::kForward;
  Dtype dtype = Dtype::kFloat32;
  std::int64_t batch = 1;
  double flops = 0;          ///< FLOPs of the task by the direct method
  double bytes = 0;          ///< bytes of input, output and weights, each counted once
  double first_seconds = 0;  ///< time of the algorithm without workspace
  double compute_scale = 1;  ///< factor of the profile's peak and GPU memory rate
};

/// Algorithm with its time, which is not rounded to ns.
struct ConvolutionAlgorithm {
  Algorithm algorithm = Algorithm::kDefault;
  double seconds = 0;
  double workspace_bytes = 0;
};

/// Returns the algorithms that exist for shape, type and cuDNN version, first the one without workspace.
[[nodiscard]] std::vector<ConvolutionAlgorithm> modelled_algorithms(const ConvolutionTask& task,
                                                                    const HardwareProfile& profile);

/// Returns the first algorithm of `all`, and each other one that is faster than the first and than all
/// with less workspace. In the result workspaces ascend and times descend.
[[nodiscard]] std::vector<ConvolutionAlgorithm> useful_algorithms(
    std::vector<ConvolutionAlgorithm> all);

/// Returns the algorithms for these times of methods (docs/model.md, 1.2), with the workspaces that
/// cuDNN requests, first the one without. Uses only shape, pass and batch of `task`.
[[nodiscard]] std::vector<ConvolutionAlgorithm> kernel_algorithms(
    const ConvolutionTask& task, const KernelPricer::ConvolutionMethods& methods);

}  // namespace ooc
