// All fits of one set of samples, not rounded. Report, plot and profile are made from them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/fit/transfer_fit.hpp"
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
  std::string kernel;  ///< "compute" or "memory"
  std::string direction;
  Bytes bytes;
  double copy_share = 0;    ///< share of a copy's rate left while the kernel runs
  double kernel_share = 0;  ///< share of the kernel's speed left while copies run
};

struct SharedRate {
  std::string direction;
  long long devices = 1;
  double rate = 0;  ///< rate of one device in bytes/s
};

/// Time by size to pin, allocate or free memory.
struct CostFit {
  std::string name;  ///< measurement and metric, such as "pin register"
  TransferFit fit;
};

struct LaunchFit {
  std::optional<double> time_ns;        ///< device time of one of many empty kernels
  std::optional<double> issue_ns;       ///< host time of the launching call
  std::optional<double> round_trip_ns;  ///< from launch until the host knows of the end
  std::optional<double> event_wait_ns;  ///< from the end on one stream to the start on another
};

/// Highest PCIe generation and width seen, at the start or after copies.
struct LinkState {
  int generation = 0;
  int width = 0;
};

struct Calibration {
  std::vector<CopyFit> copies;
  std::optional<FaultFit> faults;      ///< fit of copies to GPU memory on page faults
  std::optional<DuplexShares> duplex;  ///< unset: not measured
  std::vector<InterferenceFit> interference;
  std::vector<SharedRate> sustained;    ///< rates over 16 copies back to back, as nvbandwidth does
  std::vector<SharedRate> all_devices;  ///< by direction, of the slowest while all copy
  // Rates of memory are in bytes/s, reads plus writes; 0: not measured.
  double near_rate = 0;      ///< rate of GPU memory, beyond the caches
  double host_rate = 0;      ///< rate of host memory, all threads
  double host_rate_one = 0;  ///< rate of host memory, one thread
  std::vector<CostFit> costs;
  LaunchFit launch;
  std::optional<LinkState> link;  ///< unset: neither seen

  [[nodiscard]] const TransferFit* copy(std::string_view mode, std::string_view direction) const;
};

[[nodiscard]] Calibration analyse(const SampleSet& set);

}  // namespace ooc
