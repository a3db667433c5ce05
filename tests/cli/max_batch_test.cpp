// The largest batch: the worked example of docs/formats.md by hand, two published figures, the border
// checked against `predict`, and bad input.
#include "cli/job.hpp"
#include "model/base/errors.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "simulator/predict/solve.hpp"
#include "simulator/schedules/own_options.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/support/property_cases.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

Ran max_batch_of(Words more) {
  return run_ooc_paleo(Words{"max-batch", kNetwork, "--hardware", kMachine} + more);
}

struct MaxJob {
  CaseOptions options;
  Workload workload;
  Machine machine;

  MaxJob(const std::string& network, const std::string& profile, CaseOptions given = {})
      : options(std::move(given)),
        workload(load_workload(network, "NETWORK", options)),
        machine(load_hardware(profile, "--hardware", options)) {}

  SolveRow row(const char* schedule, std::int64_t limit = kMaxBatch) const {
    const Schedule* chosen[] = {find_schedule(schedule)};
    return solve({.workload = workload,
                  .machine = machine,
                  .options = options,
                  .axis = *find_solve_axis("batch"),
                  .chosen = chosen,
                  .limit = limit})
        .rows.front();
  }

  /// As `predict` would say.
  bool fits(const char* schedule, std::int64_t batch) const {
    CaseOptions at = options;
    at.batch = batch;
    at.schedule.sub_batch = {.kind = SubBatch::Kind::kOff};
    const Case which = make_case(workload, machine, at);
    const CaseRun run = run_case(which, *find_schedule(schedule), Bounds::kNone);
    return run.outcome && std::holds_alternative<Timeline>(*run.outcome);
  }
};

