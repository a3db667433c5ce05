// Several devices on the command line, and rounds on one: what is refused, what the results say, and that a plan of several
// devices leaves the program whole.
#include "tests/cli/run_program.hpp"
#include "tests/support/naive_simulator.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

Ran run(const std::string& command, Words more) { return run_ooc_paleo(Words{command} + more); }

Ran predict_chain(Words more) {
  return run("predict", Words{kNetwork, "--hardware", kMachine, "--format", "json"} + more);
}

Ran predict_vgg(Words more) {
  return run("predict", Words{"vgg16", "--hardware", "k40m", "--batch", "31"} + more);
}

TEST_CASE("devices share the work and the link") {
  // Two samples, one on each device: half the stated times, 25 and 50 ms a layer, and 1 GB a layer; two copies
  // of 1 GB at once take 200 ms on the link of 10 GB/s. No parameters, so nothing is exchanged.
  const auto time = [](const std::string& schedule) {
    const Ran ran = predict_chain({"--batch", "2", "--devices", "2", "--schedule", schedule});
    CHECK(ran.exit_code == 0);
    CHECK(json_number(ran.out, "devices") == 2);
    return json_number(ran.out, "iteration_time_ns");
  };
  // 4 x 25 + 4 x 50 ms.
  CHECK(time("in-core") == 300'000'000);
  // 25 + 3 x 200 + 200 + 200 + 3 x 200 + 50 ms.
  CHECK(time("vdnn-like") == 1'675'000'000);
}

TEST_CASE("rounds come one after the other on one device") {
  // Two samples in two rounds: tasks take half, 25 and 50 ms, a copy of 1 GB 100 ms. A round of vdnn-like is
  // 25 + 3 x 100 + 100 + 100 + 3 x 100 + 50 = 875 ms, and before the second its data comes in: 100.
  const Ran ran = predict_chain({"--batch", "2", "--sub-batch", "1", "--schedule", "vdnn-like"});
  CHECK(ran.exit_code == 0);
  CHECK(json_number(ran.out, "rounds") == 2);
  CHECK(json_number(ran.out, "iteration_time_ns") == 1'850'000'000);
  CHECK(json_number(ran.out, "peak_near_bytes") == 4'000'000'000);
}

TEST_CASE("one device is what there is without the flag") {
  const Words job{kNetwork, "--hardware", kMachine, "--memory", "3GB", "--format", "csv"};
  const Words with = job + Words{"--devices", "1"};
  for (const char* command : {"predict", "compare", "sweep"}) {
    CAPTURE(command);
    const Ran plain = run(command, job);
    CHECK(plain.exit_code == 0);
    CHECK(plain.out == run(command, with).out);
  }
}

TEST_CASE("the smallest budget of several devices is exact") {
  const Ran none = predict_vgg({"--devices", "3", "--memory", "1200MB", "--format", "json"});
  CHECK(none.exit_code == 3);
  const long long smallest = json_number(none.out, "smallest_budget_bytes");
  REQUIRE(smallest > 0);
  const auto at = [](long long budget) {
    return predict_vgg({"--devices", "3", "--memory", std::to_string(budget) + " B"}).exit_code;
  };
  CHECK(at(smallest) == 0);
  CHECK(at(smallest - 1) == 3);
}

TEST_CASE("an exported plan of several devices runs elsewhere in the same time") {
  const ScratchFolder scratch;
  const std::string path = (scratch.path() / "plan.txt").string();
  for (const Words& flags : {Words{"--schedule", "capacity"},
                             {"--schedule", "modnn", "--exchange", "overlap"},
                             {"--schedule", "vdnn-all", "--mode", "pageable"}}) {
    Words arguments = Words{"--devices",     "2",  "--memory", "1900MB", "--format", "json",
                            "--export-plan", path, "--quiet"} +
                      flags;
    const Ran ran = predict_vgg(arguments);
    CAPTURE(ran.err);
    REQUIRE(ran.exit_code == 0);
    const NaivePlan plan = read_plan_text(scratch.read("plan.txt"));
    CHECK(plan.devices == 2);
    const NaiveResult naive = simulate_naively(plan);
    CHECK(naive.finished);
    CHECK(naive.iteration_time == json_number(ran.out, "iteration_time_ns"));
    CHECK(naive.peak == json_number(ran.out, "peak_near_bytes"));
  }
}

TEST_CASE("a sweep over links says what single predictions say") {
  const auto times = [](const std::string& command, const std::string& link) {
    Words found;
    for (CsvRow& row : csv_rows(run(command, {"vgg16", "--hardware", "k40m", "--batch", "31",
                                              "--memory", "1900MB", "--devices", "2", "--format",
                                              "csv", "--schedule", "vdnn-all", "--link", link})
                                    .out)) {
      found.push_back(row["iteration_time_ns"]);
    }
    return found;
  };
  CHECK(times("sweep", "5GB/s,10GB/s") == times("predict", "5GB/s") + times("predict", "10GB/s"));
}

}  // namespace
}  // namespace ooc::test
