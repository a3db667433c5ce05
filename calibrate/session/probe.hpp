// What measures: the program at a GPU (child_probe); in tests a recording or an invention with known
// parameters (tests/support/probes.hpp). Whoever asks cannot tell which.
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

}  // namespace ooc
