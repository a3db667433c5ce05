// Replays that succeed, on the fake device: what is predicted from its parameters is what it takes.
#include <regex>

#include "tests/cli/replay_support.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

nlohmann::json measured(const ScratchFolder& folder, Words more, const std::string& stub = "") {
  more.insert(more.end(), {"--format", "json"});
  const Ran ran = replay(folder, more, stub);
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  return replay_json(ran);
}

std::int64_t sum_of(const nlohmann::json& causes, const char* side) {
  std::int64_t sum = 0;
  for (const auto& [name, both] : causes.items()) {
    if (name != "iteration") sum += both[side].get<std::int64_t>();
  }
  return sum;
}

/// What must hold of every replay.
void check_consistent(const nlohmann::json& result) {
  CHECK(result["format"] == "ooc-paleo/replay");
  CHECK(result["run"]["backend"] == "stub");
  CHECK(result["iteration_time_ns"]["all"].size() == 20);
  const nlohmann::json& causes = result["causes_ns"];
  CHECK(sum_of(causes, "predicted") == causes["iteration"]["predicted"]);
  CHECK(sum_of(causes, "measured") == causes["iteration"]["measured"]);
  CHECK(result["iteration_time_ns"]["predicted"] == causes["iteration"]["predicted"]);
  const double predicted = result["iteration_time_ns"]["predicted"];
  const double median = result["iteration_time_ns"]["measured"];
  CHECK(result["error"].get<double>() == doctest::Approx(predicted / median - 1));
  const nlohmann::json& memory = result["memory"];
  CHECK(memory["peak_near_bytes"]["measured"] == memory["peak_near_bytes"]["predicted"]);
  CHECK(memory["peak_near_bytes"]["predicted"] <= memory["budget_near_bytes"]);
}

TEST_CASE("a profile with the device's parameters predicts every schedule") {
  const ScratchFolder folder;
  for (const Words& words :
       {Words{"in-core"}, Words{"vdnn-all"}, Words{"vdnn-conv"}, Words{"vdnn-like"},
        Words{"capacity"}, Words{"capacity", "--memory", "10.51MB"},
        Words{"vdnn-all", "--sub-batch", "16"}}) {
    const nlohmann::json result = measured(folder, Words{"--schedule"} + words);
    CAPTURE(result["inputs"]);
    check_consistent(result);
    CHECK(std::abs(result["error"].get<double>()) < 0.02);
    // Four rounds have forward and backward steps of their own.
    const bool rounds = words.back() == "16";
    CHECK((result["work"]["compute"]["steps"] > 60) == rounds);
  }
}

TEST_CASE("rates and latencies of the link are followed") {
  const ScratchFolder folder;
  const nlohmann::json result =
      measured(folder, {"--schedule", "vdnn-all", "--link", "5GB/s", "--latency", "40us"},
               "to_near_rate=5e9,to_far_rate=5e9,to_near_latency_ns=40000,to_far_latency_ns=40000");
  check_consistent(result);
  CHECK(std::abs(result["error"].get<double>()) < 0.02);
  for (const char* direction : {"to_far", "to_near"}) {
    const nlohmann::json& work = result["work"][direction];
    CHECK(work["measured_bytes_per_s"].get<double>() ==
          doctest::Approx(work["predicted_bytes_per_s"].get<double>()).epsilon(0.02));
  }
}

TEST_CASE("an error has its cause: a link that is slower than the profile says") {
  const ScratchFolder folder;
  const std::string slow = "to_near_rate=5e9,to_far_rate=26e9";
  const nlohmann::json result = measured(folder, {"--schedule", "vdnn-all"}, slow);
  CHECK(result["error"].get<double>() < -0.2);
  const nlohmann::json& causes = result["causes_ns"];
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
  const nlohmann::json result =
      measured(folder, {"--schedule", "vdnn-conv", "--iterations", "20"}, "noise=0.05,seed=3");
  CHECK(result["spread"] > 0.0);
  CHECK(std::abs(result["error"].get<double>()) < 0.05);
}

