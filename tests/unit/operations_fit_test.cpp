// Tables of measured operations: reading them, and numbers that come back from made-up measurements.
#include "calibrate/fit/operations_fit.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "calibrate/fit/operation_prices.hpp"
#include "calibrate/fit/search.hpp"
#include "model/base/errors.hpp"
#include "tests/support/made_up_operations.hpp"
#include "tests/unit/kernels_platforms.hpp"

using namespace ooc;
using doctest::Approx;

namespace {

constexpr const char* kHeader =
    "gpu,kind,dtype,pass,ms,cudnn,batch,channels,height,width,filters,kernel_h,kernel_w,pad_h,pad_"
    "w,"
    "m,n,k,bytes\n";

std::string fit_error(const std::string& rows) {
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

ArchitectureParameters truth() {
  ArchitectureParameters numbers = start().at("volta");
  numbers.near_share = 0.8;
  numbers.simt.wide_tiles = 0.8;
  numbers.simt.wave_tail = 0.4;
  numbers.simt.winograd_fused = 0.6;
  numbers.simt.linear_rate = 0.6;
  return numbers;
}

std::vector<MeasuredOperation> made_up(const ArchitectureParameters& numbers,
                                       test::MadeUp how = {}) {
  KernelPlatform platform = test::table_platform("V100");
  platform.architecture = numbers;
  how.gpu = "V100";
  return read_operations(test::made_up_operations(platform, how), "ops.csv");
}

const StageFit& stage_of(const OperationsFit& fit, const std::string& name) {
  for (const StageFit& stage : fit.stages) {
    if (stage.name == name) return stage;
  }
  FAIL("no such stage");
  return fit.stages.front();
}

bool tells(const StageFit& stage, const std::string& path) {
  return std::any_of(stage.numbers.begin(), stage.numbers.end(),
                     [&](const FittedNumber& number) { return number.path == path; });
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

TEST_CASE("both backward passes of a convolution in one row are priced as their sum") {
  const auto rows =
      read_operations(std::string(kHeader) +
                          "V100,conv,,backward,1,7.6,8,64,56,56,128,3,3,1,1,,,,\n"
                          "V100,conv,,backward_data,1,7.6,8,64,56,56,128,3,3,1,1,,,,\n"
                          "V100,conv,,backward_weights,1,7.6,8,64,56,56,128,3,3,1,1,,,,\n",
                      "ops.csv");
  const KernelPlatform platform = test::table_platform("V100");
  const double both = work_seconds(rows[0], platform);
  CHECK(both == Approx(work_seconds(rows[1], platform) + work_seconds(rows[2], platform)));
  CHECK(both > 1.5 * work_seconds(rows[1], platform));
}

TEST_CASE("errors of tables name line and column") {
  CHECK(fit_error("V100,conv,float32,forward,0,,8,64,56,56,128,3,3,1,1,,,,\n") ==
        "line 2, ms: \"0\", a number above 0");
  CHECK(fit_error("V100,convolution,float32,forward,1,,8,64,56,56,128,3,3,1,1,,,,\n") ==
        "line 2, kind: \"convolution\", one of conv, product, recurrent, streaming");
  CHECK(fit_error("V100,conv,float32,forward,1,,8,64,2,2,128,7,7,1,1,,,,\n") ==
        "line 2, kernel_h: 7, a kernel that fits");
  CHECK(fit_error("V100,conv\n") == "line 2: 2 fields, 19 as in the header");
  CHECK(fit_error("") == "the table: no rows, at least one measured operation");
  CHECK(fit_error("V100,product,float32,backward,1,,,,,,,,,,,10,20,30,\n") ==
        "line 2, pass: \"backward\", forward, backward_data or backward_weights");
  CHECK(fit_error("V100,product,float31,,1,,,,,,,,,,,1,1,1,\n") ==
        "line 2, dtype: \"float31\", float32, tf32, float16, bfloat16 or float64");
  CHECK(fit_error("V100,product,float32,,1,-7.6,,,,,,,,,,1,1,1,\n") ==
        "line 2, cudnn: \"-7.6\", a version such as 7.6");
  CHECK(fit_error("V100,product,,,1,,,,,,,,,,,1,1,1,\n,product,,,1,,,,,,,,,,,1,1,1,\n") ==
        "line 3, gpu: nothing, the name of a GPU, as in the rows before");
  const auto header_error = [](const char* header) {
    try {
      (void)read_operations(std::string(header) + "\n", "ops.csv");
    } catch (const SpecError& error) {
      return error.parts().found;
    }
    return std::string();
  };
  CHECK(header_error("gpu,kind,ms,colour") == "unknown column \"colour\"");
  CHECK(header_error("kind,ms,kind") == "column \"kind\" twice");
  CHECK(header_error("gpu,ms") == "a header without it");
}

TEST_CASE("a table without names is one machine's, and blanks around fields do not count") {
  const auto rows =
      read_operations("kind, ms, m, n, k\n product , 2.5,64, 32,16\n", "ops.csv", {7, 6});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].gpu.empty());
  CHECK(rows[0].line == 2);
  CHECK(rows[0].cudnn == std::pair{7, 6});
  CHECK(rows[0].product.n == 32);
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
  const OperationsFit fit = fit_operations(made_up(truth(), {.measuring = 12e-6}), machines(),
                                           start(), {.starts = 1, .evaluations = 700});
  const ArchitectureParameters& found = fit.architectures.at("volta");
  CHECK(found.near_share == Approx(0.8).epsilon(0.001));
  CHECK(found.simt.wide_tiles == Approx(0.8).epsilon(0.1));
  CHECK(found.simt.linear_rate == Approx(0.6).epsilon(0.05));
  const StageFit& convolutions = stage_of(fit, "conv float32");
  CHECK(convolutions.before > 0.1);
  CHECK(convolutions.after < 0.03);
  CHECK(convolutions.held_before > 0.1);
  CHECK(convolutions.held_after < 0.06);
  CHECK(convolutions.beside.at("measuring.") == Approx(12e-6).epsilon(0.3));
}

TEST_CASE("noise is not fitted: what is left of it is about its size, on held-out rows too") {
  // Evenly up to 10 %: 5 % in the mean.
  const OperationsFit fit = fit_operations(made_up(truth(), {.noise = 0.1}), machines(), start(),
                                           {.starts = 1, .evaluations = 500});
  const StageFit& convolutions = stage_of(fit, "conv float32");
  CHECK(convolutions.after > 0.03);
  CHECK(convolutions.after < 0.08);
  CHECK(convolutions.held_after < 0.10);
  CHECK(fit.architectures.at("volta").simt.wide_tiles == Approx(0.8).epsilon(0.15));
}

TEST_CASE("what the held-out rows measured moves no number") {
  std::vector<MeasuredOperation> rows = made_up(truth());
  const OperationsFitOptions options{.starts = 1, .evaluations = 60};
  const OperationsFit fit = fit_operations(rows, machines(), start(), options);
  std::size_t held = 0;
  for (MeasuredOperation& row : rows) {
    if (!is_held_out(row)) continue;
    row.seconds *= 3;
    ++held;
  }
  REQUIRE(held > rows.size() / 10);
  const OperationsFit other = fit_operations(rows, machines(), start(), options);
  for (const std::string& path : fitted_paths()) {
    ArchitectureParameters one = fit.architectures.at("volta");
    ArchitectureParameters two = other.architectures.at("volta");
    CAPTURE(path);
    CHECK(fit_number(one, path) == fit_number(two, path));
  }
  CHECK(stage_of(fit, "conv float32").after == stage_of(other, "conv float32").after);
  CHECK(stage_of(other, "conv float32").held_after >
        stage_of(fit, "conv float32").held_after + 0.5);
}

TEST_CASE("numbers that no row tells about stay, and are not said to be fitted") {
  KernelPlatform platform = test::table_platform("V100");
  platform.architecture = truth();
  platform.architecture.simt.depthwise = 0.5;
  test::MadeUpTable table(platform, {.gpu = "V100"});
  for (const int channels : {64, 96, 200, 512}) {
    for (const int size : {7, 14, 28, 56}) table.convolution("forward", channels, size, 1);
  }
  const OperationsFitOptions options{.starts = 1, .evaluations = 100};
  const auto rows = read_operations(table.text(), "ops.csv");
  const OperationsFit fit = fit_operations(rows, machines(), start(), options);
  const StageFit& convolutions = stage_of(fit, "conv float32");
  CHECK(tells(convolutions, "simt.wide_tiles"));
  // 1x1 kernels have no Winograd, forward passes no scatter form, and none is depthwise.
  const ArchitectureParameters& numbers = fit.architectures.at("volta");
  CHECK_FALSE(tells(convolutions, "simt.winograd_fused"));
  CHECK_FALSE(tells(convolutions, "simt.scatter_rate"));
  CHECK_FALSE(tells(convolutions, "simt.depthwise"));
  CHECK(numbers.simt.winograd_fused == start().at("volta").simt.winograd_fused);
  CHECK(numbers.simt.depthwise == start().at("volta").simt.depthwise);
  CHECK(numbers.tensor->tiles == start().at("volta").tensor->tiles);

  for (const int channels : {64, 96, 200, 512, 1024, 2048}) table.depthwise(channels, 56);
  const OperationsFit more =
      fit_operations(read_operations(table.text(), "ops.csv"), machines(), start(), options);
  CHECK(tells(stage_of(more, "conv float32"), "simt.depthwise"));
}

TEST_CASE("numbers of kernels that never win stay, wherever the search went") {
  FitParameters begin = start();
  // Far slower than plain products: only other values of their range would show.
  begin.at("volta").simt.winograd_fused = 0.05;
  begin.at("volta").simt.transformed = 0.05;
  ArchitectureParameters numbers = begin.at("volta");
  numbers.simt.wide_tiles = 0.8;
  const OperationsFit fit =
      fit_operations(made_up(numbers), machines(), begin, {.starts = 1, .evaluations = 200});
  const StageFit& convolutions = stage_of(fit, "conv float32");
  CHECK(tells(convolutions, "simt.wide_tiles"));
  for (const char* path : {"simt.winograd_fused", "simt.transformed", "simt.transform_traffic"}) {
    CAPTURE(path);
    CHECK_FALSE(tells(convolutions, path));
    ArchitectureParameters found = fit.architectures.at("volta");
    CHECK(fit_number(found, path) == fit_number(begin.at("volta"), path));
  }
}

TEST_CASE("a handful of noisy rows does not carry numbers off, except from fixed starts") {
  test::MadeUpTable table(test::table_platform("V100"), {.noise = 0.2, .gpu = "V100"});
  for (const int size : {7, 14, 28}) table.convolution("forward", 64, size, 1);
  for (const int size : {7, 14, 28}) table.convolution("forward", 200, size, 1);
  const auto rows = read_operations(table.text(), "ops.csv");
  const auto moved = [&](FitStart from) {
    const OperationsFit fit =
        fit_operations(rows, machines(), start(), {.from = from, .starts = 1, .evaluations = 400});
    ArchitectureParameters found = fit.architectures.at("volta");
    ArchitectureParameters begin = start().at("volta");
    double most = 0;
    for (const char* path :
         {"simt.wide_tiles", "simt.small_tiles", "simt.wave_tail", "simt.extra_depth"}) {
      const double log = std::log(fit_number(found, path) / fit_number(begin, path));
      most = std::max(most, std::abs(log));
    }
    return most;
  };
  CHECK(moved(FitStart::kGiven) < std::log(1.3));
  CHECK(moved(FitStart::kNeutral) > std::log(1.3));
}

TEST_CASE("rows that the model has no numbers for are counted, not fitted") {
  const auto rows = read_operations(
      "gpu,kind,dtype,pass,ms,m,n,k\nV100,product,float64,,1,64,64,64\n", "ops.csv");
  const OperationsFit fit = fit_operations(rows, machines(), start(), {});
  CHECK(fit.stages.empty());
  REQUIRE(fit.unused.size() == 1);
  CHECK(fit.unused.begin()->second == 1);
}

TEST_CASE(
    "a number that is fixed stays; what a machine cannot have run is an error with its line") {
  std::vector<MeasuredOperation> rows = made_up(truth());
  const OperationsFit fit = fit_operations(
      rows, machines(), start(), {.starts = 1, .evaluations = 20, .fixed = {"simt.wide_tiles"}});
  CHECK(fit.architectures.at("volta").simt.wide_tiles == start().at("volta").simt.wide_tiles);
  const auto error_with = [&] {
    try {
      (void)fit_operations(rows, machines(), start(), {.file = "ops.csv"});
    } catch (const SpecError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  rows[2].dtype = Dtype::kTf32;
  CHECK(error_with() ==
        "ops.csv: line 4, dtype: found tf32, expected a GPU with tensor cores and a peak for that "
        "type");
  rows[1].gpu = "H100";
  CHECK(error_with() == "ops.csv: line 3, gpu: found \"H100\", expected one of V100");
}
