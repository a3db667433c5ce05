// Does the program say what moving state goes with, what a job that does not fit would need, and how its export reads?
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"
#include "tests/support/text.hpp"

namespace ooc::test {
namespace {

Ran predict_state(std::vector<std::string> flags) {
  std::vector<std::string> words{"predict",         "gpt2",        "--hardware",
                                 "v100-16gb-pcie3", "--precision", "fp16",
                                 "--optimizer",     "adam",        "--quiet"};
  words.insert(words.end(), flags.begin(), flags.end());
  return run_ooc_paleo(words);
}

TEST_CASE("state that moves is refused where it cannot, with the reason") {
  const auto refused = [](std::vector<std::string> flags, const std::string& why) {
    const Ran ran = predict_state(std::move(flags));
    CHECK(ran.exit_code == 2);
    CHECK_MESSAGE(has(ran.err, why), ran.err);
  };
  refused({"--offload", "gradients"}, "nobody would read gradients");
  refused({"--offload", "optimizer:0.5,gradients,optimizer"}, "found \"optimizer\" twice");
  refused({"--offload", "optimizer:1.5"}, "a ratio from 0 to 1");
  refused({"--state", "strem"}, "did you mean stream?");
  refused({"--state", "stream:0.5"}, "no share");
  refused({"--update", "near"}, "--offload or --state beside it");
  refused({"--state", "stream", "--schedule", "vdnn-all"}, "have barriers");
  refused({"--state", "stream", "--devices", "2", "--batch", "2"}, "sharded state");
  refused({"--state", "stream", "--sub-batch", "1", "--batch", "2"}, "add up over rounds");
  refused({"--state", "zero-infinity", "--update-delay", "1"}, "weights near and updates far");
}

TEST_CASE("a job that does not fit says what it would need with its state far") {
  const Ran ran = predict_state({"--memory", "1.5GB", "--schedule", "in-core"});
  CHECK(ran.exit_code == 3);
  CHECK_MESSAGE(has(ran.out, "--offload optimizer "), ran.out);
  CHECK(has(ran.out, "one change"));
}

TEST_CASE("results and plans of state that moves say so") {
  const Ran json = predict_state({"--state", "stream", "--format", "json"});
  CHECK(json.exit_code == 0);
  CHECK(has(json.out, "\"offload\": \"optimizer,gradients; update far, after each\""));
  CHECK(has(json.out, "\"wait_for_updates_ns\""));
  const Ran plan = predict_state({"--state", "stream", "--export-plan", "-", "-o", "/dev/null"});
  CHECK_MESSAGE(has(plan.out, " far_compute far_compute time="), plan.err);
}

}  // namespace
}  // namespace ooc::test