TEST_CASE("iterations and the steps are as asked for") {
  const ScratchFolder folder;
  const Ran ran = replay(folder, {"--iterations", "3", "--warmup", "0", "--format", "json"});
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  const nlohmann::json result = replay_json(ran);
  CHECK(result["iteration_time_ns"]["all"].size() == 3);
  const Ran csv = replay(folder, {"-o", "steps.csv"});
  REQUIRE_MESSAGE(csv.exit_code == 0, csv.err);
  CHECK(has(folder.read("steps.csv"), "\n0,compute,compute,conv1.forward,0,0,"));
  CHECK(csv_rows(folder.read("steps.csv")).size() == 23);
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

// A plan that goes out as a file and comes back as measurements, as on a machine that has only nvcc.

/// What the machine that has only the measuring program does.
void run_script(const ScratchFolder& folder, const std::string& script, const std::string& log) {
  const Ran ran = run_program(
      {OOC_GPU_STUB, "--only", "replay", "--replay", script, "--output", log}, in(folder));
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
}

void export_plan(const ScratchFolder& folder, Words more, const std::string& script) {
  more.insert(more.end(), {"--export-plan", script});
  const Ran ran = replay_without(folder, more);
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  CHECK(ran.out.empty());
  CHECK(has(ran.err, "ooc-paleo-gpu --only replay --replay " + script));
}

Ran import(const ScratchFolder& folder, Words more, const std::string& log) {
  more.insert(more.end(), {"--import-measurements", log, "--format", "json"});
  return replay_without(folder, more);
}

/// Without what says how it was got.
nlohmann::json numbers(const Ran& ran) {
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  nlohmann::json result = replay_json(ran);
  result.erase("tool");
  result["run"].erase("imported");
  result["inputs"].erase("import_measurements");
  return result;
}

const Words kConv{"--schedule", "vdnn-conv"};

TEST_CASE("export, script and import give what the direct run gives") {
  const ScratchFolder folder;
  export_plan(folder, kConv, "a.script");
  run_script(folder, "a.script", "a.log");
  const Ran imported = import(folder, kConv, "a.log");
  CHECK(replay_json(imported)["run"]["imported"] == true);
  const Words direct = kConv + Words{"--format", "json"};
  CHECK(numbers(imported) == numbers(replay(folder, direct)));
}

TEST_CASE("scripts put together are one script, and each job finds its answer") {
  const ScratchFolder folder;
  const Words all{"--schedule", "vdnn-all"};
  const Words busy{"--schedule", "vdnn-all", "--compute", "busy"};
  export_plan(folder, kConv, "1");
  export_plan(folder, all, "2");
  export_plan(folder, busy, "3");
  folder.file("s", folder.read("1") + folder.read("2") + folder.read("3"));
  run_script(folder, "s", "log");
  CHECK(numbers(import(folder, kConv, "log"))["inputs"]["schedule"] == "vdnn-conv");
  CHECK(numbers(import(folder, all, "log"))["inputs"]["schedule"] == "vdnn-all");
  CHECK(numbers(import(folder, busy, "log"))["run"]["mode"] == "busy");
}

TEST_CASE("with a device named the plan is exported and run") {
  const ScratchFolder folder;
  const Ran ran = replay(folder, {"--export-plan", "x"});
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  CHECK(has(ran.out, "measured"));
  CHECK(has(folder.read("x"), "\nplan id="));
}

TEST_CASE("measurements of another job, or cut short, are refused") {
  const ScratchFolder folder;
  export_plan(folder, kConv, "s");
  run_script(folder, "s", "log");
  for (const Words& other :
       {Words{"--schedule", "vdnn-all", "--batch", "1"},
        Words{"--schedule", "vdnn-conv", "--batch", "32"},
        Words{"--schedule", "vdnn-conv", "--batch", "1", "--link", "9GB/s"},
        Words{"--schedule", "vdnn-conv", "--batch", "1", "--compute", "busy"}}) {
    Words words = Words{"replay", "example_skip", "--hardware", kStubMachine} + other +
                  Words{"--import-measurements", "log"};
    const Ran ran = run_ooc_paleo(words, in(folder));
    CHECK(ran.exit_code == 2);
    CHECK_MESSAGE(has(ran.err, "log: found runs of 1 other plans"), ran.err);
  }
  const std::string log = folder.read("log");
  folder.file("half", log.substr(0, log.size() / 2));
  const Ran half = import(folder, kConv, "half");
  check_ends(half, 2, {"half: found"});
  folder.file("old", "hello protocol=2 program=p version=9\n");
  CHECK(has(import(folder, kConv, "old").err, "old: line 1"));
  CHECK(has(import(folder, kConv, "nowhere").err, "--import-measurements"));
  check_ends(replay_without(folder, {"--import-measurements", "log", "--device", "1"}), 2,
             {"--device cannot be combined with --import-measurements"});
}

TEST_CASE("the number of iterations does not make another job") {
  const ScratchFolder folder;
  const Words few = kConv + Words{"--iterations", "3"};
  export_plan(folder, few, "s");
  run_script(folder, "s", "log");
  CHECK(numbers(import(folder, kConv, "log"))["iteration_time_ns"]["all"].size() == 3);
}

TEST_CASE("an import is not overwritten by an output") {
  const ScratchFolder folder;
  export_plan(folder, kConv, "s");
  run_script(folder, "s", "log");
  const Words words = kConv + Words{"-o", "log"};
  check_ends(import(folder, words, "log"), 2, {"which is an input"});
}

TEST_CASE("what a log says went wrong is cleaned before it is shown") {
  const ScratchFolder folder;
  export_plan(folder, kConv, "a.script");
  std::smatch id;
  const std::string script = folder.read("a.script");
  REQUIRE(std::regex_search(script, id, std::regex(" id=([0-9]+) ")));
  folder.file("a.log", R"({"record":"hello","format":"ooc-paleo/bench","version":1})"
                       "\n"
                       R"({"record":"error","request":"replay id=)" +
                           id[1].str() +
                           R"(","text":"broken\u001b[2J\u009b\u202e"})"
                           "\n");
  check_ends(import(folder, kConv, "a.log"), 5, {"broken?[2J??\n"});
}

