// What measures: the program at a GPU (child_probe), a recording (recorded_probe) or an invention with
// known parameters (synthetic_probe). Whoever asks cannot tell which.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "calibrate/session/samples.hpp"

namespace ooc {

enum class ProbeState {
  kReady,
  kLost,     ///< died, silent or incomprehensible: it answers nothing more
  kStopped,  ///< told to stop in the middle of a request
};

/// The answer to one request. The group holds every sample that arrived, whatever happened.
struct ProbeAnswer {
  SampleGroup group;
  ProbeState state = ProbeState::kReady;
  std::string reason;  ///< kLost: what happened
};

/// Asked now and then while waiting; true ends the wait.
using StopAsked = std::function<bool()>;

class Probe {
 public:
  virtual ~Probe() = default;
  [[nodiscard]] virtual const KeyValues& machine() const = 0;
  [[nodiscard]] virtual std::string program() const = 0;
  [[nodiscard]] virtual std::string backend() const = 0;
  [[nodiscard]] virtual ProbeAnswer measure(const Request& request, const StopAsked& stop) = 0;
};

/// Why no probe could be had.
struct NoProbe {
  enum class Kind { kNoDevice, kNotStarted };
  Kind kind = Kind::kNotStarted;
  std::string reason;
};

using ProbeOrNone = std::variant<std::unique_ptr<Probe>, NoProbe>;

struct ChildOptions {
  std::string program;
  std::vector<std::string> arguments = {};
  int silence_limit_ms = 60'000;
};

/// Starts the measuring program and waits for its greeting.
[[nodiscard]] ProbeOrNone start_child_probe(const ChildOptions& options, const StopAsked& stop);

/// Answers with what `set` holds; everything else is refused.
[[nodiscard]] std::unique_ptr<Probe> recorded_probe(SampleSet set);

/// A machine whose parameters are known, to see whether the fit finds them.
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
  double duplex = 0.8;
  double launch_ns = 2500;
  double flops_per_s = 14e12;
  double near_bytes_per_s = 800e9;
  double host_bytes_per_s = 60e9;
  double noise = 0;     ///< relative standard deviation of each time
  double outliers = 0;  ///< share of times that are several times as long
  double outlier_factor = 5;
  unsigned long long seed = 1;
  KeyValues machine;
};
/// Pinned, pageable and both unified modes of a machine like those of 2018.
[[nodiscard]] SyntheticMachine usual_synthetic_machine();
[[nodiscard]] std::unique_ptr<Probe> synthetic_probe(SyntheticMachine machine);

}  // namespace ooc
