// Sizes are worked out once per kernel; each method is a function of them.
#include "model/kernels/convolution.hpp"

#include <algorithm>
#include <limits>

#include "model/kernels/product.hpp"

namespace ooc {
namespace {

using Version = std::pair<int, int>;
constexpr Version kFftTiles{4, 0};
constexpr Version kFusedWinograd{5, 0};
constexpr Version kWinograd{5, 1};
constexpr Version kSkipsStuffedZeros{7, 0};
constexpr Version kVoltaKernels{7, 4};
constexpr Version kPlainInPlace{9, 0};
constexpr double kNever = std::numeric_limits<double>::infinity();

// F(2x2, 3x3) in one kernel: a block does 16 products of 32 filters x 32 tiles.
constexpr double kFusedRows = 32;
constexpr double kFusedProducts = 16;
// F(4x4, 3x3): 36 products; an element of a tile of 4x4 results becomes 36 / 16 of itself.
constexpr double kWinogradProducts = 36;
constexpr double kWinogradGrowth = 36.0 / 16;
constexpr double kFilterTaps = 9;
// FFTs of 8, 16 or 32 points a side; complex products of four real ones.
constexpr double kFftTile = 32;
constexpr double kSmallestFft = 8;
constexpr double kFftLargestKernel = 16;
constexpr double kRealProducts = 4;
constexpr double kComplexBytes = 8;
constexpr double kFloatBytes = 4;
constexpr int kTransformedSplit = 8;
constexpr double kFewChannels = 8;

/// What all methods see of a kernel; numbers of one group unless said otherwise.
struct Sizes {
  ConvolutionPass pass;
  double batch, groups, channels, filters;
  double taps = 1, pixels = 1, positions = 1, stride = 1;
  double out_h = 1, out_w = 1, kernel_h = 1, kernel_w = 1;
  bool flat = false;  ///< two dimensions, stride 1, one group, not dilated
};

Sizes sizes_of(const ConvolutionKernel& kernel) {
  const ConvolutionShape& shape = *kernel.shape;
  const auto groups = static_cast<double>(shape.groups);
  Sizes sizes{.pass = kernel.pass,
              .batch = kernel.batch,
              .groups = groups,
              .channels = static_cast<double>(shape.channels) / groups,
              .filters = static_cast<double>(shape.filters) / groups};
  sizes.flat = shape.dims.size() == 2 && shape.groups == 1;
  for (const ConvolutionDim& dim : shape.dims) {
    sizes.taps *= static_cast<double>(dim.kernel);
    sizes.pixels *= static_cast<double>(dim.input);
    sizes.positions *= static_cast<double>(dim.output);
    sizes.stride *= static_cast<double>(dim.stride);
    sizes.flat = sizes.flat && dim.stride == 1 && dim.dilation == 1;
  }
  if (sizes.flat) {
    sizes.kernel_h = static_cast<double>(shape.dims[0].kernel);
    sizes.kernel_w = static_cast<double>(shape.dims[1].kernel);
    sizes.out_h = static_cast<double>(shape.dims[0].output);
    sizes.out_w = static_cast<double>(shape.dims[1].output);
  }
  return sizes;
}

/// Bytes of the operands, all groups together.
struct OperandBytes {
  double input, output, all;
};

OperandBytes operand_bytes(const Sizes& sizes, double element) {
  // A strided 1x1 convolution reads only the pixels that it uses.
  const bool skips =
      sizes.taps == 1 && sizes.stride > 1 && sizes.pass != ConvolutionPass::kBackwardData;
  const double used = skips ? sizes.positions / sizes.pixels : 1;
  OperandBytes bytes{};
  bytes.input = element * sizes.batch * sizes.channels * sizes.pixels * sizes.groups * used;
  bytes.output = element * sizes.batch * sizes.filters * sizes.positions * sizes.groups;
  bytes.all = bytes.input + bytes.output +
              element * sizes.channels * sizes.filters * sizes.taps * sizes.groups;
  return bytes;
}

/// The product of the direct method, on channels padded to a multiple of `unit`.
struct Padded {
  double channels, filters;
};

Padded padded(const Sizes& sizes, double unit) {
  return {.channels = unit * whole(sizes.channels / unit),
          .filters = unit * whole(sizes.filters / unit)};
}

Product direct_product(const Sizes& sizes, const Padded& padded, Version cudnn) {
  const double out = sizes.batch * sizes.positions;
  switch (sizes.pass) {
    case ConvolutionPass::kForward:
      return {padded.filters, out, padded.channels * sizes.taps, sizes.groups};
    case ConvolutionPass::kBackwardData: {
      const bool skips = cudnn >= kSkipsStuffedZeros && sizes.taps > 1;
      const double depth =
          padded.filters * sizes.taps * (skips ? sizes.positions / sizes.pixels : 1);
      return {padded.channels, sizes.batch * sizes.pixels, std::max(depth, 1.0), sizes.groups};
    }
    case ConvolutionPass::kBackwardWeights:
      return {padded.filters, padded.channels * sizes.taps, out, sizes.groups};
  }
  return {};
}

Product scatter_product(const Sizes& sizes, const Padded& padded) {
  return {padded.channels * sizes.taps, sizes.batch * sizes.positions, padded.filters,
          sizes.groups};
}

/// What the scatter form moves beside its operands: each product into memory and out of it.
double scattered_bytes(const Sizes& sizes) {
  if (sizes.taps == 1 && sizes.stride == 1) return 0;
  return 2 * kFloatBytes * sizes.channels * sizes.taps * sizes.batch * sizes.positions *
         sizes.groups;
}

int largest_split(ConvolutionPass pass) {
  return pass == ConvolutionPass::kBackwardWeights ? kLargestSplit : 1;
}

/// Methods on ordinary units.
class SimtPrices {
 public:
  SimtPrices(const Sizes& sizes, Dtype dtype, const KernelPlatform& platform)
      : sizes_(sizes),
        simt_(platform.architecture.simt),
        cudnn_(platform.software.cudnn),
        units_(simt_units(platform)),
        bytes_(operand_bytes(sizes, static_cast<double>(dtype_info(dtype).bytes))),
        rate_(sustained_rate(platform, simt_dtype(dtype)) * simt_.generation *
              (cudnn_ < kVoltaKernels ? simt_.early_library : 1)),
        near_(streaming_rate(platform)),
        plain_(dtype != Dtype::kFloat64) {}

