// Which algorithm of cuDNN does what the priced method does, and its workspace:
//
//   implicit_gemm, algo_0    the product, offsets of its operands worked out on the way: a tenth slower
//                            (assumed), no workspace; backward data: or the scatter form, if faster
//   implicit_precomp_gemm,   the product as fitted; int32 offsets of its rows and columns,
//   algo_1, algo_3           4 (taps x channels + positions) bytes
//   winograd                 F(2x2, 3x3) in one kernel: 16 values a filter and channel
//   winograd_nonfused        F(4x4, 3x3): 36 values a tile and channel, in and out, of the whole batch, and
//                            36 a filter and channel
//   fft_tiling               spectra of all tiles of the batch and of the filters
//
// cuDNN keeps what is transformed of the whole batch: cutting the batch is what makes these workspaces smaller (Oyama et
// al., "u-cuDNN", 2018). The 256 KiB of the fused Winograd's of 64 x 64 channels are its own figure (LBANN, pull request
// 437); the non-fused Winograd's and FFT tiling's are what cuDNN 7.6 and 8.6 ask for, to the byte (docs/notebook/0058).
#include "model/cost/kernel_ways.hpp"

#include <algorithm>
#include <cmath>

namespace ooc {
namespace {

constexpr double kOffsetsOnTheWay = 1.1;
constexpr double kValueBytes = 4;
constexpr double kFusedValues = 16;
constexpr double kWinogradValues = 36;
constexpr double kWinogradTile = 4;
constexpr double kComplexValueBytes = 8;

class Ways {
 public:
  Ways(const ConvolutionTask& task, const KernelPricer::ConvolutionMethods& methods)
      : task_(task),
        methods_(methods),
        channels_(static_cast<double>(task.shape.channels)),
        filters_(static_cast<double>(task.shape.filters)) {}

  [[nodiscard]] std::vector<ConvolutionWay> all() {
    const ConvolutionTimes& times = methods_.times;
    const double product = std::min(times.direct, times.tensor);
    const auto names = names_of(task_.pass);
    add(names.plain, std::min({product * kOffsetsOnTheWay, times.scatter, times.depthwise}), 0);
    add(names.precomputed, product, offsets());
    add(Algorithm::kWinograd, times.winograd_fused,
        kValueBytes * kFusedValues * channels_ * filters_);
    add(Algorithm::kWinogradNonfused, times.winograd, winograd_bytes());
    add(Algorithm::kFftTiling, times.fft, fft_bytes());
    return std::move(ways_);
  }

 private:
  struct Names {
    Algorithm plain;
    Algorithm precomputed;
  };
  static Names names_of(ConvolutionPass pass) {
    switch (pass) {
      case ConvolutionPass::kForward:
        break;
      case ConvolutionPass::kBackwardData:
        return {Algorithm::kAlgo0, Algorithm::kAlgo1};
      case ConvolutionPass::kBackwardWeights:
        return {Algorithm::kAlgo0, Algorithm::kAlgo3};
    }
    return {Algorithm::kImplicitGemm, Algorithm::kImplicitPrecompGemm};
  }

  void add(Algorithm algorithm, double seconds, double workspace) {
    if (!std::isfinite(seconds)) return;
    ways_.push_back({algorithm, seconds + methods_.beside, workspace});
  }

  [[nodiscard]] double offsets() const {
    double taps = 1;
    double positions = 1;
    for (const ConvolutionDim& dim : task_.shape.dims) {
      taps *= static_cast<double>(dim.kernel);
      positions *= static_cast<double>(dim.output);
    }
    return kValueBytes * (taps * channels_ / static_cast<double>(task_.shape.groups) + positions);
  }

  [[nodiscard]] double winograd_bytes() const {
    double tiles = static_cast<double>(task_.batch);
    for (const ConvolutionDim& dim : task_.shape.dims) {
      tiles *= std::ceil(static_cast<double>(dim.output) / kWinogradTile);
    }
    return kValueBytes * kWinogradValues * (tiles * (channels_ + filters_) + channels_ * filters_);
  }

  [[nodiscard]] double fft_bytes() const {
    const ConvolutionDim& height = task_.shape.dims[0];
    const ConvolutionDim& width = task_.shape.dims[1];
    const FftSide h =
        fft_side(static_cast<double>(height.output), static_cast<double>(height.kernel));
    const FftSide w =
        fft_side(static_cast<double>(width.output), static_cast<double>(width.kernel));
    const double tiles = static_cast<double>(task_.batch) * h.tiles * w.tiles;
    return kComplexValueBytes * h.points * (w.points / 2 + 1) *
           (tiles * (channels_ + filters_) + channels_ * filters_);
  }

  const ConvolutionTask& task_;
  const KernelPricer::ConvolutionMethods& methods_;
  double channels_;
  double filters_;
  std::vector<ConvolutionWay> ways_;
};

}  // namespace

std::vector<ConvolutionWay> kernel_ways(const ConvolutionTask& task,
                                        const KernelPricer::ConvolutionMethods& methods) {
  return Ways(task, methods).all();
}

}  // namespace ooc
