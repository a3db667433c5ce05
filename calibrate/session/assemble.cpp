// Where each number of a measured profile comes from is docs/calibration.md, "The profile".
//
// A straight line's latency is end to end, measured. The cost model adds the latencies of both
// memories to it and limits its rate by theirs, so that the memories get latency 0 and at least the
// rate that copies were seen to have.
#include "calibrate/session/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibrate/session/measured_layers.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

constexpr Bytes kUsualReserve(std::int64_t{700} << 20);
constexpr Bytes kUsualHost(std::int64_t{64} << 30);

BytesPerSecond rate_from(double bytes_per_s) {
  // Whole MB/s: no timing is better than that, and files stay readable.
  const double megabytes = std::max(1.0, std::round(bytes_per_s / 1e6));
  return BytesPerSecond(static_cast<std::int64_t>(std::min(megabytes, 1e12)) * 1'000'000);
}

/// FP32 lanes of a multiprocessor by compute capability (CUDA C++ Programming Guide, "Compute
/// Capabilities").
double lanes_per_multiprocessor(double capability) {
  if (capability >= 8.6) return 128;
  if (capability >= 7.0 || std::abs(capability - 6.0) < 0.05) return 64;
  return 128;
}

class Assembler {
 public:
  Assembler(const SampleSet& set, const Calibration& calibration, const ProfileHead& head)
      : set_(set), calibration_(calibration), head_(head) {}

  Assembled run() {
    HardwareProfile& profile = result_.profile;
    profile.name = head_.name.empty() ? default_profile_name(set_) : head_.name;
    const std::string device = find_value(set_.machine, "device_name").value_or("unknown device");
    profile.description =
        fmt::format("{}, measured{}{}", device, head_.date.empty() ? "" : " on ", head_.date);
    if (set_.backend != "cuda") profile.description += " (" + set_.backend + ": no real machine)";
    compute();
    copies();
    memories();
    duplex();
    profile.devices = 1;
    measured("devices", "one device was measured; the machine may hold more");
    profile.measurement_json = measurement_json(set_, calibration_);
    return std::move(result_);
  }

 private:
  void say(const char* fields, ProvenanceKind kind, std::string source) {
    const bool dated = kind == ProvenanceKind::kMeasured;
    result_.profile.provenance.push_back({.fields = fields,
                                          .kind = kind,
                                          .source = std::move(source),
                                          .date = dated ? head_.date : ""});
  }
  void measured(const char* fields, std::string source) {
    say(fields, ProvenanceKind::kMeasured, std::move(source));
  }
  void assumed(const char* fields, std::string source) {
    say(fields, ProvenanceKind::kAssumed, std::move(source));
  }
  [[nodiscard]] std::optional<long long> machine_integer(const char* key) const {
    return find_integer(set_.machine, key);
  }

