// What is measured, in which order, how often, and about how long it takes. The plan depends on the
// machine only through what limits it (free memory, memory nodes) and on what a first pass found (the
// knees of the transfer curves).
#pragma once

#include <string>
#include <vector>

#include "calibrate/session/samples.hpp"

namespace ooc {

enum class Effort {
  kQuick,  ///< below a minute
  kFull,   ///< below eight minutes
};
[[nodiscard]] const char* effort_name(Effort effort);

struct PlannedRequest {
  Request request;
  double seconds = 0;  ///< estimate
};

struct PlanInput {
  Effort effort = Effort::kQuick;
  KeyValues machine;             ///< may be empty: nothing is known yet
  std::vector<KeyValues> extra;  ///< requests for the layers of a network, without repetitions
};

/// The first pass.
[[nodiscard]] std::vector<PlannedRequest> plan_requests(const PlanInput& input);
/// The second pass: sizes around the knees of the copies that `set` holds.
[[nodiscard]] std::vector<PlannedRequest> plan_knee_requests(const PlanInput& input,
                                                             const SampleSet& set);

/// Those of `planned` that `set` has no final answer for.
[[nodiscard]] std::vector<PlannedRequest> still_missing(const std::vector<PlannedRequest>& planned,
                                                        const SampleSet& set);
[[nodiscard]] double total_seconds(const std::vector<PlannedRequest>& planned);

/// What the knees add at most, for an estimate before anything is measured.
[[nodiscard]] double knee_seconds_guess(Effort effort);

}  // namespace ooc
