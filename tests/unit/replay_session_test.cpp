// Replays with a child that answers, refuses, dies, falls silent and talks nonsense. The child is a shell:
// what it says is what the test wants it to say.
#include "calibrate/session/replay_session.hpp"

#include <doctest/doctest.h>

#include <string>

#include "tests/support/text.hpp"

using namespace ooc;

namespace {

const std::string kSessionHello =
    "printf 'hello protocol=1 program=p version=1 backend=stub\\n"
    "machine device_name=Shell memory_free_bytes=1000\\nready\\n'; ";

/// Two steps, two lines to read.
const ReplayJob kSessionJob{
    .id = 7, .steps = 2, .requests = "plan id=7 steps=2\nrun id=7 compute=spin\n"};

ReplayAnswer ask_session(const std::string& script, const ReplayJob& job = kSessionJob,
                         int silence_ms = 5000) {
  ReplayDeviceOrNone device = start_replay_device(
      {.program = "/bin/sh", .arguments = {"-c", script}, .silence_limit_ms = silence_ms}, {});
  REQUIRE(std::holds_alternative<std::unique_ptr<ReplayDevice>>(device));
  return std::get<std::unique_ptr<ReplayDevice>>(device)->replay(job, {});
}

/// Reads both lines, then says `answer`.
ReplayAnswer session_answering(const std::string& answer, int silence_ms = 5000) {
  return ask_session(kSessionHello + "read a; read b; printf '" + answer + "'; read c; exit 0",
                     kSessionJob, silence_ms);
}

const std::string kIteration = "iteration id=7 iteration=0 ns=100.5 issue_ns=10 host_ns=120\\n";
const std::string kSpans =
    "span id=7 step=0 start_ns=0 end_ns=50 median_ns=51 min_ns=49 max_ns=60\\n"
    "span id=7 step=1 start_ns=50 end_ns=100.5\\n";
const std::string kDone =
    "done id=7 iterations=1 verified=1 checked_bytes=64 near_bytes=512 far_bytes=128 "
    "spin_overhead_ns=1500.25\\n";

/// Why the child was given up.
std::string lost(const std::string& answer) {
  const ReplayAnswer result = session_answering(answer);
  CHECK(result.end == ReplayEnd::kLost);
  return result.reason;
}

}  // namespace

TEST_CASE("a plan that is run gives iterations, spans and what was allocated") {
  const ReplayAnswer answer =
      session_answering(kIteration + "note id=7 text=two%%20words\\n" + kSpans + kDone);
  REQUIRE_MESSAGE(answer.end == ReplayEnd::kDone, answer.reason);
  const ReplayMeasurement& measured = answer.measurement;
  REQUIRE(measured.iterations.size() == 1);
  CHECK(measured.iterations[0].ns == 100.5);
  CHECK(measured.iterations[0].issue_ns == 10);
  CHECK(measured.iterations[0].host_ns == 120);
  REQUIRE(measured.spans.size() == 2);
  CHECK(measured.spans[0].median_ns == 51);
  CHECK(measured.spans[1].end_ns == 100.5);
  CHECK(measured.spans[1].max_ns == 50.5);  // not said: its length
  CHECK(measured.notes == std::vector<std::string>{"two words"});
  CHECK(measured.verified);
  CHECK(measured.checked_bytes == 64);
  CHECK(measured.near_bytes == 512);
  CHECK(measured.far_bytes == 128);
  CHECK(measured.spin_overhead_ns == 1500.25);
  CHECK(measured.program == "p 1");
  CHECK(measured.backend == "stub");
  CHECK(find_value(measured.machine, "device_name") == "Shell");
}

TEST_CASE("wrong contents are told from other refusals") {
  const ReplayAnswer wrong = session_answering(
      "error id=7 step=1 block=0 content=3 text=step%%201%%20read%%20wrong%%20data\\n");
  CHECK(wrong.end == ReplayEnd::kWrongContents);
  CHECK(wrong.reason == "step 1 read wrong data");
  const ReplayAnswer refused =
      session_answering("error id=7 call=cudaMalloc code=2 name=oom text=out file=a.cpp line=3\\n");
  CHECK(refused.end == ReplayEnd::kRefused);
  CHECK(refused.reason == "cudaMalloc: out (oom, a.cpp:3)");
  const ReplayAnswer large = session_answering(
      "error id=7 text=the%%20plan%%20needs%%209%%20bytes%%20of%%20near%%20memory\\n");
  CHECK(large.end == ReplayEnd::kNoSpace);
}

