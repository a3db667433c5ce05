// Algorithms of a convolution's task with kernel times (docs/model.md, 1.2): time of each method,
// and the workspace that cuDNN asks for.
#pragma once

#include <vector>

#include "model/cost/conv_algorithms.hpp"
#include "model/cost/kernel_cost.hpp"

namespace ooc {

/// Returns algorithms, the one without workspace first. Of `task` only shape, pass, type and batch are used.
[[nodiscard]] std::vector<ConvolutionWay> kernel_ways(
    const ConvolutionTask& task, const KernelPricer::ConvolutionMethods& methods);

}  // namespace ooc
