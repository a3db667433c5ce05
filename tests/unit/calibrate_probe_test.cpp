// Sessions with probes that answer, refuse, fall silent, die and talk nonsense. The child here is a
// shell with a few lines of script: what it says is what the test wants it to say.
#include <doctest/doctest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <string>

#include "calibrate/session/measurements.hpp"
#include "calibrate/session/run_session.hpp"
#include "tests/support/probes.hpp"
#include "tests/support/text.hpp"

using namespace ooc;

namespace {

const std::string kHello =
    "printf 'hello protocol=1 program=p version=1 backend=stub\\n"
    "machine device_name=Shell\\nready\\n'; ";

ProbeOrNone shell(const std::string& script, int silence_ms = 5000) {
  return start_child_probe(
      {.program = "/bin/sh", .arguments = {"-c", script}, .silence_limit_ms = silence_ms}, {});
}

std::string reason(const ProbeOrNone& probe) {
  const auto* none = std::get_if<NoProbe>(&probe);
  return none == nullptr ? "" : none->reason;
}

/// Reads one request, answers with `answer`, then reads on.
std::string answering(const std::string& answer) {
  return kHello + "read line; printf '" + answer + "'; read line; exit 0";
}

ProbeAnswer probe_ask(const std::string& script, int silence_ms = 5000) {
  ProbeOrNone probe = shell(script, silence_ms);
  REQUIRE(std::holds_alternative<std::unique_ptr<Probe>>(probe));
  return std::get<std::unique_ptr<Probe>>(probe)->measure(
      {{{"what", "launch"}, {"repetitions", "3"}}}, {});
}

const std::string kSample = "sample id=1 what=launch repetitions=3 metric=time timer=event ns=5\\n";

}  // namespace

TEST_CASE("a child that speaks the protocol is ready and answers") {
  const ProbeAnswer answer = probe_ask(
      answering(kSample + kSample + "note id=1 text=a%%20b\\ndone id=1 samples=2 stable=1\\n"));
  CHECK(answer.state == ProbeState::kReady);
  CHECK(answer.group.state == GroupState::kDone);
  REQUIRE(answer.group.metrics.size() == 1);
  CHECK(answer.group.metrics[0].ns == std::vector<double>{5, 5});
  CHECK(answer.group.notes == std::vector<std::string>{"a b"});
  CHECK(find_value(answer.group.done, "stable") == "1");
}

TEST_CASE("an error ends the request and not the child") {
  const ProbeAnswer answer = probe_ask(answering(kSample + "error id=1 text=no\\n"));
  CHECK(answer.state == ProbeState::kReady);
  CHECK(answer.group.state == GroupState::kRefused);
  CHECK(answer.group.error == "no");
  CHECK(answer.group.count() == 1);
}

TEST_CASE("samples of a copy that arrived wrong are thrown away") {
  const ProbeAnswer answer =
      probe_ask(answering(kSample + "error id=1 text=the%%20copied%%20data%%20are%%20wrong\\n"));
  CHECK(answer.group.state == GroupState::kRefused);
  CHECK(answer.group.count() == 0);
}

TEST_CASE("a child that dies, falls silent or talks nonsense is lost and its samples are kept") {
  const auto lost = [](const ProbeAnswer& answer, const std::string& why) {
    CAPTURE(answer.reason);
    CHECK(answer.state == ProbeState::kLost);
    CHECK(answer.group.state == GroupState::kOpen);
    CHECK(answer.group.count() == 1);
    CHECK(has(answer.reason, why));
  };
  lost(probe_ask(kHello + "read line; printf '" + kSample + "'; kill -9 $$"), "signal 9");
  lost(probe_ask(kHello + "read line; printf '" + kSample + "'; exit 3"), "exit code 3");
  lost(probe_ask(kHello + "read line; printf '" + kSample + "'; exec 1>&-; sleep 3"),
       "closed its output");
  lost(probe_ask(kHello + "read line; printf '" + kSample + "'; sleep 5", 200),
       "said nothing for 0.2 s");
  lost(probe_ask(answering(kSample + "Segmentation fault\\n")), "Segmentation fault");
  lost(probe_ask(answering(kSample + "sample id=2 metric=time ns=1\\n")),
       "answered request 2, not 1");
  lost(probe_ask(answering(kSample + "sample id=1 metric=time\\n")), "without a time");
  lost(probe_ask(answering(kSample + "hello protocol=1\\n")), "hello");
  lost(probe_ask(kHello + "read line; printf '" + kSample +
                 "'; head -c 9000 /dev/zero | tr '\\0' x; sleep 3"),
       "4096");
}

