// Convolution algorithms by formula, for shapes that nobody has measured.
//
//   implicit_gemm, algo_0     the native model as it stands: no workspace
//   implicit_precomp_gemm,    the same work; int32 offsets of rows and columns of the matrix that is
//   algo_1, algo_3            never formed, 4 (taps x channels + positions) bytes
//   gemm (forward)            forms that matrix (im2col): element x taps x channels x positions bytes
//                             per sample in flight, written once and read once more
//   winograd_nonfused         F(2x2, 3x3): 16 multiplies for 4 results instead of 36 = 2.25 x fewer.
//                             3x3 kernels, stride 1, 2-D, one group, float32 and float16. Workspace:
//                             16 values per tile and channel, in and out, of the samples in flight,
//                             and 16 per filter and channel
//   fft (float32)             whole feature maps, each side padded to a power of two up to 256;
//                             complex products for half of the (symmetric) spectrum. Workspace: the
//                             spectra of input, filters and output. Stride 1, 2-D, one group
//   fft_tiling (float32)      the same on 32 x 32 tiles, kernels up to 32
//
// A transformed convolution is stages with their results in memory between them: transform the filters once, and per
// chunk of samples transform, multiply, transform back. Each stage costs as a task of the native model: launch +
// max(flops / rate, bytes / memory rate). For GEMM and Winograd the samples in flight are the fewest that give a matrix
// product enough columns, or less where that cuts the batch into as many chunks of equal size; more would only take
// more workspace. FFTs hold the spectra of the whole batch.
//
// Sources: cuDNN's documentation for which algorithm takes which shape and type; Lavin and Gray, "Fast Algorithms for
// Convolutional Neural Networks" (2016): F(2x2, 3x3), its transforms of 32, 28 and 24 FLOP; Mathieu, Henaff and LeCun,
// "Fast Training of Convolutional Networks through FFTs" (2014) and Vasilache et al., "Fast Convolutional Nets With
// fbfft" (2015): the count of complex products, power-of-two sizes, Hermitian symmetry. In all three passes the same
// planes meet, each pair once per frequency or tile position; backward-weights sums over samples, the others over
// channels. Both keep all spectra of a batch, and so does cuDNN: Oyama et al., "u-cuDNN" (2018) cut the batch to make
// workspaces smaller. Assumed, because no source gives them for all machines: the efficiencies relative to `conv` and
// the columns in flight (constants below; compute.efficiency.conv_<algorithm> of a profile replaces the former).
//
// Where it is wrong: fused kernels (cuDNN's `winograd`, small workspace) are left out; libraries'
// real workspaces differ by their own chunking; on early layers with few channels transforms are
// bound by memory and lose, which real fused ones need not.
#include "model/cost/conv_algorithms.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace ooc {
namespace {

// Efficiency of an algorithm's multiplications relative to the direct method's. Assumed: offsets
// known beforehand save a tenth, as does a formed matrix, of complex numbers too; batched products of
// Winograd's small matrices are a little behind large ones; FFTs reach half.
constexpr double kPrecomputedGain = 1.1;
constexpr double kGemmGain = 1.1;
constexpr double kWinogradGain = 0.9;
constexpr double kComplexGain = 1.1;
constexpr double kFftGain = 0.5;
// Columns that a matrix product (GEMM, Winograd's 16) needs to fill a device. Assumed.
constexpr double kColumns = 4096;
constexpr double kWholeBatch = std::numeric_limits<double>::infinity();
constexpr double kComplexBytes = 8;  // of two float32
constexpr std::int64_t kLargestFft = 256;
constexpr std::int64_t kFftTile = 32;

// The versions of cuDNN that brought an algorithm, by their headers and release notes. The ones of
// matrix products are older than all machines here.
using Version = std::pair<int, int>;
constexpr Version kFftSince{3, 0};
constexpr Version kFftTilingSince{4, 0};
constexpr Version kFftTilingOfWeightsSince{6, 0};
constexpr Version kWinogradSince{5, 1};  // not fused; the fused one of 5.0 is left out

/// Samples that are worked on at once, and how often that happens.
struct Chunks {
  double samples;
  double count;
};

Chunks chunks_of(std::int64_t batch, double columns_per_sample, double wanted) {
  const double whole = static_cast<double>(batch);
  const double most = std::min(whole, std::ceil(wanted / columns_per_sample));
  const double count = std::ceil(whole / most);
  return {std::ceil(whole / count), count};
}

struct Names {
  Algorithm plain;
  Algorithm precomputed;
};

Names names_of(ConvolutionPass pass) {
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

/// Bytes of the int32 offsets of rows and columns of the matrix that is never formed.
double offset_bytes(const ConvolutionShape& shape) {
  double taps = 1;
  double positions = 1;
  for (const ConvolutionDim& dim : shape.dims) {
    taps *= static_cast<double>(dim.kernel);
    positions *= static_cast<double>(dim.output);
  }
  return 4 * (taps * static_cast<double>(shape.channels) / static_cast<double>(shape.groups) +
              positions);
}

class Model {
 public:
  Model(const ConvolutionTask& task, const HardwareProfile& profile)
      : task_(task),
        profile_(profile),
        peak_(profile.peak.at(task.dtype).per_second),
        element_(static_cast<double>(dtype_info(task.dtype).bytes)),
        batch_(static_cast<double>(task.batch)),
        channels_(static_cast<double>(task.shape.channels)),
        filters_(static_cast<double>(task.shape.filters)) {
    for (const ConvolutionDim& dim : task.shape.dims) {
      taps_ *= static_cast<double>(dim.kernel);
      positions_ *= static_cast<double>(dim.output);
      pixels_ *= static_cast<double>(dim.input);
    }
  }

  [[nodiscard]] std::vector<ConvolutionAlgorithm> algorithms() const {
    std::vector<ConvolutionAlgorithm> found{{names_of(task_.pass).plain, task_.first_seconds, 0}};
    found.push_back(precomputed());
    if (task_.pass == ConvolutionPass::kForward) found.push_back(gemm());
    if (library_has(kWinogradSince) && winograd_takes_it()) found.push_back(winograd());
    if (fft_takes_it()) {
      if (library_has(kFftSince) && whole_fft_fits()) found.push_back(fft());
      const bool weights = task_.pass == ConvolutionPass::kBackwardWeights;
      const Version tiling = weights ? kFftTilingOfWeightsSince : kFftTilingSince;
      if (library_has(tiling) && tile_fits()) found.push_back(fft_tiling());
    }
    return found;
  }

 private:
  [[nodiscard]] bool library_has(Version since) const {
    return !profile_.cudnn || *profile_.cudnn >= since;
  }

  /// One stage as a task of the native model.
  [[nodiscard]] double stage(double flops, double bytes, double efficiency) const {
    const double launch = static_cast<double>(profile_.kernel_launch.count()) * 1e-9;
    const double throughput = static_cast<double>(profile_.near_memory.throughput.count());
    const double memory = throughput * efficiency_of(profile_, "memory").at(bytes);
    return launch + std::max(flops / (peak_ * efficiency), bytes / memory) / task_.compute_scale;
  }

  /// Of the profile if it says, else relative to the direct method's.
  [[nodiscard]] double efficiency(Algorithm algorithm, double gain) const {
    const auto own = profile_.efficiency.find("conv_" + std::string(algorithm_name(algorithm)));
    if (own != profile_.efficiency.end()) return own->second.at(task_.flops);
    return std::min(1.0, efficiency_of(profile_, "conv").at(task_.flops) * gain);
  }

  [[nodiscard]] ConvolutionAlgorithm precomputed() const {
    const Algorithm name = names_of(task_.pass).precomputed;
    const double offsets = offset_bytes(task_.shape);
    const double seconds =
        stage(task_.flops, task_.bytes + offsets, efficiency(name, kPrecomputedGain));
    return {name, seconds, offsets};
  }

  [[nodiscard]] ConvolutionAlgorithm gemm() const {
    const double matrix = element_ * taps_ * channels_ * positions_;  // of a sample
    const Chunks chunks = chunks_of(task_.batch, positions_, kColumns);
    const double form = stage(0, (element_ * channels_ * pixels_ + matrix) * chunks.samples, 1);
    const double product =
        stage(task_.flops / chunks.count, (task_.bytes + matrix * batch_) / chunks.count,
              efficiency(Algorithm::kGemm, kGemmGain));
    return {Algorithm::kGemm, (form + product) * chunks.count, matrix * chunks.samples};
  }

  [[nodiscard]] bool is_plain_2d() const {
    return task_.shape.dims.size() == 2 && task_.shape.groups == 1 &&
           std::all_of(
               task_.shape.dims.begin(), task_.shape.dims.end(),
               [](const ConvolutionDim& dim) { return dim.stride == 1 && dim.dilation == 1; });
  }
  [[nodiscard]] bool winograd_takes_it() const {
    const bool type = task_.dtype == Dtype::kFloat32 || task_.dtype == Dtype::kFloat16;
    return type && is_plain_2d() && task_.shape.dims[0].kernel == 3 &&
           task_.shape.dims[1].kernel == 3;
  }
  [[nodiscard]] bool fft_takes_it() const {
    return task_.dtype == Dtype::kFloat32 && is_plain_2d();
  }
  [[nodiscard]] bool whole_fft_fits() const {
    return std::all_of(
        task_.shape.dims.begin(), task_.shape.dims.end(),
        [](const ConvolutionDim& dim) { return dim.input + dim.padding <= kLargestFft; });
  }
  [[nodiscard]] bool tile_fits() const {
    return std::all_of(task_.shape.dims.begin(), task_.shape.dims.end(),
                       [](const ConvolutionDim& dim) { return dim.kernel <= kFftTile; });
  }

  /// Pieces of `size` along each side that cover what the pass computes (backward-weights: what it
  /// reads of the output's gradient).
  [[nodiscard]] double tiles(std::int64_t (*size)(const ConvolutionDim& dim)) const {
    double count = 1;
    for (const ConvolutionDim& dim : task_.shape.dims) {
      const auto side = task_.pass == ConvolutionPass::kBackwardData ? dim.input : dim.output;
      count *= std::ceil(static_cast<double>(side) / static_cast<double>(size(dim)));
    }
    return count;
  }

  /// The parts of a transformed convolution, of which there are `points` (tile positions or frequencies) per tile.
  struct Transformed {
    double points;
    double tiles;           ///< of a sample
    double value_bytes;     ///< of one point
    double product_flops;   ///< of one multiply-accumulate
    double in_flops;        ///< of one tile's transform
    double filter_flops;    ///< of one filter's
    double out_flops;       ///< of one tile's inverse
    double transform_gain;  ///< of the transforms, relative to the products' gain
    double transposes;      ///< times that each transformed value is moved between the stages
    double columns;         ///< wanted in flight
  };

  [[nodiscard]] ConvolutionAlgorithm transformed(Algorithm name, double gain,
                                                 const Transformed& form) const {
    const double rate = efficiency(name, gain);
    const Chunks chunks = chunks_of(task_.batch, form.tiles, form.columns);
    const double plane = form.points * form.value_bytes;  // one tile of one channel, transformed
    const double at_once = form.tiles * chunks.samples;
    const double in = plane * at_once * channels_;
    const double out = plane * at_once * filters_;
    const double weights = plane * channels_ * filters_;
    const double pairs = channels_ * filters_;
    const double slow = rate * form.transform_gain;
    const double moves = 1 + 2 * form.transposes;  // written, and read and written per transpose
    const double once =
        stage(form.filter_flops * pairs, element_ * taps_ * pairs + moves * weights, slow);
    const double forth = stage(form.in_flops * at_once * channels_,
                               element_ * pixels_ * channels_ * chunks.samples + moves * in, slow);
    const double product =
        stage(form.product_flops * form.points * at_once * pairs, in + out + weights, rate);
    const double back =
        stage(form.out_flops * at_once * filters_,
              moves * out + element_ * positions_ * filters_ * chunks.samples, slow);
    return {name, once + (forth + product + back) * chunks.count, in + out + weights};
  }

  [[nodiscard]] ConvolutionAlgorithm winograd() const {
    return transformed(Algorithm::kWinogradNonfused, kWinogradGain,
                       {.points = 16,
                        .tiles = tiles([](const ConvolutionDim&) { return std::int64_t{2}; }),
                        .value_bytes = element_,
                        .product_flops = 2,
                        .in_flops = 32,
                        .filter_flops = 28,
                        .out_flops = 24,
                        .transform_gain = 1,
                        .transposes = 0,
                        .columns = kColumns});
  }

  /// A spectrum of h x w points: h (w / 2 + 1) are stored; a real transform is half a complex one of
  /// 5 n log2 n FLOP; a complex multiply-accumulate is 8 FLOP.
  [[nodiscard]] ConvolutionAlgorithm spectral(Algorithm name, double h, double w,
                                              double tiles) const {
    const double transform = 2.5 * h * w * std::log2(h * w);
    return transformed(name, kComplexGain,
                       {.points = h * (w / 2 + 1),
                        .tiles = tiles,
                        .value_bytes = kComplexBytes,
                        .product_flops = 8,
                        .in_flops = transform,
                        .filter_flops = transform,
                        .out_flops = transform,
                        .transform_gain = kFftGain / kComplexGain,
                        .transposes = 1,
                        .columns = kWholeBatch});
  }

  [[nodiscard]] ConvolutionAlgorithm fft() const {
    const auto padded = [&](std::size_t dim) {
      const ConvolutionDim& side = task_.shape.dims[dim];
      return static_cast<double>(
          std::bit_ceil(static_cast<std::uint64_t>(side.input + side.padding)));
    };
    return spectral(Algorithm::kFft, padded(0), padded(1), 1);
  }

  [[nodiscard]] ConvolutionAlgorithm fft_tiling() const {
    const double side = static_cast<double>(kFftTile);
    return spectral(Algorithm::kFftTiling, side, side,
                    tiles([](const ConvolutionDim& dim) { return kFftTile - dim.kernel + 1; }));
  }

  const ConvolutionTask& task_;
  const HardwareProfile& profile_;
  double peak_;
  double element_;
  double batch_;
  double channels_;
  double filters_;
  double taps_ = 1;
  double positions_ = 1;
  double pixels_ = 1;
};

}  // namespace

std::vector<ConvolutionAlgorithm> modelled_algorithms(const ConvolutionTask& task,
                                                      const HardwareProfile& profile) {
  return Model(task, profile).algorithms();
}

std::vector<ConvolutionAlgorithm> useful_algorithms(std::vector<ConvolutionAlgorithm> all) {
  std::stable_sort(all.begin() + 1, all.end(), [](const auto& a, const auto& b) {
    return std::pair(a.workspace_bytes, a.seconds) < std::pair(b.workspace_bytes, b.seconds);
  });
  std::vector<ConvolutionAlgorithm> kept{all.front()};
  for (const ConvolutionAlgorithm& algorithm : all) {
    if (algorithm.seconds < kept.back().seconds) kept.push_back(algorithm);
  }
  return kept;
}

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

namespace {

constexpr double kOffsetsOnTheWay = 1.1;
constexpr double kValueBytes = 4;
constexpr double kFusedValues = 16;
constexpr double kWinogradValues = 36;
constexpr double kWinogradTile = 4;

class Algorithms {
 public:
  Algorithms(const ConvolutionTask& task, const KernelPricer::ConvolutionMethods& methods)
      : task_(task),
        methods_(methods),
        channels_(static_cast<double>(task.shape.channels)),
        filters_(static_cast<double>(task.shape.filters)) {}

