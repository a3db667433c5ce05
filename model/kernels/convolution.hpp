// Cost of one pass of a convolution (one to three dimensions, grouped, strided), by every method
// that libraries have. A transposed convolution is its mirror image with forward and backward-data
// exchanged. docs/model.md, 1.2.
//
//   pass                     M      N      K            (of each group; K filters, C channels)
//   forward                  K      N P Q  C R S
//   backward data, direct    C      N H W  K R S, of which cuDNN >= 7 touches P Q / (H W) if R S > 1
//   backward data, scatter   C R S  N P Q  K, then added into the output
//   backward weights         K      C R S  N P Q        the only one that is cut along K
//
// float32 has Winograd F(2x2, 3x3) in one kernel, and F(4x4, 3x3) and FFTs in several. Tensor cores
// have only matrix products, on channels padded to whole units; channels-first stacks convert the
// layout around them. Sources: Lavin & Gray (arXiv:1509.09308) for Winograd, Mathieu et al.
// (arXiv:1312.5851) for FFTs; form and numbers are fitted (hwprofiles/architectures/).
//
// Where it is wrong: 5x5 kernels of many channels on 7x7 maps (up to 3.5 times too slow); depthwise
// and transposed convolutions have no data.
#pragma once

#include "model/base/tensor_shape.hpp"
#include "model/kernels/platform.hpp"

namespace ooc {

struct ConvolutionKernel {
  const ConvolutionShape* shape = nullptr;
  ConvolutionPass pass = ConvolutionPass::kForward;
  double batch = 1;
  Dtype dtype = Dtype::kFloat32;
};

/// Seconds of a convolution's pass by method, without launch; infinity if a method does not apply.
struct ConvolutionTimes {
  double direct;          ///< one matrix product, whose operand is formed on the fly
  double scatter;         ///< backward-data only: a matrix product that adds into its output
  double winograd_fused;  ///< Winograd's F(2x2, 3x3) in one kernel
  double winograd;        ///< Winograd's F(4x4, 3x3), transforms through memory
  double fft;             ///< FFTs of tiles of up to 32x32, transforms through memory
  double tensor;          ///< matrix product on tensor cores, with conversion of the layout
  double depthwise;       ///< kernel for one input channel a group, without a matrix product
  [[nodiscard]] double fastest() const;
};

/// Tiles of an FFT along one side of a map; several tiles overlap by the kernel less 1.
struct FftSide {
  double points;  ///< points of a tile: 8, 16 or 32
  double tiles;   ///< number of tiles; 1 if `points` cover the side
};
[[nodiscard]] FftSide fft_side(double outputs, double kernel);

[[nodiscard]] ConvolutionTimes convolution_times(const ConvolutionKernel& kernel,
                                                 const KernelPlatform& platform);

/// Returns the seconds of the pass by its fastest method, with launch.
[[nodiscard]] double convolution_seconds(const ConvolutionKernel& kernel,
                                         const KernelPlatform& platform);

}  // namespace ooc
