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

TEST_CASE("the smallest budgets of several devices are exact, that of far memory for their host") {
  const auto check = [](const Words& job, const char* tier, const char* too_small) {
    const auto ran = [&](const std::string& budget) {
      return predict_vgg(Words{"--devices", "3", tier, budget, "--format", "json"} + job);
    };
    const Ran none = ran(too_small);
    CHECK(none.exit_code == 3);
    const long long smallest = json_number(none.out, "smallest_budget_bytes");
    REQUIRE(smallest > 0);
    CHECK(ran(std::to_string(smallest) + " B").exit_code == 0);
    CHECK(ran(std::to_string(smallest - 1) + " B").exit_code == 3);
  };
  check({}, "--memory", "1200MB");
  check({"--memory", "1900MB", "--schedule", "vdnn-all"}, "--far-memory", "100MB");
}

TEST_CASE("stated times of a batch are shared by devices, whether they share states or not") {
  const auto reference = [](const Words& more) {
    const std::string example = OOC_SOURCE_DIR "/tests/data/worked_example";
    const Words job{example + ".json", "--hardware", example + "_machine.json", "--batch", "4",
                    "--format",        "json"};
    return json_number(run("predict", job + more).out, "reference_time_ns");
  };
  const long long whole = reference({});
  CHECK(reference({"--devices", "2"}) == whole / 2);
  CHECK(reference({"--devices", "2", "--shard", "optimizer"}) == whole / 2);
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
