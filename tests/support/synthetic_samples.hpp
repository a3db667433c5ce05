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
  double duplex = 0.8;         ///< share that copies to GPU memory keep beside copies out
  double duplex_to_far = 0.8;  ///< share that copies out keep beside copies to GPU memory
  double launch_ns = 2500;
  double near_bytes_per_s = 800e9;
  double cached_bytes_per_s = 2e12;  ///< for sizes below the cache's
  double host_bytes_per_s = 60e9;
  double noise = 0;     ///< relative standard deviation of each time
  double outliers = 0;  ///< share of times that are several times as long
  double outlier_factor = 5;
  int repetitions = 11;
  unsigned long long seed = 1;
  KeyValues machine;
};

/// Machine of about 2018 with pinned, pageable and both unified modes.
[[nodiscard]] SyntheticMachine usual_synthetic_machine();
/// Returns the samples that ooc-paleo-gpu would measure there.
[[nodiscard]] SampleSet synthetic_samples(const SyntheticMachine& machine);

}  // namespace ooc
