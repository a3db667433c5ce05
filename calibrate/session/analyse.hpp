// All fits of one set of samples, before anything is rounded into a profile: what the report and the
// plot show, and what the profile is made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/fit/link_fit.hpp"
#include "calibrate/session/samples.hpp"

namespace ooc {

inline constexpr std::array kCopyModes{"pinned", "pageable", "unified_prefetch", "unified_fault"};
inline constexpr std::array kDirections{"to_near", "to_far"};

struct CopyFit {
  std::string mode;
  std::string direction;
  TransferFit fit;
};

struct InterferenceFit {
  std::string kernel;  ///< "compute", "memory"
  std::string direction;
  Bytes bytes;
  double copy_share = 0;    ///< of its rate, while the kernel runs
  double kernel_share = 0;  ///< of its speed, while copies run
};

struct SharedRate {
  std::string direction;
  long long devices = 1;
  double rate = 0;  ///< bytes/s, of each device
};

/// A cost by size: pinning, allocating.
struct CostFit {
  std::string name;  ///< "pin register"
  TransferFit fit;
};

struct LaunchFit {
  std::optional<double> time_ns;        ///< one of many empty kernels
  std::optional<double> issue_ns;       ///< the call
  std::optional<double> round_trip_ns;  ///< launch to synchronised
  std::optional<double> event_wait_ns;  ///< from stream to stream
};

/// The highest generation that was seen on the link, after copies or at the start.
struct LinkState {
  int generation = 0;
  int width = 0;
};

struct Calibration {
  std::vector<CopyFit> copies;
  std::optional<FaultFit> faults;  ///< of on-demand copies to near memory
  std::optional<DuplexShares> duplex;
  std::vector<InterferenceFit> interference;
  std::vector<SharedRate> sustained;    ///< 16 copies back to back, as nvbandwidth measures
  std::vector<SharedRate> all_devices;  ///< each device while all copy
  std::optional<TransferFit> near_copy;
  // Bytes/s, read plus written; 0: not measured.
  double near_rate = 0;      ///< beyond the caches
  double host_rate = 0;      ///< in the host's memory, all threads
  double host_rate_one = 0;  ///< with one thread
  std::vector<CostFit> costs;
  LaunchFit launch;
  std::optional<LinkState> link;

  [[nodiscard]] const TransferFit* copy(std::string_view mode, std::string_view direction) const;
};

[[nodiscard]] Calibration analyse(const SampleSet& set);

/// Whether the order of the transfer modes in the OOC-Paleo paper's figure 6 (DGX-1) holds here.
struct Statement {
  std::string claim;
  std::optional<bool> holds;  ///< none: not measured
  std::string figures;
};
[[nodiscard]] std::vector<Statement> order_of_modes(const Calibration& calibration);

}  // namespace ooc
