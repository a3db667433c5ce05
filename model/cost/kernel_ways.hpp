// The ways to run a convolution's task where its kernels are priced (docs/model.md, 1.2): what each
// method takes and the workspace that libraries want for it.
#pragma once

#include <vector>

#include "model/cost/conv_algorithms.hpp"
#include "model/cost/kernel_cost.hpp"

namespace ooc {

/// The one without workspace first. `task` gives shape, pass, type and batch.
[[nodiscard]] std::vector<ConvolutionWay> kernel_ways(
    const ConvolutionTask& task, const KernelPricer::ConvolutionMethods& methods);

}  // namespace ooc
