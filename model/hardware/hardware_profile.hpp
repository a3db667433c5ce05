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
  std::string fields;  ///< dotted path ("*": all); covers the number there and all below
  ProvenanceKind kind = ProvenanceKind::kAssumed;
  std::string source;
  std::string date = {};      ///< empty: not stated
  std::string inherits = {};  ///< kAssumed: architecture that the numbers are of; else empty
  std::int64_t rows = 0;      ///< kFitted: number of measurements; 0: unknown
  double error = 0;           ///< kFitted: mean |log(predicted / measured)| of rows; 0: unknown
};

/// GPU architecture with fitted numbers that all its machines share.
struct Architecture {
  std::string name;  ///< such as "volta"
  std::string description;
  ArchitectureParameters parameters;
  std::vector<Provenance> provenance;
  /// Dotted paths of numbers whose provenance is "assumed", merged as in HardwareProfile::assumed.
  std::vector<std::string> assumed;
};

/// Share of the peak that a kind of computation reaches, by the work of a task. Linear in log(work)
/// between points, constant outside.
struct Efficiency {
  /// Pairs of work (FLOPs, for "memory" bytes) and efficiency in (0, 1], by ascending work. One pair: constant.
  std::vector<std::pair<double, double>> points;
  [[nodiscard]] double at(double flops) const;
};

/// Lowest and highest rate that sources report.
struct RateRange {
  BytesPerSecond lowest;
  BytesPerSecond highest;
};

/// Rate and latency of the connection, for copies in one direction. A copy has the lowest rate and the sum of the
/// latencies of host memory, connection and GPU memory.
struct StraightLine {
  BytesPerSecond throughput;
  Duration latency = {};
  std::optional<RateRange> range = {};  ///< rates that sources report; unset: not stated
};

/// Copy time by size as measured, in place of rates and latencies. Between points log(time) is linear in log(size);
/// beyond them the slope of the nearest two points goes on.
struct SizeCurve {
  std::vector<std::pair<Bytes, Duration>> points;  ///< (size, time) by ascending size, two or more
  /// Returns the interpolated time in ns for bytes > 0.
  [[nodiscard]] double time_ns(Bytes bytes) const;
  /// Returns the rate of large copies in bytes/s: the largest n / (t(n) - latency), where latency is the
  /// smallest time. Counts only sizes whose time is at least twice the latency, and the last size:
  /// at small sizes two times within 1 % can mean any rate.
  [[nodiscard]] double peak_rate() const;
};

using TransferLine = std::variant<StraightLine, SizeCurve>;

struct TransferMode {
  TransferLine to_near;
  TransferLine to_far;
  // Only of "unified_fault"; unset in other modes:
  std::optional<Bytes> page = {};      ///< size of a page
  std::optional<Duration> fault = {};  ///< time to serve one group of faults
  std::optional<Bytes> grows_to = {};  ///< block in which fault groups grow; unset: one page each
};

struct MemoryTier {
  Bytes capacity;
  Bytes reserved;  ///< bytes of `capacity` for context and libraries, or system and programs
  BytesPerSecond throughput;
  Duration latency;
};

/// Returns the bytes of a host's memory that tensors cannot use: 1/64, in which Linux describes its pages (64 B a page
/// of 4 KiB), and 4 GiB for system and program (assumed).
[[nodiscard]] constexpr Bytes host_reserve(Bytes memory) {
  return Bytes(memory.count() / 64 + (std::int64_t{4} << 30));
}

/// Rate of optimiser updates by the host's processor.
struct FarCompute {
  BytesPerSecond throughput = {};   ///< bytes read and written per second
  std::optional<Ratio> share = {};  ///< share of host memory's rate; unset: `throughput`
  Duration latency = {};            ///< time of each update beside its memory traffic
  Duration per_tensor = {};         ///< host time for copies and launches of each tensor's update
  double ns_to_clip = 0;  ///< host time of a process to check and clip a parameter's gradient, in ns
  int threads = 0;        ///< threads of a process, if their number limits the rate; else 0
  bool assumed = false;   ///< true: the rate is assumed, since no source states one
};

/// Link from a device to the other devices of its machine, in one direction, for collectives.
struct PeerLink {
  BytesPerSecond throughput;
  Duration latency = Duration(20'000);  ///< of a collective; default: assumed, after NCCL
  Ratio taken = Ratio(0);  ///< share of their speed that kernels lose beside a collective
};

struct Connection {
  std::string name;
  std::optional<BytesPerSecond> theoretical;  ///< rate by the standard; unset: not stated
  Duplex duplex;  ///< share of its rate that each direction keeps while both move bytes
  std::map<std::string, TransferMode> modes;  ///< "pinned", "pageable", "unified_fault", ...
  std::set<std::string> impossible_modes;  ///< modes that the machine cannot have: null in the file
};

/// GPU architecture and its fitted figures, from which times of single kernels are computed (docs/model.md, 1.2).
struct KernelUnits {
  std::shared_ptr<const Architecture> architecture;
  bool written_out = false;  ///< true: the file has the architecture's numbers; false: its name
  int multiprocessors = 1;
  /// Share of the peak that the best matrix product reaches, by type. A missing type: the architecture's.
  std::map<Dtype, double> sustained;
};

struct HardwareProfile {
  std::string file;  ///< path of the file, for messages
  std::string name;
  std::string description;
  std::string framework;  ///< framework on the machine, default of --framework; empty: not stated
  std::map<Dtype, FlopsPerSecond> peak;  ///< peak FLOP/s by type; a missing type: not stated
  /// Set: times are sums of kernels. Unset: times follow from `efficiency` and `kernel_launch`.
  std::optional<KernelUnits> kernels;
  std::map<std::string, Efficiency> efficiency;  ///< by "default", "memory", or kind of layer
  Duration kernel_launch;                        ///< time to launch a kernel
  /// cuDNN version (major, minor), which limits convolution algorithms. Unset: all exist.
  std::optional<std::pair<int, int>> cudnn;
  MemoryTier near_memory;
  MemoryTier far_memory;
  std::optional<FarCompute> far_compute = {};  ///< unset: a share of host memory's rate, assumed
  /// Speed at which the host launches kernels; 1: that of the host for which frameworks state its times.
  Ratio host_speed = kOne;
  Connection connection;
  std::optional<PeerLink> peers = {};  ///< unset: derived from `connection` (peers_of())
  /// True if GPU and host share one memory (DGX Spark, Strix Halo), so that moving gains nothing. Then far_memory and
  /// connection repeat near_memory.
  bool one_pool = false;
  int devices = 1;  ///< number of accelerators of the machine
  /// Number of accelerators that share one host's memory and processor; unset: all that run a job.
  std::optional<int> devices_per_host = {};
  std::vector<Provenance> provenance;
  /// Dotted paths of numbers whose provenance is "assumed", for reports. Of one entry's numbers: Provenance::fields.
  std::vector<std::string> assumed;
  /// Warnings about implausible numbers, one line each (plausible.hpp).
  std::vector<std::string> implausible;
  /// Description of the calibrated machine, as measured; prediction ignores it.
  std::optional<SpecNode> machine;
};

/// Returns the rate in bytes/s of one direction of a link while the other is idle; both memories limit it.
[[nodiscard]] double peak_rate(const TransferLine& line, const HardwareProfile& profile);
/// Returns the efficiency of `kind`; if missing, that of "default" (for "moe" first that of "linear").
[[nodiscard]] const Efficiency& efficiency_of(const HardwareProfile& profile,
                                              const std::string& kind);

}  // namespace ooc