TEST_CASE("an answer that does not fit the plan ends the replay and says what was wrong") {
  CHECK(has(lost(kIteration + "span id=7 step=2 start_ns=0 end_ns=1\\n"), "steps 0 to 1"));
  CHECK(has(lost("span id=7 step=-1 start_ns=0 end_ns=1\\n"), "span of step -1"));
  CHECK(has(lost(kSpans + kSpans), "two spans of step 0"));
  CHECK(has(lost("span id=7 step=0 start_ns=5 end_ns=4\\n"), "no time: 5 to 4"));
  CHECK(has(lost("span id=7 step=0 start_ns=0 end_ns=inf\\n"), "no time"));
  CHECK(has(lost("iteration id=7 iteration=1 ns=5\\n"), "iteration 0 was due"));
  CHECK(has(lost("iteration id=7 iteration=0 ns=-5\\n"), "without a time"));
  CHECK(has(lost(kIteration + "span id=7 step=0 start_ns=0 end_ns=1\\n" + kDone),
            "without a span of step 1"));
  CHECK(has(lost(kSpans + kDone), "without an iteration"));
  CHECK(
      has(lost(kIteration + kSpans + "done id=7 iterations=2\\n"), "says 2 iterations and sent 1"));
  CHECK(has(lost(kIteration + kSpans + "done id=7 near_bytes=nan\\n"),
            "was done with near_bytes=\"nan\""));
  CHECK(has(lost(kIteration + kSpans + "done id=7 pool_pages=-3\\n"),
            "was done with pool_pages=\"-3\""));
  CHECK(has(lost("done id=8\\n"), "answered request 8, not request 7"));
  CHECK(has(lost("error text=unknown\\n"), "answered \"error\", not request 7"));
  CHECK(has(lost("sample id=7 ns=1\\n"), "sent \"sample\" in answer to a plan"));
  CHECK(has(lost("What a nice plan\\n"), "no line of its protocol"));
}

TEST_CASE("a child that dies or falls silent is given up") {
  CHECK(has(ask_session(kSessionHello + "read a; kill -9 $$").reason, "killed by signal 9"));
  CHECK(has(ask_session(kSessionHello + "read a; exit 3").reason, "ended with exit code 3"));
  const ReplayAnswer silent =
      ask_session(kSessionHello + "read a; read b; sleep 5", kSessionJob, 200);
  CHECK(silent.end == ReplayEnd::kLost);
  CHECK(silent.reason == "said nothing for 0.2 s");
}

TEST_CASE("a plan longer than the pipe does not hang with a child that does not read it") {
  ReplayJob job = kSessionJob;
  for (int i = 0; i < 100'000; ++i) job.requests += "step id=7 step=" + std::to_string(i) + "\n";
  const ReplayAnswer deaf = ask_session(kSessionHello + "sleep 5", job, 300);
  CHECK(deaf.end == ReplayEnd::kLost);
  CHECK(deaf.reason == "read nothing for 0.3 s");
  // One that complains of every line fills its own pipe before it has read ours to the end.
  const ReplayAnswer chatty =
      ask_session(kSessionHello +
                      "while read line; do echo 'error id=7 "
                      "text=an%20unknown%20word%20at%20the%20beginning'; done",
                  job);
  CHECK(chatty.end == ReplayEnd::kRefused);
}

TEST_CASE("Ctrl-C ends a replay") {
  int asked = 0;
  ReplayDeviceOrNone device = start_replay_device({.program = "/bin/sh",
                                                   .arguments = {"-c", kSessionHello + "sleep 5"},
                                                   .silence_limit_ms = 5000},
                                                  {});
  const ReplayAnswer answer = std::get<std::unique_ptr<ReplayDevice>>(device)->replay(
      kSessionJob, [&] { return ++asked > 1; });
  CHECK(answer.end == ReplayEnd::kStopped);
}

TEST_CASE("a job is known by its plan, not by its number or how often it is run") {
  const std::string plan = "plan id=1 steps=1\nstep id=1 step=0 ns=5\n";
  const long long id = replay_id(plan + "run id=1 compute=spin iterations=20 warmup=2\n");
  CHECK(id > 0);
  CHECK(id < (1LL << 46));
  CHECK(replay_id("plan id=9 steps=1\nstep id=9 step=0 ns=5\n"
                  "run id=9 compute=spin iterations=3 verify=0 max_ms=7\n") == id);
  CHECK(replay_id(plan + "run id=1 compute=real iterations=20 warmup=2\n") != id);
  CHECK(replay_id("plan id=1 steps=1\nstep id=1 step=0 ns=6\n"
                  "run id=1 compute=spin iterations=20 warmup=2\n") != id);
}
