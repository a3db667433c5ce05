// A machine: accelerator, its near memory, far memory and the connection between them, with the
// provenance of every number. Read from hwprofiles/*.json.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/algorithm.hpp"
#include "model/base/convolution_shape.hpp"
#include "model/base/dtype.hpp"
#include "model/base/duplex.hpp"
#include "model/base/units.hpp"
#include "model/hardware/architecture.hpp"
#include "model/hardware/provenance.hpp"

namespace ooc {

/// Efficiency (0..1] of a compute kind: one number, or points over a task's work (linear over the
/// logarithm between the points, constant outside them). Work is FLOPs; for "memory" it is bytes.
struct Efficiency {
  /// (FLOPs or bytes, ratio), ascending; one point = constant.
  std::vector<std::pair<double, double>> points;
  [[nodiscard]] double at(double flops) const;
};

/// The lowest and the highest rate that reports have.
struct RateRange {
  BytesPerSecond lowest;
  BytesPerSecond highest;
};

/// {throughput, latency}: the rate is min(far, connection, near), the three latencies add.
struct StraightLine {
  BytesPerSecond throughput;
  Duration latency;
  std::optional<RateRange> range = {};  ///< where reports differ: throughput lies within
};

/// Measured end to end: size -> time, log-log interpolated, extended by the last slope; used alone.
struct SizeCurve {
  std::vector<std::pair<Bytes, Duration>> points;  ///< ascending in size, at least two
  /// Interpolated time in ns for n > 0 bytes.
  [[nodiscard]] double time_ns(Bytes bytes) const;
  /// What large copies move beyond their latency, the smallest time, in bytes/s: the largest
  /// n / (t(n) - latency) of the sizes that spend half their time moving or more, or of the last
  /// one. Smaller ones tell of noise: two times within 1 % can stand for any rate.
  [[nodiscard]] double peak_rate() const;
};

using TransferLine = std::variant<StraightLine, SizeCurve>;

struct TransferMode {
  TransferLine to_near;
  TransferLine to_far;
  std::optional<Bytes> page;      ///< unified memory on demand: bytes per fault group
  std::optional<Duration> fault;  ///< unified memory on demand: cost of one fault group
  /// Unified memory on demand: the block within which groups grow; none: each is one page.
  std::optional<Bytes> grows_to;
};

struct MemoryTier {
  Bytes capacity;
  Bytes reserved;  ///< near only: context and libraries
  BytesPerSecond throughput;
  Duration latency;
};

/// How fast optimiser state is updated in far memory, by the processor there.
struct FarCompute {
  BytesPerSecond throughput;  ///< of what it reads and writes
  Duration latency = {};
  bool assumed = false;  ///< nobody said it; a share of far memory's throughput
};

struct Connection {
  std::string name;
  std::optional<BytesPerSecond> theoretical;
  Duplex duplex;  ///< together no less than the faster direction alone: half duplex at the least
  std::map<std::string, TransferMode> modes;  ///< "pinned", "pageable", "unified_fault", ...
  std::set<std::string> impossible_modes;     ///< that the machine cannot have: null in the file
};

/// A way to run a convolution's task that was measured.
struct MeasuredAlgorithm {
  Algorithm algorithm = Algorithm::kDefault;
  Duration time;
  Bytes workspace;
};

/// What was measured of one task of a convolution: it replaces the model's times there.
struct MeasuredLayer {
  ConvolutionPass pass = ConvolutionPass::kForward;
  Dtype dtype = Dtype::kFloat32;
  std::int64_t batch = 1;
  ConvolutionShape shape;
  std::vector<MeasuredAlgorithm> algorithms;  ///< at least one
};

/// What prices of kernels need of a machine beside its peaks and its near memory (docs/model.md, 1.2).
struct KernelUnits {
  std::shared_ptr<const Architecture> architecture;
  bool written_out = false;  ///< the profile holds the architecture's numbers, not its name
  int multiprocessors = 1;
  /// Share of the peak that the best product reaches, where it is not the architecture's.
  std::map<Dtype, double> sustained;
};

struct HardwareProfile {
  std::string file;  ///< where it was read, for messages; a profile's name is what it calls itself
  std::string name;
  std::string description;
  std::string framework;  ///< what runs there, by name; empty: not said
  std::map<Dtype, FlopsPerSecond> peak;
  /// Times are sums of kernels; none: shares of the peak, the two fields below.
  std::optional<KernelUnits> kernels;
  std::map<std::string, Efficiency> efficiency;  ///< "default", "memory", layer kinds
  Duration kernel_launch;
  /// Of the machine's cuDNN, (major, minor): which convolution algorithms there are. None: all.
  std::optional<std::pair<int, int>> cudnn;
  std::vector<MeasuredLayer> layers;  ///< no two of the same pass, dtype, batch and shape
  MemoryTier near_memory;
  MemoryTier far_memory;
  std::optional<FarCompute> far_compute = {};
  Connection connection;
  int devices = 1;
  std::vector<Provenance> provenance;
  /// Dotted paths of the numbers whose governing provenance is "assumed", merged to the `fields`
  /// of the entries that cover them: what reports must warn of.
  std::vector<std::string> assumed;
  /// Numbers that no machine is likely to have, a line each (plausible.hpp).
  std::vector<std::string> implausible;
  /// What calibration keeps verbatim and prediction does not read ("machine", "samples"), as JSON.
  std::string measurement_json;
};

/// The efficiency for a compute kind: its own entry, else "default"; products of experts ("moe") first "linear".
[[nodiscard]] const Efficiency& efficiency_of(const HardwareProfile& profile,
                                              const std::string& kind);

}  // namespace ooc
