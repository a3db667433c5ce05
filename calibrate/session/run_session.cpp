// Three passes: the plan, the knees that its samples show, the layers of a network. What comes last is
// what is missing when the time is up, and that is what a profile can do without.
#include "calibrate/session/run_session.hpp"

#include <utility>

namespace ooc {
namespace {

SessionResult run_pass(Probe& probe, const std::vector<PlannedRequest>& planned, double later_s,
                       SampleSet& set, const SessionHooks& hooks) {
  double left = total_seconds(planned) + later_s;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    const PlannedRequest& next = planned[i];
    if (hooks.stop && hooks.stop()) return {SessionEnd::kStopped};
    if (hooks.time_is_up && hooks.time_is_up(next.seconds)) {
      return {.end = SessionEnd::kTimeUp, .reason = "", .left_out = planned.size() - i};
    }
    if (hooks.progress) {
      hooks.progress({.done = i,
                      .total = planned.size(),
                      .seconds_left = left,
                      .next = identity_text(identity_of(next.request.keys))});
    }
    ProbeAnswer answer = probe.measure(next.request, hooks.stop);
    // A request that was not begun leaves nothing; one that failed says why, even without samples.
    const bool says_something = answer.group.count() > 0 || answer.group.state != GroupState::kOpen;
    if (says_something) merge_group(set, std::move(answer.group));
    if (says_something && hooks.save) hooks.save(set);
    if (answer.state == ProbeState::kStopped) return {SessionEnd::kStopped};
    if (answer.state == ProbeState::kLost) return {SessionEnd::kProbeLost, answer.reason};
    left -= next.seconds;
  }
  return {};
}

}  // namespace

SessionResult run_session(Probe& probe, const PlanInput& input, SampleSet& set,
                          const SessionHooks& hooks) {
  PlanInput machine_alone = input;
  machine_alone.extra.clear();
  const auto first = still_missing(plan_requests(machine_alone), set);
  const auto all = still_missing(plan_requests(input), set);
  const double layers_s = total_seconds(all) - total_seconds(first);
  const double knees_s = first.empty() ? 0 : knee_seconds_guess(input.effort);
  SessionResult result = run_pass(probe, first, knees_s + layers_s, set, hooks);
  if (result.end == SessionEnd::kComplete) {
    const auto knees = still_missing(plan_knee_requests(input, set), set);
    result = run_pass(probe, knees, layers_s, set, hooks);
  }
  if (result.end == SessionEnd::kComplete) {
    return run_pass(probe, still_missing(plan_requests(input), set), 0, set, hooks);
  }
  if (result.end == SessionEnd::kTimeUp) result.left_out += all.size() - first.size();
  return result;
}

}  // namespace ooc
