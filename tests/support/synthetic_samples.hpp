// Samples of a machine with known parameters, to see whether the fit finds them.
#pragma once

#include <string>
#include <vector>

#include "calibrate/session/samples.hpp"

namespace ooc {

struct SyntheticMachine {
  struct Direction {
    double latency_ns = 8000;
    double bytes_per_s = 12e9;
  };
  struct Mode {
    std::string name;
    Direction to_near;
    Direction to_far;
  };
  std::vector<Mode> modes;
  double duplex = 0.8;         ///< what copies to near keep beside copies to far
  double duplex_to_far = 0.8;  ///< the other way round
  double launch_ns = 2500;
  double near_bytes_per_s = 800e9;
  double cached_bytes_per_s = 2e12;  ///< of sizes below the cache's
  double host_bytes_per_s = 60e9;
  double noise = 0;     ///< relative standard deviation of each time
  double outliers = 0;  ///< share of times that are several times as long
  double outlier_factor = 5;
  int repetitions = 11;
  unsigned long long seed = 1;
  KeyValues machine;
};

/// Pinned, pageable and both unified modes of a machine like those of 2018.
[[nodiscard]] SyntheticMachine usual_synthetic_machine();
/// What ooc-paleo-gpu would have measured there.
[[nodiscard]] SampleSet synthetic_samples(const SyntheticMachine& machine);

}  // namespace ooc
