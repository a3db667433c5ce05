// Prices equal those of an independent implementation, for some hundred shapes.
#include "model/kernels/convolution.hpp"
#include "model/kernels/product.hpp"
#include "model/kernels/recurrent.hpp"
#include "tests/support/kernel_table.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/kernels_platforms.hpp"

using namespace ooc;
using test::number_of;
using test::TableRow;

namespace {

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

}  // namespace

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
