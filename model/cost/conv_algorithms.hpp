// The ways to run a convolution's task: times and workspaces (docs/model.md, 1.1).
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/convolution_shape.hpp"
#include "model/cost/cost_table.hpp"
#include "model/hardware/hardware_profile.hpp"
#include "model/layers/layer_kind.hpp"

namespace ooc {

/// A convolution's task at a batch. `first` is how it runs without workspace, as the native model
/// has it for every kind.
struct ConvolutionTask {
  const ConvolutionShape& shape;
  ConvolutionPass pass = ConvolutionPass::kForward;
  Dtype dtype = Dtype::kFloat32;
  std::int64_t batch = 1;
  double flops = 0;  ///< of the direct method
  double bytes = 0;  ///< of its operands, each once
  double first_seconds = 0;
  double compute_scale = 1;  ///< what-if: peak and near throughput that many times better
};

/// One way, with its unrounded time.
struct ConvolutionWay {
  Algorithm algorithm = Algorithm::kDefault;
  double seconds = 0;
  double workspace_bytes = 0;
};

/// All ways that exist for the shape and dtype, the one without workspace first.
[[nodiscard]] std::vector<ConvolutionWay> modelled_ways(const ConvolutionTask& task,
                                                        const HardwareProfile& profile);

/// The profile's measured ways, least workspace first; empty where this shape, dtype and batch was
/// not measured.
[[nodiscard]] std::vector<ConvolutionWay> measured_ways(const ConvolutionTask& task,
                                                        const HardwareProfile& profile);

/// The first one, and of the others those that are faster than all with less workspace: workspace grows
/// and time falls from one to the next.
[[nodiscard]] std::vector<ConvolutionWay> useful_ways(std::vector<ConvolutionWay> all);

/// Of the measured ways, else of the modelled ones.
[[nodiscard]] std::vector<ConvolutionWay> convolution_ways(const ConvolutionTask& task,
                                                           const HardwareProfile& profile);

}  // namespace ooc
