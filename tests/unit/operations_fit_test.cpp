// Tables of measured operations: reading them, and numbers that come back from made-up measurements.
#include "calibrate/fit/operations_fit.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "calibrate/fit/search.hpp"
#include "model/base/errors.hpp"
#include "model/kernels/convolution.hpp"
#include "tests/unit/kernels_platforms.hpp"

using namespace ooc;
using doctest::Approx;

namespace {

constexpr const char* kHeader =
    "gpu,kind,dtype,pass,ms,cudnn,batch,channels,height,width,filters,kernel_h,kernel_w,pad_h,pad_"
    "w,"
    "m,n,k,bytes\n";

std::string error_of(const std::string& rows) {
  try {
    (void)read_operations(kHeader + rows, "ops.csv");
  } catch (const SpecError& error) {
    return error.parts().place + ": " + error.parts().found + ", " + error.parts().expected;
  }
  return "";
}

std::map<std::string, FitMachine> machines() {
  FitMachine v100{.architecture = "volta", .machine = test::table_platform("V100").machine};
  return {{"V100", v100}};
}

std::map<std::string, ArchitectureParameters> start() {
  return {{"volta", test::table_platform("V100").architecture}};
}

/// Convolutions and products as a device with `truth` would take them.
std::vector<MeasuredOperation> made_up(const ArchitectureParameters& truth, double measuring) {
  KernelPlatform platform = test::table_platform("V100");
  platform.architecture = truth;
  std::vector<MeasuredOperation> rows;
  const auto add = [&](MeasuredOperation row, double seconds) {
    row.gpu = "V100";
    row.seconds = seconds + measuring;
    row.shape_hash = rows.size();
    rows.push_back(row);
  };
  for (const std::int64_t channels : {64, 96, 200, 512}) {
    for (const std::int64_t size : {7, 14, 28, 56}) {
      for (const std::int64_t kernel : {1, 3}) {
        MeasuredOperation row;
        const ConvolutionDim dim{.input = size, .output = size, .kernel = kernel};
        row.shape = {
            .channels = channels, .filters = 2 * channels, .groups = 1, .dims = {dim, dim}};
        row.batch = 16;
        add(row, convolution_times({.shape = &row.shape, .batch = row.batch}, platform).fastest());
      }
    }
  }
  for (const double bytes : {1e8, 2e8, 3e8, 5e8, 6e8}) {
    MeasuredOperation row;
    row.kind = OperationKind::kStreaming;
    row.bytes = bytes;
    add(row, bytes / streaming_rate(platform));
  }
  return rows;
}

}  // namespace

TEST_CASE("rows are read by the names of the columns") {
  const auto rows =
      read_operations(std::string("# note\n") + kHeader +
                          "V100,conv,float16,backward_data,1.5,7.6,8,64,56,56,128,3,3,1,1,,,,\r\n"
                          "P100,product,,,2,,,,,,,,,,,10,20,30,\n"
                          "P100,streaming,,,2,,,,,,,,,,,,,,4096\n",
                      "ops.csv");
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].pass == OperationPass::kBackwardData);
  CHECK(rows[0].dtype == Dtype::kFloat16);
  CHECK(rows[0].cudnn == std::pair{7, 6});
  CHECK(rows[0].seconds == Approx(1.5e-3));
  CHECK(rows[0].shape.dims[1].output == 56);
  CHECK(rows[1].product.k == 30);
  CHECK(rows[2].bytes == 4096);
}

TEST_CASE("the same sizes are held out on every GPU, type and pass") {
  const auto rows =
      read_operations(std::string(kHeader) +
                          "V100,conv,float16,backward_data,1.5,7.6,8,64,56,56,128,3,3,1,1,,,,\n"
                          "P100,conv,float32,forward,9,5.0,8,64,56,56,128,3,3,1,1,,,,\n"
                          "P100,conv,float32,forward,9,5.0,16,64,56,56,128,3,3,1,1,,,,\n",
                      "ops.csv");
  CHECK(rows[0].shape_hash == rows[1].shape_hash);
  CHECK(rows[0].shape_hash != rows[2].shape_hash);
}

TEST_CASE("errors of tables name line and column") {
  CHECK(error_of("V100,conv,float32,forward,0,,8,64,56,56,128,3,3,1,1,,,,\n") ==
        "line 2, ms: \"0\", a number above 0");
  CHECK(error_of("V100,convolution,float32,forward,1,,8,64,56,56,128,3,3,1,1,,,,\n") ==
        "line 2, kind: \"convolution\", one of conv, product, recurrent, streaming");
  CHECK(error_of("V100,conv,float32,forward,1,,8,64,2,2,128,7,7,1,1,,,,\n") ==
        "line 2, kernel_h: 7, a kernel that fits");
  CHECK(error_of("V100,conv\n") == "line 2: 2 fields, 19 as in the header");
  CHECK(error_of("") == "the table: no rows, at least one measured operation");
  CHECK_THROWS_AS((void)read_operations("gpu,kind,ms,colour\n", "ops.csv"), SpecError);
}

TEST_CASE("a search finds the minimum, and the same one again") {
  const std::vector<SearchVariable> variables{{1, 0.1, 10}, {1, 0.1, 10}};
  const auto loss = [](const std::vector<double>& x) {
    return std::abs(std::log(x[0] / 3)) + std::abs(std::log(x[1] / 0.5));
  };
  const SearchResult found = search_minimum(variables, {.seed = 7, .evaluations = 600}, loss);
  CHECK(found.values[0] == Approx(3).epsilon(0.05));
  CHECK(found.values[1] == Approx(0.5).epsilon(0.05));
  CHECK(search_minimum(variables, {.seed = 7, .evaluations = 600}, loss).values == found.values);
}

TEST_CASE("numbers come back from measurements that were made with them") {
  ArchitectureParameters truth = start().at("volta");
  truth.near_share = 0.8;
  truth.simt.wide_tiles = 0.8;
  truth.simt.wave_tail = 0.4;
  const OperationsFit fit = fit_operations(made_up(truth, 12e-6), machines(), start(),
                                           {.seed = 1, .starts = 1, .evaluations = 700});
  REQUIRE(fit.stages.size() == 2);
  const ArchitectureParameters& found = fit.architectures.at("volta");
  CHECK(found.near_share == Approx(0.8).epsilon(0.001));
  CHECK(found.simt.wide_tiles == Approx(0.8).epsilon(0.1));
  const StageFit& convolutions = fit.stages.back();
  CHECK(convolutions.before > 0.1);
  CHECK(convolutions.after < 0.03);
  CHECK(convolutions.held_after < 0.06);
  CHECK(convolutions.beside.at("measuring.") == Approx(12e-6).epsilon(0.2));
}

TEST_CASE("a number that is fixed stays, a GPU that nobody knows is an error") {
  ArchitectureParameters truth = start().at("volta");
  truth.simt.wide_tiles = 0.8;
  std::vector<MeasuredOperation> rows = made_up(truth, 0);
  const OperationsFit fit = fit_operations(
      rows, machines(), start(), {.starts = 1, .evaluations = 20, .fixed = {"simt.wide_tiles"}});
  CHECK(fit.architectures.at("volta").simt.wide_tiles == start().at("volta").simt.wide_tiles);
  rows.front().gpu = "H100";
  CHECK_THROWS_AS((void)fit_operations(rows, machines(), start(), {}), SpecError);
}
