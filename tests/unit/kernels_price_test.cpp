// Prices of kernels by hand.

#include "model/kernels/convolution.hpp"
#include "model/kernels/platform.hpp"
#include "model/kernels/product.hpp"
#include "tests/support/kernel_table.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/kernels_platforms.hpp"

namespace ooc::test {
namespace {

using doctest::Approx;

/// 10 multiprocessors, 1 TFLOP/s, 100 GB/s; every tile reaches what it is asked for, no tails.
KernelPlatform plain_platform() {
  KernelPlatform platform;
  platform.machine.peak[static_cast<std::size_t>(Dtype::kFloat32)] = {1e12};
  platform.machine.peak[static_cast<std::size_t>(Dtype::kFloat16)] = {8e12};
  platform.machine.multiprocessors = 10;
  platform.machine.near_rate = BytesPerSecond(100'000'000'000);
  platform.architecture.sustained.fill(1);
  platform.architecture.simt.wave_tail = 0;
  return platform;
}

ConvolutionShape image(std::int64_t channels, std::int64_t filters, std::int64_t size,
                       std::int64_t kernel) {
  const ConvolutionDim dim{.input = size, .output = size, .kernel = kernel};
  return {.channels = channels, .filters = filters, .groups = 1, .dims = {dim, dim}};
}

TEST_CASE("channels-first stacks pay for the change of layout around tensor cores") {
  KernelPlatform platform = plain_platform();
  platform.architecture.tensor = test::table_tensor();
  platform.architecture.simt.generation = 1e-3;  // never the faster way
  const ConvolutionShape shape = image(64, 64, 56, 3);
  const ConvolutionKernel kernel{.shape = &shape, .batch = 32, .dtype = Dtype::kFloat16};
  const double last = convolution_seconds(kernel, platform);
  platform.software.layout = ImageLayout::kChannelsFirst;
  // Input and output, 2 bytes each, once more in and out: 4 x 2 x 32 x 64 x 56 x 56 / 100 GB/s.
  CHECK(convolution_seconds(kernel, platform) - last == Approx(4 * 2.0 * 32 * 64 * 56 * 56 / 1e11));
}

TEST_CASE("a volume has products alone, an image of three dimensions less one is the same image") {
  const KernelPlatform platform = plain_platform();
  const ConvolutionShape flat = image(32, 32, 28, 3);
  ConvolutionShape deep = flat;
  deep.dims.push_back({.input = 1, .output = 1, .kernel = 1});
  const ConvolutionTimes of_flat =
      convolution_times({&flat, ConvolutionPass::kForward, 8}, platform);
  const ConvolutionTimes of_deep =
      convolution_times({&deep, ConvolutionPass::kForward, 8}, platform);
  CHECK(of_deep.direct == Approx(of_flat.direct));
  CHECK(std::isfinite(of_flat.winograd));
  CHECK(std::isinf(of_deep.winograd));
  CHECK(std::isinf(of_deep.fft));
}

TEST_CASE("old libraries lack algorithms, and scale element-wise kernels") {
  KernelPlatform platform = plain_platform();
  const ConvolutionShape shape = image(32, 32, 28, 3);
  platform.software.cudnn = {5, 0};
  const ConvolutionTimes five = convolution_times({&shape, ConvolutionPass::kForward, 8}, platform);
  CHECK(std::isfinite(five.winograd_fused));
  CHECK(std::isinf(five.winograd));
  platform.software.cudnn = {4, 0};
  const ConvolutionTimes four = convolution_times({&shape, ConvolutionPass::kForward, 8}, platform);
  CHECK(std::isinf(four.winograd_fused));
  CHECK(std::isfinite(four.fft));
  platform.software.elementwise_factor = 1.5;
  platform.architecture.elementwise_kernel_seconds = 3e-6;
  CHECK(streaming_seconds({.bytes = 1e9, .kernels = 2}, platform) == Approx(15e-3 + 6e-6));
}

TEST_CASE(
    "a card without a share of its own sustains its class's, the class by 16-bit over float32 "
    "peak") {
  KernelPlatform platform = plain_platform();  // 8 / 1
  const auto half = static_cast<std::size_t>(Dtype::kFloat16);
  const auto rate = [&] { return sustained_rate(platform, Dtype::kFloat16) / 1e12; };
  platform.architecture.classes[0].most_gain = 2.5;
  platform.architecture.classes[1].most_gain = 8;
  platform.architecture.classes[0].sustained[half] = 0.5;
  platform.architecture.classes[1].sustained[half] = 0.75;
  CHECK(rate() == Approx(6));  // 8 x 0.75
  platform.machine.peak[half] = {2.5e12};
  CHECK(rate() == Approx(1.25));
  CHECK(sustained_rate(platform, Dtype::kFloat32) == Approx(1e12));  // not said: the generation's
  platform.machine.peak[half] = {9e12};
  CHECK(rate() == Approx(9));
  platform.machine.sustained[half] = 0.1;
  CHECK(rate() == Approx(0.9));
}

TEST_CASE("TF32 is never slower than float32: libraries have both") {
  KernelPlatform platform = test::table_platform("A100");
  platform.machine.peak[static_cast<std::size_t>(Dtype::kTf32)] = {19.5e12};
  for (const ImageLayout layout : {ImageLayout::kChannelsFirst, ImageLayout::kChannelsLast}) {
    platform.software.layout = layout;
    const ConvolutionShape shape = image(256, 256, 14, 3);
    const auto seconds = [&](Dtype dtype) {
      return convolution_seconds({&shape, ConvolutionPass::kForward, 64, dtype}, platform);
    };
    CHECK(seconds(Dtype::kTf32) <= seconds(Dtype::kFloat32));
  }
  const Product product{4096, 4096, 4096};
  CHECK(linear_work_seconds(product, Dtype::kTf32, platform) <=
        linear_work_seconds(product, Dtype::kFloat32, platform));
}

TEST_CASE("tensor cores wait for operands where tiles are small and their rate is high") {
  KernelPlatform platform = plain_platform();
  platform.architecture.tensor = TensorParameters{.tiles = 1, .operands = 2};
  const ProductRates rates{.flops_per_second = 8e12,
                           .bytes_per_second = 1e15,
                           .bytes = 0,
                           .element = 2,
                           .largest_split = 1};
  ProductUnits units = tensor_units(platform);
  const auto price = [&](const Product& product) { return product_seconds(product, units, rates); };
  // 64 x 64 on one of ten: 8192 FLOP a step at 0.8 TFLOP/s = 10.24 ns; 128 operands of 2 bytes at
  // 20 GB/s (a tenth of twice the near rate) = 12.8 ns.
  units.tiles = units.tiles.subspan(7, 1);
  CHECK(price({64, 64, 1000}) == Approx(12.8e-6));
  units = tensor_units(platform);
  units.tiles = units.tiles.subspan(2, 1);  // 128 x 128: 40.96 ns and 25.6 ns
  CHECK(price({128, 128, 1000}) == Approx(40.96e-6));
}

TEST_CASE("beside cuDNN 9 plain 1x1 convolutions need no change of layout") {
  KernelPlatform platform = plain_platform();
  platform.architecture.tensor = test::table_tensor();
  const ConvolutionShape plain = image(64, 64, 28, 1);
  const ConvolutionShape three = image(64, 64, 28, 3);
  const auto price = [&](const ConvolutionShape& shape, ImageLayout layout, int cudnn) {
    platform.software.layout = layout;
    platform.software.cudnn = {cudnn, 0};
    return convolution_times({.shape = &shape, .batch = 8, .dtype = Dtype::kFloat16}, platform)
        .tensor;
  };
  const auto extra = [&](const ConvolutionShape& shape, int cudnn) {
    return price(shape, ImageLayout::kChannelsFirst, cudnn) -
           price(shape, ImageLayout::kChannelsLast, cudnn);
  };
  CHECK(extra(plain, 8) > 0);
  CHECK(extra(plain, 9) == 0);
  CHECK(extra(three, 9) > 0);
}

TEST_CASE("a library older than a generation's kernels runs those of the one before") {
  KernelPlatform platform = plain_platform();
  platform.architecture.simt.early_library = 0.5;
  platform.architecture.simt.generation = 1e-3;  // arithmetic alone
  const ConvolutionShape shape = image(64, 64, 28, 5);
  const auto direct = [&](int minor) {
    platform.software.cudnn = {7, minor};
    return convolution_times({.shape = &shape, .batch = 8}, platform).direct;
  };
  CHECK(direct(3) == Approx(2 * direct(4)));
}

// Prices equal those of an independent implementation, for some hundred shapes.

using test::number_of;
using test::TableRow;

constexpr double kSame = 1e-6;

std::int64_t count_of(const TableRow& row, const std::string& column) {
  return static_cast<std::int64_t>(number_of(row, column));
}

KernelPlatform platform_of(const TableRow& row) {
  KernelPlatform platform = test::table_platform(row.at("machine"));
  const std::string& version = row.at("cudnn");
  const std::size_t dot = version.find('.');
  platform.software.cudnn = {std::stoi(version.substr(0, dot)), std::stoi(version.substr(dot + 1))};
  platform.software.layout = row.at("layout") == "channels_first" ? ImageLayout::kChannelsFirst
                                                                  : ImageLayout::kChannelsLast;
  return platform;
}

ConvolutionPass pass_of(const TableRow& row) {
  const std::string& pass = row.at("pass");
  return pass == "f"   ? ConvolutionPass::kForward
         : pass == "d" ? ConvolutionPass::kBackwardData
                       : ConvolutionPass::kBackwardWeights;
}

struct Priced {
  double seconds;
  std::string method;
};

Priced convolution_price(const TableRow& row) {
  ConvolutionShape shape{.channels = count_of(row, "channels"),
                         .filters = count_of(row, "filters"),
                         .groups = count_of(row, "groups"),
                         .dims = {}};
  shape.dims.push_back({.input = count_of(row, "height"),
                        .output = count_of(row, "out_h"),
                        .kernel = count_of(row, "kernel_h"),
                        .stride = count_of(row, "stride_h")});
  shape.dims.push_back({.input = count_of(row, "width"),
                        .output = count_of(row, "out_w"),
                        .kernel = count_of(row, "kernel_w"),
                        .stride = count_of(row, "stride_w")});
  const ConvolutionTimes times = convolution_times({.shape = &shape,
                                                    .pass = pass_of(row),
                                                    .batch = number_of(row, "batch"),
                                                    .dtype = *find_dtype(row.at("dtype"))},
                                                   platform_of(row));
  const double fastest = times.fastest();
  const std::string method = fastest == times.winograd_fused ? "winograd_fused"
                             : fastest == times.winograd     ? "winograd"
                             : fastest == times.fft          ? "fft"
                             : fastest == times.tensor       ? "tensor"
                             : fastest == times.depthwise    ? "depthwise"
                                                             : "product";
  return {fastest, method};
}

double recurrent_price(const TableRow& row) {
  const std::string& kind = row.at("kind");
  const RecurrentTimes times =
      recurrent_times({.cell = kind == "rnn_lstm"  ? RecurrentCellKind::kLstm
                               : kind == "rnn_gru" ? RecurrentCellKind::kGru
                                                   : RecurrentCellKind::kVanilla,
                       .hidden = number_of(row, "channels"),
                       .batch = number_of(row, "batch"),
                       .steps = number_of(row, "height")},
                      platform_of(row));
  switch (pass_of(row)) {
    case ConvolutionPass::kForward:
      return times.forward;
    case ConvolutionPass::kBackwardData:
      return times.backward_data;
    case ConvolutionPass::kBackwardWeights:
      return times.backward_weights;
  }
  return 0;
}

double product_price(const TableRow& row) {
  return linear_work_seconds({number_of(row, "batch"), number_of(row, "channels"),
                              number_of(row, "height"), number_of(row, "width")},
                             *find_dtype(row.at("dtype")), platform_of(row));
}

TEST_CASE("prices equal those of an independent implementation to one in a million") {
  std::map<std::string, int> methods;
  std::map<std::string, int> kinds;
  int line = 0;
  for (const TableRow& row : test::read_table(OOC_SOURCE_DIR "/tests/data/kernels/prices.csv")) {
    CAPTURE(++line);
    const std::string& kind = row.at("kind");
    ++kinds[kind];
    Priced priced{0, row.at("method")};
    if (kind == "conv") {
      priced = convolution_price(row);
      ++methods[priced.method];
    } else {
      priced.seconds = kind == "product" ? product_price(row) : recurrent_price(row);
    }
    const double expected = number_of(row, "seconds");
    CHECK(std::abs(priced.seconds / expected - 1) < kSame);
    CHECK(priced.method == row.at("method"));
  }
  for (const char* method :
       {"product", "winograd_fused", "winograd", "fft", "tensor", "depthwise"}) {
    CAPTURE(method);
    CHECK(methods[method] >= 10);
  }
  CHECK(kinds["conv"] >= 300);
  CHECK(kinds["product"] >= 100);
}

}  // namespace
}  // namespace ooc::test
