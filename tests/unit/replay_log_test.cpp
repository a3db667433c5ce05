// Recordings of `ooc-paleo-gpu --script`: several conversations, several plans, interruptions, and files
// that are something else.
#include <doctest/doctest.h>

#include <string>

#include "calibrate/session/replay_session.hpp"
#include "model/base/errors.hpp"
#include "tests/support/text.hpp"

using namespace ooc;

namespace {

const ReplayJob kJob{.id = 7, .steps = 1, .requests = ""};

const std::string kLogHello =
    "hello protocol=1 program=p version=1 backend=cuda\n"
    "machine device_name=NVIDIA%20H200\nready\n";

std::string run_of(int id, int ns) {
  const std::string number = std::to_string(id);
  const std::string time = std::to_string(ns);
  return "iteration id=" + number + " iteration=0 ns=" + time + "\nspan id=" + number +
         " step=0 start_ns=0 end_ns=" + time + "\ndone id=" + number + " iterations=1\n";
}

std::string log_refused(const std::string& text) {
  try {
    (void)read_replay_log(text, "x.log", kJob);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the run with the job's number is found among others") {
  const std::string sample = "sample id=1 what=launch metric=time timer=event ns=5\ndone id=1\n";
  const ReplayAnswer answer = read_replay_log(
      kLogHello + sample + run_of(3, 50) + run_of(7, 90) + run_of(9, 10), "x", kJob);
  REQUIRE(answer.end == ReplayEnd::kDone);
  CHECK(answer.measurement.iterations[0].ns == 90);
  CHECK(answer.measurement.backend == "cuda");
  CHECK(find_value(answer.measurement.machine, "device_name") == "NVIDIA H200");
}

TEST_CASE("the latest run of a plan counts, and an interrupted one that was begun again") {
  CHECK(read_replay_log(kLogHello + run_of(7, 90) + kLogHello + run_of(7, 80), "x", kJob)
            .measurement.iterations[0]
            .ns == 80);
  const std::string half = "iteration id=7 iteration=0 ns=70\nspan id=7 st";
  const ReplayAnswer again = read_replay_log(
      kLogHello + "iteration id=7 iteration=0 ns=70\n" + kLogHello + run_of(7, 80), "x", kJob);
  CHECK(again.measurement.iterations.size() == 1);
  CHECK(read_replay_log(kLogHello + run_of(7, 90) + "iteration id=9 iter", "x", kJob).end ==
        ReplayEnd::kDone);
  CHECK(has(log_refused(kLogHello + half),
            "x.log: line 4: found the answer to this plan without its end"));
}

TEST_CASE("a recording of another plan, another version or something else is refused") {
  CHECK(has(log_refused(kLogHello + run_of(3, 50)),
            "found runs of 1 other plans, expected a run of this plan, id=7"));
  CHECK(has(log_refused(kLogHello), "found no run of a plan"));
  CHECK(has(log_refused(""), "found no run of a plan"));
  CHECK(has(log_refused("hello protocol=2 program=p\n" + run_of(7, 50)),
            "line 1: found protocol \"2\""));
  CHECK(has(log_refused(run_of(7, 50)), "line 1: found \"iteration\", expected \"hello\" first"));
  CHECK(has(log_refused("{ \"format\": \"ooc-paleo/samples\" }\n"),
            "expected a line of ooc-paleo-gpu"));
  CHECK(has(log_refused(kLogHello + "span id=7 step=1 start_ns=0 end_ns=1\n"),
            "line 4: found an answer that sent a span of step 1"));
}

TEST_CASE("an error that was recorded is the answer") {
  const ReplayAnswer answer =
      read_replay_log(kLogHello + "error id=7 step=0 block=1 content=2 text=wrong\n", "x", kJob);
  CHECK(answer.end == ReplayEnd::kWrongContents);
  CHECK(answer.reason == "wrong");
}