  [[nodiscard]] double direct() const {
    const bool pointwise = sizes_.pass == ConvolutionPass::kBackwardWeights && sizes_.taps == 1;
    return product_seconds(direct_product(sizes_, padded(sizes_, 1), cudnn_), units_,
                           {.flops_per_second = rate_ * (pointwise ? simt_.pointwise_weights : 1),
                            .bytes_per_second = near_,
                            .bytes = bytes_.all,
                            .largest_split = largest_split(sizes_.pass)});
  }

  [[nodiscard]] double scatter() const {
    if (sizes_.pass != ConvolutionPass::kBackwardData) return kNever;
    return product_seconds(scatter_product(sizes_, padded(sizes_, 1)), units_,
                           {.flops_per_second = rate_ * simt_.scatter_rate,
                            .bytes_per_second = near_ * simt_.scatter_memory,
                            .bytes = bytes_.all + scattered_bytes(sizes_)});
  }

  [[nodiscard]] double winograd_fused() const {
    if (!three_by_three() || cudnn_ < kFusedWinograd ||
        sizes_.pass == ConvolutionPass::kBackwardWeights) {
      return kNever;
    }
    const auto [rows, depth] = rows_and_depth();
    const double tiles = sizes_.batch * whole(sizes_.out_h / 2) * whole(sizes_.out_w / 2);
    const double waves =
        whole(whole(rows / kFusedRows) * whole(tiles / kFusedRows) / units_.multiprocessors) +
        units_.wave_tail;
    const double math = waves * 2 * kFusedProducts * kFusedRows * kFusedRows *
                        (depth + units_.extra_depth) * units_.multiprocessors /
                        (rate_ * simt_.winograd_fused);
    return roofed(math, bytes_.all / near_, units_.roof_sharpness);
  }

  [[nodiscard]] double winograd() const {
    if (!three_by_three() || cudnn_ < kWinograd) return kNever;
    const double tiles = sizes_.batch * whole(sizes_.out_h / 4) * whole(sizes_.out_w / 4);
    const double weights = sizes_.channels * sizes_.filters;
    const double moved = (bytes_.input + bytes_.output) * (1 + kWinogradGrowth) +
                         kFloatBytes * weights * (kFilterTaps + kWinogradProducts);
    return transformed({.tiles = tiles,
                        .products = kWinogradProducts,
                        .element = kFloatBytes,
                        .rate = rate_,
                        .moved = moved});
  }

  [[nodiscard]] double fft() const {
    const bool small = sizes_.kernel_h < 5 || sizes_.kernel_w < 5;
    const bool fits = sizes_.kernel_h >= 3 && sizes_.kernel_w >= 3 &&
                      (!small || cudnn_ < Version{5, 0}) && sizes_.kernel_h <= kFftLargestKernel &&
                      sizes_.kernel_w <= kFftLargestKernel;
    if (!plain_ || !sizes_.flat || !fits || cudnn_ < kFftTiles) return kNever;
    const FftSide height = fft_side(sizes_.out_h, sizes_.kernel_h);
    const FftSide width = fft_side(sizes_.out_w, sizes_.kernel_w);
    const double tiles = sizes_.batch * height.tiles * width.tiles;
    // Half of the spectrum of real data.
    const double products = height.points * (width.points / 2 + 1);
    const double moved =
        bytes_.input + bytes_.output + transformed_bytes(tiles, kComplexBytes * products);
    return transformed({.tiles = tiles,
                        .products = products,
                        .element = kComplexBytes,
                        .rate = rate_ / kRealProducts,
                        .moved = moved});
  }

 private:
  struct Transform {
    double tiles, products, element, rate, moved;
  };

  [[nodiscard]] bool three_by_three() const {
    return plain_ && sizes_.flat && sizes_.kernel_h == 3 && sizes_.kernel_w == 3;
  }

