// Replays that succeed, on the fake device: what is predicted from its parameters is what it takes.
#include "tests/cli/replay_support.hpp"
#include "tests/support/test.hpp"

using namespace ooc::test;
using nlohmann::json;

namespace {

json measured(const ScratchFolder& folder, Words more, const std::string& stub = "") {
  more.insert(more.end(), {"--format", "json"});
  const Ran ran = replay(folder, more, stub);
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  return replay_json(ran);
}

std::int64_t sum_of(const json& causes, const char* side) {
  std::int64_t sum = 0;
  for (const auto& [name, both] : causes.items()) {
    if (name != "iteration") sum += both[side].get<std::int64_t>();
  }
  return sum;
}

/// What must hold of every replay.
void check_consistent(const json& result) {
  CHECK(result["format"] == "ooc-paleo/replay");
  CHECK(result["run"]["backend"] == "stub");
  CHECK(result["iteration_time_ns"]["all"].size() == 20);
  const json& causes = result["causes_ns"];
  CHECK(sum_of(causes, "predicted") == causes["iteration"]["predicted"]);
  CHECK(sum_of(causes, "measured") == causes["iteration"]["measured"]);
  CHECK(result["iteration_time_ns"]["predicted"] == causes["iteration"]["predicted"]);
  const double predicted = result["iteration_time_ns"]["predicted"];
  const double median = result["iteration_time_ns"]["measured"];
  CHECK(result["error"].get<double>() == doctest::Approx(predicted / median - 1));
  const json& memory = result["memory"];
  CHECK(memory["peak_near_bytes"]["measured"] == memory["peak_near_bytes"]["predicted"]);
  CHECK(memory["peak_near_bytes"]["predicted"] <= memory["budget_near_bytes"]);
}

}  // namespace

TEST_CASE("a profile with the device's parameters predicts every schedule") {
  const ScratchFolder folder;
  for (const char* schedule : {"in-core", "vdnn-all", "vdnn-conv", "vdnn-like", "capacity"}) {
    CAPTURE(schedule);
    const json result = measured(folder, {"--schedule", schedule});
    check_consistent(result);
    CHECK(std::abs(result["error"].get<double>()) < 0.01);
  }
}

TEST_CASE("an iteration in rounds is predicted") {
  const ScratchFolder folder;
  const json result = measured(folder, {"--schedule", "vdnn-all", "--sub-batch", "16"});
  check_consistent(result);
  CHECK(std::abs(result["error"].get<double>()) < 0.01);
  const json whole = measured(folder, {"--schedule", "vdnn-all"});
  // Four rounds, each with its own forward and backward steps.
  CHECK(result["work"]["compute"]["steps"] > 3 * whole["work"]["compute"]["steps"].get<int>());
}

TEST_CASE("capacity in little memory waits for memory and is predicted too") {
  const ScratchFolder folder;
  const json result = measured(folder, {"--schedule", "capacity", "--memory", "10.51MB"});
  check_consistent(result);
  CHECK(result["work"]["to_near"]["steps"] > 0);
  CHECK(std::abs(result["error"].get<double>()) < 0.02);
}

TEST_CASE("rates and latencies of the link are followed") {
  const ScratchFolder folder;
  const json result =
      measured(folder, {"--schedule", "vdnn-all", "--link", "5GB/s", "--latency", "40us"},
               "to_near_rate=5e9,to_far_rate=5e9,to_near_latency_ns=40000,to_far_latency_ns=40000");
  check_consistent(result);
  CHECK(std::abs(result["error"].get<double>()) < 0.02);
  for (const char* direction : {"to_far", "to_near"}) {
    const json& work = result["work"][direction];
    CHECK(work["measured_bytes_per_s"].get<double>() ==
          doctest::Approx(work["predicted_bytes_per_s"].get<double>()).epsilon(0.02));
  }
}

TEST_CASE("an error has its cause: a link that is slower than the profile says") {
  const ScratchFolder folder;
  const std::string slow = "to_near_rate=5e9,to_far_rate=26e9";
  const json result = measured(folder, {"--schedule", "vdnn-all"}, slow);
  CHECK(result["error"].get<double>() < -0.2);
  const json& causes = result["causes_ns"];
  CHECK(causes["swap_in"]["difference"].get<double>() >
        0.9 * causes["iteration"]["difference"].get<double>());
  CHECK(result["deviations"][0]["queue"] == "to_near");
  CHECK(result["work"]["to_near"]["longer_ns"] > 0);
  CHECK(result["within_tolerance"].is_null());

  const Ran over = replay(folder, {"--schedule", "vdnn-all", "--tolerance", "10%"}, slow);
  CHECK(over.exit_code == 4);
  CHECK(has(over.out, "more than 10.0 %"));
  CHECK(replay(folder, {"--schedule", "vdnn-all", "--tolerance", "90%"}, slow).exit_code == 0);
}

TEST_CASE("noise makes a spread, and the median stays near the prediction") {
  const ScratchFolder folder;
  const json result =
      measured(folder, {"--schedule", "vdnn-conv", "--iterations", "20"}, "noise=0.05,seed=3");
  CHECK(result["spread"] > 0.0);
  CHECK(std::abs(result["error"].get<double>()) < 0.05);
}

TEST_CASE("iterations and the steps are as asked for") {
  const ScratchFolder folder;
  const Ran ran =
      replay(folder, {"--iterations", "3", "--warmup", "0", "--steps", "--format", "json"});
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  const json result = replay_json(ran);
  CHECK(result["iteration_time_ns"]["all"].size() == 3);
  CHECK(result["steps"].size() == 23);
  CHECK(result["steps"][0]["name"] == "conv1.forward");
  const Ran csv = replay(folder, {"-o", "steps.csv"});
  REQUIRE_MESSAGE(csv.exit_code == 0, csv.err);
  CHECK(has(folder.read("steps.csv"), "\n0,compute,compute,conv1.forward,0,0,"));
}

TEST_CASE("busy steps slow the copies beside them, which spinning ones do not") {
  const ScratchFolder folder;
  const Words job{"--schedule", "vdnn-all", "--compute"};
  const auto time_of = [&](const char* compute) {
    Words words = job;
    words.emplace_back(compute);
    return measured(folder, words, "copy_slowdown=0.5")["work"]["to_far"]["time_ns"]["measured"]
        .get<std::int64_t>();
  };
  CHECK(time_of("busy") > time_of("spin"));
}

TEST_CASE("the trace has both timelines") {
  const ScratchFolder folder;
  const Ran ran = replay(folder, {"--schedule", "vdnn-conv", "--trace", "t.json"});
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  const std::string trace = folder.read("t.json");
  CHECK(has(trace, "\"name\":\"predicted: example_skip"));
  CHECK(has(trace, "\"name\":\"measured: example_skip"));
}