  void compute() {
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

  void guess_peak() {
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

  void efficiencies() {
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

  /// What schedules may choose from, where these very shapes come again.
  void layers() {
    result_.profile.layers = measured_layers(set_);
    if (result_.profile.layers.empty()) return;
    measured("compute.layers", "every algorithm of cuDNN by itself, median");
  }

  /// Where the curve comes from, or empty when no convolution was measured.
  std::string convolutions() {
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

  /// What every copy of this mode is limited by at most: the rate at its largest size.
  static double top_rate(const TransferFit& fit) {
    const SizeFit& last = fit.sizes.back();
    const double line = fit.line.ns_per_byte > 0 ? 1e9 / fit.line.ns_per_byte : 0;
    return std::max(line, static_cast<double>(last.bytes.count()) * 1e9 / last.times.median);
  }

  void copies() {
    Connection& connection = result_.profile.connection;
    for (const char* mode : kCopyModes) {
      const TransferFit* near = calibration_.copy(mode, "to_near");
      const TransferFit* far = calibration_.copy(mode, "to_far");
      if (near == nullptr && far == nullptr) continue;
      if (near == nullptr || far == nullptr) {
        result_.remarks.push_back(std::string(mode) +
                                  ": only one direction was measured; left out");
        continue;
      }
      TransferMode& kept = connection.modes[mode];
      kept.to_near = rounded(near->kept);
      kept.to_far = rounded(far->kept);
      const std::string fields = std::string("connection.modes.") + mode;
      measured(fields.c_str(),
               fmt::format("{} sizes to near memory ({}), {} to far memory ({})",
                           near->sizes.size(), shape(*near), far->sizes.size(), shape(*far)));
      if (std::string_view(mode) == "unified_fault") faults(kept);
    }
    if (connection.modes.count("pinned") == 0) {
      throw SpecError({.file = "",
                       .place = "samples",
                       .found = "no pinned copies in both directions",
                       .expected = "at least those: a profile is nothing without them",
                       .hint = "let the calibration run longer, or continue it with --from"});
    }
    link();
  }

  static const char* shape(const TransferFit& fit) { return fit.is_curve() ? "curve" : "line"; }

  static TransferLine rounded(const TransferLine& line) {
    if (const auto* straight = std::get_if<StraightLine>(&line)) {
      return StraightLine{rate_from(static_cast<double>(straight->throughput.count())),
                          straight->latency};
    }
    return line;
  }

  void faults(TransferMode& mode) {
    const FaultFit& fit = *calibration_.faults;
    const double rate = fit.ns_per_byte > 0 ? 1e9 / fit.ns_per_byte : 1e18;
    mode.to_near = StraightLine{rate_from(rate), Duration(std::llround(fit.latency_ns))};
    mode.page = fit.page;
    mode.fault = Duration(std::llround(fit.fault_ns));
    measured("connection.modes.unified_fault.to_near",
             "between faults: the rate of a prefetch; what faults take is in page and fault");
    measured("connection.modes.unified_fault.page",
             "of the groups from 4 KiB to 2 MiB the one that fits the times best");
    measured("connection.modes.unified_fault.fault",
             "what a kernel that reads host-resident pages takes beyond moving them");
  }

  void link() {
    Connection& connection = result_.profile.connection;
    connection.name = "unknown link";
    if (!calibration_.link) return;
    const auto expected = expected_pcie(calibration_.link->generation, calibration_.link->width);
    if (!expected) return;
    connection.name = expected->name;
    // The bus that is read is not always the link that copies take (NVLink to the host).
    const TransferFit* near = calibration_.copy("pinned", "to_near");
    if (top_rate(*near) > static_cast<double>(expected->theoretical.count())) {
      connection.name = "a link faster than the PCIe that was read";
      return;
    }
    connection.theoretical = expected->theoretical;
    say("connection.theoretical", ProvenanceKind::kDatasheet,
        "PCI Express: lanes x transfer rate x coding, for the generation and width that were read");
  }

  void memories() {
    HardwareProfile& profile = result_.profile;
    double fastest_copy = 0;
    for (const CopyFit& copy : calibration_.copies) {
      fastest_copy = std::max(fastest_copy, top_rate(copy.fit));
    }
    near_capacity();
    double near = std::max(calibration_.near_rate, best_rate(calibration_.kernels));
    if (near > 0) {
      measured("near_memory.throughput",
               "the best of copies within near memory and element-wise kernels, read plus written");
    } else {
      near = std::max(500e9, 2 * fastest_copy);
      assumed("near_memory.throughput", "not measured: 500 GB/s stand in");
    }
    profile.near_memory.throughput = rate_from(std::max(near, fastest_copy));
    memory_efficiency(near);
    const char* end_to_end = "0: part of the connection's latency, which was measured end to end";
    measured("near_memory.latency", end_to_end);
    measured("far_memory.latency", end_to_end);
    const auto host = machine_integer("host_memory_bytes");
    profile.far_memory.capacity =
        host && *host > 0 && *host < kMaxTotalBytes ? Bytes(*host) : kUsualHost;
    if (host) {
      measured("far_memory.capacity", "the host's memory; others use some of it");
    } else {
      assumed("far_memory.capacity", "the host's memory was not read");
    }
    profile.far_memory.throughput = rate_from(std::max(calibration_.host_rate, fastest_copy));
    measured("far_memory.throughput",
             calibration_.host_rate >= fastest_copy
                 ? "copies from host buffer to host buffer with all threads, read plus written"
                 : "at least what copies over the link were seen to reach");
  }

  void near_capacity() {
    MemoryTier& near = result_.profile.near_memory;
    const auto total = machine_integer("memory_total_bytes");
    const auto free = machine_integer("memory_free_bytes");
    const bool known = total && *total > 0 && *total < kMaxTotalBytes;
    near.capacity = known ? Bytes(*total) : Bytes(std::int64_t{16} << 30);
    if (known) {
      measured("near_memory.capacity", "as the driver reports it");
    } else {
      assumed("near_memory.capacity", "the driver did not report it");
    }
    if (known && free && *free > 0 && *free <= *total) {
      near.reserved = Bytes(*total - *free);
      measured("near_memory.reserved",
               "total - free when the measuring program had its context; libraries take more");
    } else {
      near.reserved = std::min(kUsualReserve, Bytes(near.capacity.count() / 2));
      assumed("near_memory.reserved", "700 MiB, as for every CUDA device");
    }
  }

  void memory_efficiency(double near) {
    auto& efficiency = result_.profile.efficiency["memory"];
    if (!calibration_.kernels.empty()) {
      efficiency = efficiency_curve(calibration_.kernels, near);
      measured("compute.efficiency.memory", "element-wise, norm and pool kernels, over bytes");
      return;
    }
    if (calibration_.near_copy) {
      std::vector<WorkTimes> copies;
      for (const SizeFit& size : calibration_.near_copy->sizes) {
        copies.push_back({2 * static_cast<double>(size.bytes.count()), {size.times.median}});
      }
      efficiency = efficiency_curve(work_points(copies, calibration_.launch_ns()), near);
      measured("compute.efficiency.memory", "copies within near memory, over bytes");
      return;
    }
    efficiency = {{{1.0, 0.75}}};
    assumed("compute.efficiency.memory", "the usual share");
  }

  /// What a mode's directions can carry alone: the reader's rule for the least duplex ratio.
  [[nodiscard]] double peak_rate(const TransferLine& line) const {
    if (const auto* straight = std::get_if<StraightLine>(&line)) {
      return static_cast<double>(
          std::min({straight->throughput, result_.profile.near_memory.throughput,
                    result_.profile.far_memory.throughput})
              .count());
    }
    const SizeCurve& curve = std::get<SizeCurve>(line);
    double peak = 0;
    for (const auto& [bytes, time] : curve.points) {
      const double moving = static_cast<double>((time - curve.points.front().second).count());
      if (moving > 0) peak = std::max(peak, static_cast<double>(bytes.count()) * 1e9 / moving);
    }
    return peak;
  }

  void duplex() {
    Connection& connection = result_.profile.connection;
    double least = 0.5;
    std::string mode_of_least = "pinned";
    for (const auto& [name, mode] : connection.modes) {
      if (name == "unified_fault") continue;  // as the reader
      const double in = peak_rate(mode.to_near);
      const double out = peak_rate(mode.to_far);
      if (!(in + out > 0) || std::max(in, out) / (in + out) <= least) continue;
      least = std::max(in, out) / (in + out);
      mode_of_least = name;
    }
    const double ratio = std::clamp(calibration_.duplex.value_or(0.75), least, 1.0);
    connection.duplex = Ratio(std::min<std::int64_t>(
        kOne.count(), static_cast<std::int64_t>(std::ceil(ratio * 1e6)) * 1000));
    if (!calibration_.duplex) {
      assumed("connection.duplex", "both directions at once were not measured: 0.75 is usual");
      return;
    }
    std::string source = "both directions of pinned copies at once: sum of the rates against alone";
    if (ratio > *calibration_.duplex + 1e-6) {
      const std::string raised =
          fmt::format("measured {:.3f}, raised to {:.3f}, what taking turns gives mode {}",
                      *calibration_.duplex, ratio, mode_of_least);
      source += "; " + raised;
      result_.remarks.push_back("connection.duplex: " + raised);
    }
    measured("connection.duplex", source);
  }

  const SampleSet& set_;
  const Calibration& calibration_;
  const ProfileHead& head_;
  Assembled result_;
};

}  // namespace

std::string default_profile_name(const SampleSet& set) {
  std::string name;
  for (const char c : find_value(set.machine, "device_name").value_or("machine")) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (upper) {
      name += static_cast<char>(c - 'A' + 'a');
    } else if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  if (!name.empty() && name.back() != '-') name += '-';
  return name + "measured";
}

Assembled assemble_profile(const SampleSet& set, const Calibration& calibration,
                           const ProfileHead& head) {
  return Assembler(set, calibration, head).run();
}

}  // namespace ooc