  struct RowsAndDepth {
    double rows, depth;
  };
  [[nodiscard]] RowsAndDepth rows_and_depth() const {
    if (sizes_.pass == ConvolutionPass::kBackwardData) return {sizes_.channels, sizes_.filters};
    return {sizes_.filters, sizes_.channels};
  }

  [[nodiscard]] double transformed_bytes(double tiles, double per_element) const {
    return per_element *
           (sizes_.filters * sizes_.channels + tiles * (sizes_.filters + sizes_.channels));
  }

  /// Products between transforms, whose results lie in memory.
  [[nodiscard]] double transformed(const Transform& transform) const {
    const auto [rows, depth] = rows_and_depth();
    const Product product =
        sizes_.pass == ConvolutionPass::kBackwardWeights
            ? Product{sizes_.filters, sizes_.channels, transform.tiles, transform.products}
            : Product{rows, transform.tiles, depth, transform.products};
    return product_seconds(
               product, units_,
               {.flops_per_second = transform.rate * simt_.transformed,
                .bytes_per_second = near_,
                .bytes = transformed_bytes(transform.tiles, transform.element * transform.products),
                .largest_split = kTransformedSplit}) +
           simt_.transform_traffic * transform.moved / near_;
  }

  const Sizes& sizes_;
  const SimtParameters& simt_;
  Version cudnn_;
  ProductUnits units_;
  OperandBytes bytes_;
  double rate_;
  double near_;
  bool plain_;
};

/// Kernels for one channel a group form no product: each element is read once where it lies, in either
/// layout, and ordinary units multiply.
double depthwise_seconds(const Sizes& sizes, Dtype dtype, const KernelPlatform& platform) {
  const OperandBytes bytes = operand_bytes(sizes, static_cast<double>(dtype_info(dtype).bytes));
  const double flops =
      2 * sizes.taps * sizes.filters * sizes.groups * sizes.batch * sizes.positions;
  const double rate = sustained_rate(platform, simt_dtype(dtype)) *
                      platform.architecture.simt.generation * platform.architecture.simt.depthwise;
  return roofed(flops / rate, bytes.all / streaming_rate(platform),
                platform.architecture.roof_sharpness);
}

double tensor_seconds(const Sizes& sizes, Dtype dtype, const KernelPlatform& platform) {
  const bool pads = platform.software.padding == ChannelPadding::kToUnits;
  const double unit = !pads ? 1 : dtype == Dtype::kTf32 ? 4 : 8;
  const Padded channels = padded(sizes, unit);
  const ProductUnits units = tensor_units(platform);
  const double element = static_cast<double>(dtype_info(dtype).bytes);
  const OperandBytes bytes = operand_bytes(sizes, element);
  const double near = streaming_rate(platform);
  double seconds = product_seconds(direct_product(sizes, channels, platform.software.cudnn), units,
                                   {.flops_per_second = sustained_rate(platform, dtype),
                                    .bytes_per_second = near,
                                    .bytes = bytes.all,
                                    .element = element,
                                    .largest_split = largest_split(sizes.pass)});
  const bool plain = sizes.taps == 1 && sizes.stride == 1;
  if (platform.software.layout == ImageLayout::kChannelsFirst &&
      !(plain && platform.software.cudnn >= kPlainInPlace)) {
    seconds += 2 * (bytes.input + bytes.output) / near;
  }
  return seconds;
}

}  // namespace

FftSide fft_side(double outputs, double kernel) {
  double points = kSmallestFft;
  while (points < outputs + kernel - 1 && points < kFftTile) points *= 2;
  return {points, whole(outputs / (points + 1 - kernel))};
}

double ConvolutionTimes::fastest() const {
  return std::min({direct, scatter, winograd_fused, winograd, fft, tensor, depthwise});
}

ConvolutionTimes convolution_times(const ConvolutionKernel& kernel,
                                   const KernelPlatform& platform) {
  const Sizes sizes = sizes_of(kernel);
  ConvolutionTimes times{kNever, kNever, kNever, kNever, kNever, kNever, kNever};
  if (sizes.channels == 1 && sizes.groups > 1) {
    times.depthwise = depthwise_seconds(sizes, kernel.dtype, platform);
  }
  if (on_tensor_cores(platform, kernel.dtype)) {
    const bool few = sizes.channels < kFewChannels && sizes.groups == 1;
    times.tensor = tensor_seconds(sizes, kernel.dtype, platform) *
                   (few ? platform.architecture.tensor->few_channels : 1);
    const bool halves = dtype_info(kernel.dtype).bytes == 2;
    if (halves && !few) return times;
  }
  const SimtPrices simt(sizes, kernel.dtype, platform);
  times.direct = simt.direct();
  times.scatter = simt.scatter();
  times.winograd_fused = simt.winograd_fused();
  times.winograd = simt.winograd();
  times.fft = simt.fft();
  return times;
}

double convolution_seconds(const ConvolutionKernel& kernel, const KernelPlatform& platform) {
  return convolution_times(kernel, platform).fastest() + platform.architecture.kernel_seconds;
}

}  // namespace ooc