// What can go wrong with a replay: each has its exit code and says what it was.

const Words kMoved{"--schedule", "vdnn-all"};

void check_fails(const Ran& ran, int exit_code, const std::string& message) {
  check_ends(ran, exit_code, {message});
  CHECK(ran.out.empty());
}

TEST_CASE(
    "without a measuring program or a device the exit code is 5 and the message says what was "
    "looked for") {
  const ScratchFolder folder;
  const Ran none = replay_without(folder, {});
  check_fails(none, 5, "no GPU to replay on: ooc-paleo-gpu was not found");
  CHECK(has(none.err, "/usr/bin/ooc-paleo-gpu"));
  CHECK(has(none.err, "--import-measurements"));
  check_fails(replay(folder, {}, "devices=0"), 5, "no GPU to replay on");
  check_fails(replay(folder, {"--device", "3"}), 5, "no GPU to replay on");
}

TEST_CASE("a device that fails, a program that dies or hangs: what it was, and no result") {
  const ScratchFolder folder;
  const Words words = kMoved + Words{"-o", "r.json", "--trace", "t.json"};
  check_fails(replay(folder, words, "", {{"OOC_STUB_FAIL", "cudaMemcpyAsync:9:700"}}), 5,
              "the device did not run the plan: cudaMemcpyAsync");
  check_fails(replay(folder, words, "", {{"OOC_STUB_DIE", "cudaMemcpyAsync:9"}}), 5,
              "the device did not run the plan: ended the program by signal 9");
  CHECK(folder.entries().empty());
  const Words limited = kMoved + Words{"--time-limit", "300ms"};
  check_fails(replay(folder, limited, "", {{"OOC_STUB_HANG", "cudaMemcpyAsync:9"}}), 5,
              "said nothing for 0.3 s");
}

TEST_CASE("a plan that does not fit its budget is reported as predictions report it") {
  const ScratchFolder folder;
  const Ran ran = replay(folder, {"--schedule", "in-core", "--memory", "5MB"});
  CHECK(ran.exit_code == 3);
  CHECK(has(ran.out, "Does not fit"));
}

TEST_CASE("a machine with several devices is refused") {
  const ScratchFolder folder;
  std::string profile = read_file(kStubMachine);
  const std::string one = "\"devices\": 1";
  profile.replace(profile.find(one), one.size(), "\"devices\": 2");
  folder.file("two.json", profile);
  check_fails(run_ooc_paleo({"replay", "example_skip", "--hardware", "./two.json"}, in(folder)), 2,
              "/devices: found 2, expected 1");
}

}  // namespace
}  // namespace ooc::test