TEST_CASE("a child that is never ready is no probe") {
  CHECK(has(reason(shell("exit 0")), "exit code 0 before it was ready"));
  CHECK(has(reason(shell("echo nonsense here")), "does not speak the protocol"));
  CHECK(has(reason(shell("echo hello protocol=2")), "another version"));
  CHECK(has(reason(shell("echo ready")), "without a greeting"));
  CHECK(has(reason(shell("sleep 5", 100)), "said nothing"));
  CHECK(has(reason(start_child_probe({.program = "/nowhere/at-all"}, {})), "cannot be started"));
}

TEST_CASE("a machine without a device says what was looked for") {
  const ProbeOrNone probe = shell(
      "printf 'hello protocol=1 program=p version=1 backend=cuda\\n"
      "no_device looked_for=device%%200 reason=no%%20driver\\n'; exit 5");
  const auto* none = std::get_if<NoProbe>(&probe);
  REQUIRE(none != nullptr);
  CHECK(none->kind == NoProbe::Kind::kNoDevice);
  CHECK(none->reason == "looked for device 0: no driver");
}

TEST_CASE("being told to stop ends a wait at once") {
  ProbeOrNone probe = shell(kHello + "read line; sleep 30");
  REQUIRE(std::holds_alternative<std::unique_ptr<Probe>>(probe));
  int asked = 0;
  const ProbeAnswer answer = std::get<std::unique_ptr<Probe>>(probe)->measure(
      {{{"what", "launch"}}}, [&] { return ++asked > 2; });
  CHECK(answer.state == ProbeState::kStopped);
}

TEST_CASE("a child that is given up takes what it started with it") {
  // The grandchild holds the write end of a pipe: while it lives, the pipe has no end.
  std::array<int, 2> ends{-1, -1};
  REQUIRE(pipe(ends.data()) == 0);
  {
    ProbeOrNone probe = shell(kHello + "read line; sleep 30; exit 0", 100);
    REQUIRE(std::holds_alternative<std::unique_ptr<Probe>>(probe));
    close(ends[1]);
    const ProbeAnswer answer =
        std::get<std::unique_ptr<Probe>>(probe)->measure({{{"what", "launch"}}}, {});
    CHECK(answer.state == ProbeState::kLost);
  }
  struct pollfd wait {
    ends[0], POLLIN, 0
  };
  CHECK(poll(&wait, 1, 5000) == 1);
  CHECK((wait.revents & POLLHUP) != 0);
  close(ends[0]);
}

TEST_CASE("a session that was stopped goes on with what is missing") {
  SyntheticMachine machine = usual_synthetic_machine();
  const auto probe = synthetic_probe(machine);
  PlanInput input{.effort = Effort::kQuick, .machine = machine.machine, .extra = {}};
  const std::size_t all = plan_requests(input).size();
  SampleSet set;
  std::size_t saved = 0;
  const SessionHooks stopping{.save = [&](const SampleSet&) { ++saved; },
                              .progress = {},
                              .stop = [&] { return set.groups.size() >= 10; },
                              .time_is_up = {}};
  CHECK(run_session(*probe, input, set, stopping).end == SessionEnd::kStopped);
  CHECK(set.groups.size() == 10);
  CHECK(saved == 10);
  CHECK(still_missing(plan_requests(input), set).size() == all - 10);
  const std::vector<double> first = set.groups[0].metrics[0].ns;
  CHECK(run_session(*probe, input, set, {}).end == SessionEnd::kComplete);
  CHECK(set.groups[0].metrics[0].ns == first);  // not measured again
  CHECK(still_missing(plan_requests(input), set).empty());
  // The knees were measured as well, and a third session has nothing to do.
  CHECK(set.groups.size() > all);
  saved = 0;
  CHECK(run_session(*probe, input, set, stopping).end == SessionEnd::kComplete);
  CHECK(saved == 0);
}

