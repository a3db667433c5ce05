// A measured profile's peak, launch overhead, efficiencies and algorithms of layers. The efficiencies
// are relative to the best matrix product, not to the data sheet.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "calibrate/session/assembler.hpp"
#include "calibrate/session/measured_layers.hpp"

namespace ooc {
namespace {

/// FP32 lanes of a multiprocessor by compute capability (CUDA C++ Programming Guide, "Compute
/// Capabilities").
double lanes_per_multiprocessor(double capability) {
  if (capability >= 8.6) return 128;
  if (capability >= 7.0 || std::abs(capability - 6.0) < 0.05) return 64;
  return 128;
}

}  // namespace

void Assembler::compute() {
  HardwareProfile& profile = result_.profile;
  for (const GemmFit& gemm : calibration_.gemms) {
    profile.peak[*find_dtype(gemm.dtype)] = {std::round(gemm.peak / 1e9) * 1e9};
  }
  if (calibration_.gemms.empty()) {
    guess_peak();
  } else {
    measured("compute.peak",
             "best rate of square matrix products with cuBLAS, not the data "
             "sheet's figure; the efficiencies are relative to it");
  }
  if (calibration_.launch.time_ns) {
    profile.kernel_launch = Duration(std::llround(*calibration_.launch.time_ns));
    measured("compute.kernel_launch", "one of 200 empty kernels back to back, median");
  } else {
    profile.kernel_launch = Duration(5000);
    assumed("compute.kernel_launch", "5 us is the usual start-up time of a small kernel");
  }
  efficiencies();
  layers();
}

void Assembler::guess_peak() {
  const auto multiprocessors = machine_integer("sm_count");
  const auto clock = find_number(set_.machine, "clock_sm_max_mhz");
  const auto capability = find_number(set_.machine, "compute_capability");
  double peak = 10e12;
  std::string source =
      "no matrix product was measured, and too little is known of the device: 10 "
      "TFLOP/s stand in";
  if (multiprocessors && clock && capability && *multiprocessors > 0 && *clock > 0) {
    const double lanes = lanes_per_multiprocessor(*capability);
    peak = 2e6 * static_cast<double>(*multiprocessors) * *clock * lanes;
    source = fmt::format(
        "no matrix product was measured (no cuBLAS?): {} multiprocessors x {:.0f} "
        "MHz x {} lanes x 2 FLOP",
        *multiprocessors, *clock, lanes);
  }
  result_.profile.peak[Dtype::kFloat32] = {std::max(1e9, std::round(peak / 1e9) * 1e9)};
  assumed("compute.peak", source);
  result_.remarks.push_back("no matrix products: compute.peak is assumed");
}

void Assembler::efficiencies() {
  auto& efficiency = result_.profile.efficiency;
  const GemmFit* gemm = calibration_.gemm("float32");
  if (gemm == nullptr && !calibration_.gemms.empty()) gemm = &calibration_.gemms.front();
  if (gemm != nullptr) {
    efficiency["default"] = efficiency_curve(gemm->points, gemm->peak);
    efficiency["linear"] = efficiency["default"];
    const std::string source =
        fmt::format("square matrix products with cuBLAS in {}, over FLOP", gemm->dtype);
    measured("compute.efficiency.default", source);
    measured("compute.efficiency.linear", source);
  } else {
    efficiency["default"] = {{{1.0, 0.5}}};
    assumed("compute.efficiency.default", "half of the peak, as large layers usually reach");
  }
  const std::string layers = convolutions();
  if (!layers.empty()) {
    measured("compute.efficiency.conv", layers);
  } else {
    efficiency["conv"] = efficiency["default"];
    assumed("compute.efficiency.conv",
            "no convolution was measured (calibrate with --network, and cuDNN): as matrix "
            "products");
  }
}

void Assembler::layers() {
  result_.profile.layers = measured_layers(set_);
  if (result_.profile.layers.empty()) return;
  measured("compute.layers", "every algorithm of cuDNN by itself, median");
}

std::string Assembler::convolutions() {
  std::vector<WorkTimes> measured_layers;
  std::string dtype;
  for (const LayerTimes& layer : calibration_.layers) {
    if (dtype.empty() && calibration_.gemm(layer.dtype) != nullptr) dtype = layer.dtype;
    if (layer.dtype == dtype) measured_layers.push_back({layer.flops, layer.times_ns});
  }
  if (measured_layers.empty()) return "";
  const auto points = work_points(measured_layers, calibration_.launch_ns());
  const double peak = calibration_.gemm(dtype)->peak;
  if (points.empty()) return "";
  result_.profile.efficiency["conv"] = efficiency_curve(points, peak);
  if (best_rate(points) > peak) {
    result_.remarks.push_back(
        "some convolutions run faster than the best matrix product (Winograd or FFT do fewer "
        "operations than are counted): their efficiency is cut to 1");
  }
  return fmt::format(
      "{} passes of convolutions with cuDNN in {}, the fastest algorithm of each, "
      "over FLOP",
      measured_layers.size(), dtype);
}

}  // namespace ooc
