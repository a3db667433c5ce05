// Machine: accelerator, GPU memory (near), host memory (far) and the connection between them, with
// the provenance of each number. Read from hwprofiles/*.json.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/copy_rules.hpp"
#include "model/base/precision.hpp"
#include "model/base/spec_tree.hpp"
#include "model/base/units.hpp"
#include "model/kernels/platform.hpp"

namespace ooc {

enum class ProvenanceKind { kMeasured, kDatasheet, kPublished, kFitted, kAssumed };

struct Provenance {
  std::string fields;  ///< dotted path of a number, or of all numbers below it (final `*`)
  ProvenanceKind kind = ProvenanceKind::kAssumed;
  std::string source;
  std::string date = {};
  std::string inherits = {};  ///< kAssumed: architecture from which the numbers were taken
  std::int64_t rows = 0;      ///< kFitted: number of measurements; 0: unknown
  double error = 0;           ///< kFitted: mean |log(predicted / measured)| of rows; 0: unknown
};

struct Architecture {
  std::string name;  ///< such as "volta"; its machines share these fitted numbers
  std::string description;
  ArchitectureParameters parameters;
  std::vector<Provenance> provenance;
  /// Dotted paths of numbers that no fit covers, as in HardwareProfile::assumed.
  std::vector<std::string> assumed;
};

/// Efficiency of a kind of computation, in (0, 1], by the work of a task: FLOPs, or bytes for
/// "memory". Linear in log(work) between points, constant outside.
struct Efficiency {
  /// (work, efficiency) in ascending order; one point: constant.
  std::vector<std::pair<double, double>> points;
  [[nodiscard]] double at(double flops) const;
};

/// Lowest and highest rate that sources report.
struct RateRange {
  BytesPerSecond lowest;
  BytesPerSecond highest;
};

/// Rate and latency of a copy. The rate is min(far, connection, near); the three latencies add up.
struct StraightLine {
  BytesPerSecond throughput;
  Duration latency = {};
  std::optional<RateRange> range = {};  ///< spread of reported rates; unset: they agree
};

/// Measured copy time by size, interpolated in log-log, extended by the last slope. Replaces rates and latencies.
struct SizeCurve {
  std::vector<std::pair<Bytes, Duration>> points;  ///< ascending in size, at least two
  /// Returns the interpolated time in ns for bytes > 0.
  [[nodiscard]] double time_ns(Bytes bytes) const;
  /// Returns the rate of large copies in bytes/s: the largest n / (t(n) - latency), where latency
  /// is the smallest time. Only sizes whose time is at least twice the latency count, else the last
  /// size: at small sizes two times within 1 % can mean any rate.
  [[nodiscard]] double peak_rate() const;
};

using TransferLine = std::variant<StraightLine, SizeCurve>;

struct TransferMode {
  TransferLine to_near;
  TransferLine to_far;
  std::optional<Bytes> page = {};      ///< page-fault mode: size of a page
  std::optional<Duration> fault = {};  ///< page-fault mode: time to serve one group of faults
  /// Page-fault mode: block within which fault groups grow; unset: each group is one page.
  std::optional<Bytes> grows_to = {};
};

struct MemoryTier {
  Bytes capacity;
  Bytes reserved;  ///< bytes for context and libraries; on the host, for system and programs
  BytesPerSecond throughput;
  Duration latency;
};

/// Bytes of a host's memory that tensors cannot use: 1/64, in which Linux describes its pages (64 B a page of 4 KiB),
/// and 4 GiB for system and program (assumed). Less than the memory for 5 GiB and more.
[[nodiscard]] constexpr Bytes host_reserve(Bytes memory) {
  return Bytes(memory.count() / 64 + (std::int64_t{4} << 30));
}

/// Rate of optimiser updates by the host's processor.
struct FarCompute {
  BytesPerSecond throughput = {};   ///< rate of bytes read and written
  std::optional<Ratio> share = {};  ///< share of host memory's rate; unset: `throughput` counts
  Duration latency = {};
  Duration per_tensor = {};  ///< host time beside each tensor's copies and update
  int threads = 0;           ///< threads of a process, if their number limits the rate; else 0
  bool assumed = false;      ///< true if no source gives a figure
};

/// Link from a device to the others of its machine, in one direction, for collectives.
struct PeerLink {
  BytesPerSecond throughput;
  Duration latency = Duration(20'000);  ///< of a collective: NCCL's order of magnitude, assumed
  Ratio taken = Ratio(0);  ///< share of their speed that kernels lose beside a collective
};

struct Connection {
  std::string name;
  std::optional<BytesPerSecond> theoretical;
  Duplex duplex;  ///< share of its rate that each direction keeps while both move bytes
  std::map<std::string, TransferMode> modes;  ///< "pinned", "pageable", "unified_fault", ...
  std::set<std::string> impossible_modes;  ///< modes that the machine cannot have: null in the file
};

/// GPU architecture and its fitted figures, from which times of single kernels are computed (docs/model.md, 1.2).
struct KernelUnits {
  std::shared_ptr<const Architecture> architecture;
  bool written_out = false;  ///< the profile has the architecture's numbers, not its name
  int multiprocessors = 1;
  /// Share of the peak that the best matrix product reaches. A missing type: the architecture's.
  std::map<Dtype, double> sustained;
};

struct HardwareProfile {
  std::string file;  ///< path, for messages
  std::string name;
  std::string description;
  std::string framework;  ///< name of the framework on the machine; empty: unknown
  std::map<Dtype, FlopsPerSecond> peak;
  /// Set: times are sums of kernels. Unset: times follow from `efficiency` and `kernel_launch`.
  std::optional<KernelUnits> kernels;
  std::map<std::string, Efficiency> efficiency;  ///< by "default", "memory", or kind of layer
  Duration kernel_launch;
  /// cuDNN version (major, minor), which limits convolution algorithms. Unset: all exist.
  std::optional<std::pair<int, int>> cudnn;
  MemoryTier near_memory;
  MemoryTier far_memory;
  std::optional<FarCompute> far_compute = {};
  /// Speed at which the host launches kernels; 1: that of the host for which frameworks state its times.
  Ratio host_speed = kOne;
  Connection connection;
  std::optional<PeerLink> peers = {};  ///< unset: derived from `connection` (peers_of())
  /// True if accelerator and host share one memory (DGX Spark, Strix Halo). Nothing moves then, and
  /// far_memory and connection repeat near_memory.
  bool one_pool = false;
  int devices = 1;
  /// Accelerators that share one host's memory and processor; unset: all that run a job.
  std::optional<int> devices_per_host = {};
  std::vector<Provenance> provenance;
  /// Dotted paths of numbers whose provenance is "assumed", for warnings in reports. Numbers under
  /// one entry are merged to its `fields`.
  std::vector<std::string> assumed;
  /// Warnings about implausible numbers, one line each (plausible.hpp).
  std::vector<std::string> implausible;
  /// Description of the calibrated machine, as measured; prediction ignores it.
  std::optional<SpecNode> machine;
};

/// Returns the efficiency of `kind`; if missing, "default", but of experts ("moe") "linear" first.
[[nodiscard]] const Efficiency& efficiency_of(const HardwareProfile& profile,
                                              const std::string& kind);

}  // namespace ooc