  [[nodiscard]] std::vector<ConvolutionAlgorithm> all() {
    const ConvolutionTimes& times = methods_.times;
    const double product = std::min(times.direct, times.tensor);
    const Names names = names_of(task_.pass);
    add(names.plain, std::min({product * kOffsetsOnTheWay, times.scatter, times.depthwise}), 0);
    add(names.precomputed, product, offset_bytes(task_.shape));
    add(Algorithm::kWinograd, times.winograd_fused,
        kValueBytes * kFusedValues * channels_ * filters_);
    add(Algorithm::kWinogradNonfused, times.winograd, winograd_bytes());
    add(Algorithm::kFftTiling, times.fft, fft_bytes());
    return std::move(algorithms_);
  }

 private:
  void add(Algorithm algorithm, double seconds, double workspace) {
    if (!std::isfinite(seconds)) return;
    algorithms_.push_back({algorithm, seconds + methods_.beside, workspace});
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
    return kComplexBytes * h.points * (w.points / 2 + 1) *
           (tiles * (channels_ + filters_) + channels_ * filters_);
  }

  const ConvolutionTask& task_;
  const KernelPricer::ConvolutionMethods& methods_;
  double channels_;
  double filters_;
  std::vector<ConvolutionAlgorithm> algorithms_;
};

}  // namespace

std::vector<ConvolutionAlgorithm> kernel_algorithms(
    const ConvolutionTask& task, const KernelPricer::ConvolutionMethods& methods) {
  return Algorithms(task, methods).all();
}

}  // namespace ooc
