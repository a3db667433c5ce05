// Asks a probe for everything that is planned and not yet known, keeping every sample.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "calibrate/session/plan.hpp"
#include "calibrate/session/probe.hpp"

namespace ooc {

struct SessionProgress {
  std::size_t done = 0;
  std::size_t total = 0;
  double seconds_left = 0;  ///< estimate
  std::string next;         ///< what is measured now
};

struct SessionHooks {
  std::function<void(const SampleSet&)> save;  ///< after each request
  std::function<void(const SessionProgress&)> progress;
  StopAsked stop;
  /// Asked before each request with the seconds that it may take: is that more than there is time for?
  std::function<bool(double)> time_is_up;
};

enum class SessionEnd {
  kComplete,
  kStopped,
  kProbeLost,
  kTimeUp,  ///< what is there can be fitted
};

struct SessionResult {
  SessionEnd end = SessionEnd::kComplete;
  std::string reason = {};   ///< kProbeLost
  std::size_t left_out = 0;  ///< kTimeUp: requests that were planned and not begun
};

/// Adds to `set`, which may hold samples of an earlier session.
[[nodiscard]] SessionResult run_session(Probe& probe, const PlanInput& input, SampleSet& set,
                                        const SessionHooks& hooks);

}  // namespace ooc