TEST_CASE("the worked example by hand: 5 GB a sample in-core, 3 GB under capacity") {
  CaseOptions options;
  options.memory = Bytes(12'500'000'000);
  const MaxJob job(kNetwork, kMachine, options);
  const SolveRow in_core = job.row("in-core");
  CHECK(in_core.value == 2);
  CHECK(in_core.reason == "near_memory");
  CHECK(in_core.beyond == 3);
  CHECK(in_core.lacks == Bytes(2'500'000'000));  // 3 x 5 GB - 12.5 GB
  CHECK(in_core.reason_text == "near memory at d.backward");
  CHECK(in_core.run->peak_near == Bytes(10'000'000'000));
  const SolveRow capacity = job.row("capacity");
  CHECK(capacity.value == 4);
  CHECK(capacity.lacks == Bytes(2'500'000'000));  // 5 x 3 GB - 12.5 GB
  CHECK(capacity.run->peak_near <= Bytes(12'500'000'000));
  REQUIRE(capacity.run->peak_near_by_category.has_value());
  CHECK(capacity.run->peak_near_by_category->total() == capacity.run->peak_near);
}

TEST_CASE("the limit of the search is said, and far memory where it is what lacks") {
  CaseOptions options;
  options.memory = Bytes(300'000'000'000);
  MaxJob job(kNetwork, kMachine, options);
  const SolveRow limited = job.row("in-core", 7);
  CHECK(limited.value == 7);
  CHECK(limited.reason == "search_limit");
  CHECK(limited.beyond == std::nullopt);
  // vdnn-like copies all four outputs: 4 GB a sample, in 64 GB.
  const SolveRow far = job.row("vdnn-like");
  CHECK(far.value == 16);
  CHECK(far.reason == "far_memory");
  CHECK(far.lacks == Bytes(4'000'000'000));
  job.options.far_memory = Bytes(8'000'000'000);
  CHECK(MaxJob(kNetwork, kMachine, job.options).row("vdnn-like").value == 2);
}

TEST_CASE("what cannot be counted ends the search, for schedules in rounds too") {
  CaseOptions options;
  options.memory = Bytes(std::int64_t{1} << 55);
  const MaxJob job("alexnet", "p100-pcie3", options);
  for (const char* schedule : {"in-core", "modnn"}) {
    const SolveRow row = job.row(schedule);
    CHECK(row.reason == "counting");
    CHECK(row.value > 100'000'000);
    CHECK_FALSE(row.any_in_rounds);
    CHECK_FALSE(row.lacks.has_value());
  }
}

TEST_CASE("several devices have a batch of which each runs its share") {
  CaseOptions options;
  options.devices = 4;
  const SolveRow row = MaxJob("resnet50", "p100-nvlink1-power8", options).row("in-core");
  CHECK(row.value == 4 * 190);
  CHECK(row.beyond == 4 * 190 + 1);  // one device has a sample more
  check_ends(max_batch_of({"--devices", "4", "--limit", "3"}), 2,
             {"--limit: found 3, expected at least 4"});
}

TEST_CASE("the batch fits and the one above it does not, as predict says, for every schedule" *
          doctest::test_suite("whole networks")) {
  // Where a part of the cases is asked for, every third.
  const std::uint64_t stride = case_count(1'000) < 1'000 ? 3 : 1;
  std::uint64_t number = 0;
  for (const Allocator allocator : {Allocator::kIdeal, Allocator::kFirstFit, Allocator::kCaching}) {
    CaseOptions options;
    options.allocator = allocator;
    options.schedule.own.change().search = 0;  // what fits does not depend on how long best looks
    const MaxJob job("alexnet", "p100-pcie3", options);
    for (const Schedule* schedule : schedules()) {
      if (schedule->is(Trait::kSubBatches) || ++number % stride != 0) continue;
      CAPTURE(schedule->name);
      const SolveRow row = job.row(schedule->name.data());
      REQUIRE(row.value > 0);
      CHECK(job.fits(schedule->name.data(), *row.value));
      CHECK_FALSE(job.fits(schedule->name.data(), *row.value + 1));
      CHECK(row.tried < (allocator == Allocator::kCaching ? 150 : 60));
    }
  }
}

TEST_CASE(
    "a framework's context takes the place of the profile's reserve, its share is of the rest, "
    "--memory for all") {
  MaxJob job("alexnet", "m40");
  const MemoryTier& near = job.machine.profile.near_memory;
  REQUIRE(near.reserved > Bytes(0));
  CHECK(budget_of(job.options, job.machine.profile) == near.capacity - near.reserved);
  Framework framework;
  job.options.framework = std::make_shared<const Framework>(framework);
  CHECK(budget_of(job.options, job.machine.profile) == near.capacity - near.reserved);
  const SolveRow beside_reserve = job.row("in-core");

  framework.context = Bytes(2'000'000'000);
  job.options.framework = std::make_shared<const Framework>(framework);
  const Bytes budget = near.capacity - Bytes(2'000'000'000);
  CHECK(budget_of(job.options, job.machine.profile) == budget);
  CaseOptions one = job.options;
  one.batch = 1;
  const Case which = make_case(job.workload, job.machine, one);
  CHECK(which.budget == budget);
  CHECK(which.inputs.memory == budget);
  CHECK(job.row("in-core").value < beside_reserve.value);

  framework.memory_share = 0.75;
  job.options.framework = std::make_shared<const Framework>(framework);
  CHECK(budget_of(job.options, job.machine.profile) == Bytes(budget.count() / 4 * 3));
  framework.context = {};
  job.options.framework = std::make_shared<const Framework>(framework);
  CHECK(budget_of(job.options, job.machine.profile) ==
        Bytes((near.capacity - near.reserved).count() / 4 * 3));

  job.options.memory = Bytes(1'234'567'890);
  CHECK(budget_of(job.options, job.machine.profile) == Bytes(1'234'567'890));
  job.options.memory = {};
  framework.context = near.capacity;
  job.options.framework = std::make_shared<const Framework>(framework);
  CHECK_THROWS_AS((void)budget_of(job.options, job.machine.profile), SpecError);
}

TEST_CASE("a schedule in rounds runs any batch, in rounds of the largest") {
  const MaxJob job("alexnet", "m40");
  const SolveRow row = job.row("modnn");
  CHECK(row.value > 0);
  CHECK(row.any_in_rounds);
  CHECK_FALSE(job.row("capacity").any_in_rounds);
  CaseOptions options;
  options.schedule.sub_batch = {.kind = SubBatch::Kind::kSize, .samples = 8};
  const SolveRow of_eight = MaxJob("alexnet", "m40", options).row("capacity");
  CHECK(of_eight.value == 8);
  CHECK(of_eight.reason == "none");
}

TEST_CASE("where no schedule runs one sample the exit status is 3") {
  const Ran ran = max_batch_of({"--memory", "2GB"});
  CHECK(ran.exit_code == 3);
  CHECK(has(ran.out, "None suffices"));
  CHECK(max_batch_of({"--memory", "3GB"}).exit_code == 0);
}

// The deepest network: the border found is the one that `predict` sees in files with as many copies written
// out, and bad input.

const std::string kMaxMachine =
    std::string(OOC_SOURCE_DIR) + "/tests/data/worked_example_machine.json";

std::string repeat(int times, const std::string& scale) {
  return R"({ "name": "deep)" + scale.substr(0, 1) + R"(", "type": "repeat", "times": )" +
         std::to_string(times) + (scale.empty() ? "" : R"(, "scale": )" + scale) +
         R"(, "layers": [ { "name": "a", "type": "custom", "output_shape": [250000000],
            "forward_time": "50 ms", "backward_time": "100 ms" } ] })";
}

/// Layers of 1 GB, as those of docs/formats.md, 6.
std::string network(const std::string& layers) {
  return R"({ "format": "ooc-paleo/network", "version": 1, "name": "chain",
    "inputs": [ { "name": "data", "shape": [250000000] } ], "layers": [ )" +
         layers + R"( ], "expect": { "parameters": 0 } })";
}

Ran max_layers(const std::string& file, const Words& more) {
  return run_ooc_paleo(Words{"max", "--of", "layers", file, "--hardware", kMaxMachine} + more);
}

TEST_CASE("as many copies as are found fit, and one more does not, as predict says") {
  const ScratchFolder folder;
  const std::string file = folder.file("chain.json", network(repeat(4, "true")));
  // In core each copy keeps its output beside the network's input: 1 + n GB.
  const Ran in_core = max_layers(
      file, {"--memory", "8.5GB", "--schedule", "in-core", "--format", "csv", "--quiet"});
  CHECK(in_core.exit_code == 0);
  CHECK(has(in_core.out, ",7,8,near_memory,"));
  // What is swapped waits in far memory, all but what can stay.
  const Ran capacity = max_layers(file, {"--memory", "8.5GB", "--schedule", "capacity", "--format",
                                         "csv", "--quiet", "--far-memory", "20GB"});
  const std::string row = capacity.out.substr(capacity.out.find('\n'));
  CHECK(has(row, ",far_memory,"));
  const std::size_t end = row.rfind(',', row.find(",far_memory,") - 1);
  const int most = std::stoi(row.substr(row.rfind(',', end - 1) + 1));
  CHECK(most > 20);
  for (const int copies : {most, most + 1}) {
    const std::string other = folder.file("other.json", network(repeat(copies, "true")));
    CHECK(run_ooc_paleo({"predict", other, "--hardware", kMaxMachine, "--memory", "8.5GB",
                         "--far-memory", "20GB", "--quiet"})
              .exit_code == (copies == most ? 0 : 3));
  }
}

}  // namespace
}  // namespace ooc::test
