// Recordings of a replay: read_replay_log throws SpecError or returns an answer to the plan that was asked
// for, with a span for each of its steps.
#include "calibrate/session/replay_session.hpp"
#include "model/base/errors.hpp"
#include "tests/fuzz/target.hpp"

namespace ooc::fuzz {

Verdict consume(std::string_view text) {
  const ReplayJob job{.id = 7, .steps = 2, .requests = "", .plan_version = 1};
  try {
    const ReplayAnswer answer = read_replay_log(text, "fuzz.log", job);
    const ReplayMeasurement& measured = answer.measurement;
    if (answer.end != ReplayEnd::kDone) {
      OOC_CHECK(!answer.reason.empty(), "what went wrong is said");
      return Verdict::kAccepted;
    }
    OOC_CHECK(measured.spans.size() == job.steps, "every step has a span");
    OOC_CHECK(!measured.iterations.empty(), "something was measured");
    for (const ReplaySpan& span : measured.spans) {
      OOC_CHECK(span.start_ns >= 0 && span.end_ns >= span.start_ns, "a span ends after it starts");
    }
  } catch (const SpecError&) {
    return Verdict::kRejected;
  }
  return Verdict::kAccepted;
}

std::vector<std::filesystem::path> seed_folders() { return {"tests/fuzz/seeds/replay_log"}; }

}  // namespace ooc::fuzz
