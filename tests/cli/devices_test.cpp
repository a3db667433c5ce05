// Several devices on the command line: the smallest budget, and that a plan of several devices leaves the program whole.
#include "tests/cli/run_program.hpp"
#include "tests/support/naive_simulator.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

Ran run(const std::string& command, Words more) { return run_ooc_paleo(Words{command} + more); }

Ran predict_vgg(Words more) {
  return run("predict", Words{"vgg16", "--hardware", "k40m", "--batch", "31"} + more);
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