TEST_CASE("when the time is up, layers and knees are what is missing") {
  SyntheticMachine machine = usual_synthetic_machine();
  const auto probe = synthetic_probe(machine);
  const PlanInput input{
      .effort = Effort::kQuick,
      .machine = machine.machine,
      .extra = {{{"what", "gemm"}, {"dtype", "float32"}, {"m", "7"}, {"n", "8"}, {"k", "9"}}}};
  const std::size_t all = plan_requests(input).size();
  std::size_t begun = 0;
  double asked = 0;
  SampleSet set;
  const SessionHooks hurried{
      .save = {}, .progress = {}, .stop = {}, .time_is_up = [&](double next) {
        asked += next;
        return ++begun > all;  // in the middle of the knees
      }};
  SessionResult result = run_session(*probe, input, set, hurried);
  CHECK(result.end == SessionEnd::kTimeUp);
  CHECK(set.groups.size() == all);
  CHECK(still_missing(plan_requests(input), set).size() == 1);
  CHECK(asked > total_seconds(plan_requests(input)) - 1);
  begun = 0;
  set = {};
  const SessionHooks at_once{
      .save = {}, .progress = {}, .stop = {}, .time_is_up = [](double) { return true; }};
  result = run_session(*probe, input, set, at_once);
  CHECK(result.end == SessionEnd::kTimeUp);
  CHECK(result.left_out == all);
  CHECK(set.groups.empty());
}

TEST_CASE("a recording answers like the machine it was made on") {
  const auto probe = synthetic_probe(usual_synthetic_machine());
  SampleSet set;
  PlanInput input{.effort = Effort::kQuick, .machine = probe->machine(), .extra = {}};
  REQUIRE(run_session(*probe, input, set, {}).end == SessionEnd::kComplete);
  set.machine = probe->machine();
  const auto recording = recorded_probe(set);
  SampleSet again;
  REQUIRE(run_session(*recording, input, again, {}).end == SessionEnd::kComplete);
  CHECK(again.count() == set.count());
  const ProbeAnswer unknown = recording->measure({{{"what", "nothing"}}}, {});
  CHECK(unknown.group.state == GroupState::kRefused);
}

TEST_CASE("the plan keeps within its time and within the memory of the machine") {
  const KeyValues machine = usual_synthetic_machine().machine;
  const auto quick = plan_requests({Effort::kQuick, machine, {}});
  const auto full = plan_requests({Effort::kFull, machine, {}});
  CHECK(total_seconds(quick) + knee_seconds_guess(Effort::kQuick) < 60);
  CHECK(total_seconds(full) + knee_seconds_guess(Effort::kFull) < 480);
  CHECK(full.size() > quick.size());
  KeyValues small = machine;
  set_value(small, "memory_free_bytes", "134217728");  // 128 MiB
  for (const PlannedRequest& each : plan_requests({Effort::kFull, small, {}})) {
    const long long bytes = find_integer(each.request.keys, "bytes").value_or(0);
    const bool unified = has(find_value(each.request.keys, "mode").value_or(""), "unified");
    const bool host = each.request.what() == "host_memory" || each.request.what() == "pin";
    CAPTURE(identity_text(each.request.keys));
    if (!host) CHECK(bytes <= (unified ? 67108864 : 44739242));
  }
}

TEST_CASE("every mode is measured in both directions from 4 KiB to 1 GiB in powers of two") {
  const auto full = plan_requests({Effort::kFull, {}, {}});
  for (const char* mode : kCopyModes) {
    for (const char* direction : kDirections) {
      int sizes = 0;
      for (const PlannedRequest& each : full) {
        if (find_value(each.request.keys, "mode") == mode && each.request.what() == "copy" &&
            find_value(each.request.keys, "direction") == direction) {
          ++sizes;
        }
      }
      CHECK(sizes == 19);  // 2^12 ... 2^30
    }
  }
}
