// `need`, `fit` and `max --of`: the worked example of docs/formats.md by hand, every value and the lower end of its
// bracket run again as `predict` runs them, every reason, and bad input.
#include "cli/job.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "simulator/predict/solve.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

const std::string kNeedData = std::string(OOC_SOURCE_DIR) + "/tests/data/";
const std::string kExample = kNeedData + "worked_example.json";
const std::string kExampleMachine = kNeedData + "worked_example_machine.json";
constexpr std::int64_t kGiga = 1'000'000'000;
constexpr Duration kMs{1'000'000};
using What = std::string_view;
constexpr What kLink = "link";
constexpr What kNearMemory = "near-memory";
constexpr std::array<What, 6> kAll{kLink,       "link-to-far", "link-to-near",
                                   kNearMemory, "far-memory",  "far-throughput"};

struct Asked {
  CaseOptions options;
  Workload workload;
  Machine machine;

  Asked(const std::string& network, const std::string& profile, CaseOptions given = {})
      : options(std::move(given)),
        workload(load_workload(network, "NETWORK", options)),
        machine(load_hardware(profile, "--hardware", options)) {}

  SolveRow row(const char* schedule, What what, std::optional<Duration> time = {},
               Ratio within = Ratio(kOne.count() / 100)) const {
    const Schedule* chosen[] = {find_schedule(schedule)};
    return solve({.workload = workload,
                  .machine = machine,
                  .options = options,
                  .axis = *find_solve_axis(what),
                  .chosen = chosen,
                  .time = time,
                  .within = within})
        .rows.front();
  }

  /// As `predict` would say with that much.
  RunReport with(const char* schedule, What what, std::int64_t value) const {
    CaseOptions at = options;
    const BytesPerSecond rate(value);
    if (what == kLink) at.transfers.link = rate;
    if (what == "link-to-far") at.transfers.link_to_far = rate;
    if (what == "link-to-near") at.transfers.link_to_near = rate;
    if (what == kNearMemory) at.memory = Bytes(value);
    if (what == "far-memory") at.far_memory = Bytes(value);
    if (what == "far-throughput") at.transfers.far_throughput = rate;
    return predict(make_case(workload, machine, at), *find_schedule(schedule), Detail::kTotals);
  }
};

/// The chain of docs/formats.md, 6: a copy of 1 GB takes o to far, i to near memory. vdnn-like takes
/// 50 + 3 max(50, o) + o + i + 3 max(100, i) + 100 ms.
Asked worked(std::optional<Bytes> memory = {}) {
  CaseOptions options;
  options.memory = memory;
  return {kExample, kExampleMachine, options};
}

void check_bracket(const SolveRow& row, std::int64_t exact) {
  REQUIRE(row.value.has_value());
  REQUIRE(row.beyond.has_value());
  CHECK(*row.beyond < exact);
  CHECK(exact <= *row.value);
  CHECK(*row.value - *row.beyond <= *row.beyond / 100);
}

TEST_CASE("the links that the worked example needs are those found by hand") {
  const Asked job = worked();
  // 600 + 2 x 3 ms are 1 % more than 600 ms: 1 GB in 3 ms.
  check_bracket(job.row("vdnn-like", kLink), 333'333'333'334);
  // 0.5 %: 1.5 ms.
  check_bracket(job.row("vdnn-like", kLink, {}, Ratio(kOne.count() / 200)), 666'666'666'667);
  // i = 100: 50 + 150 + o + 500 = 750 ms for o = 50.
  const SolveRow to_far = job.row("vdnn-like", "link-to-far", 750 * kMs);
  check_bracket(to_far, 20 * kGiga);
  CHECK(to_far.run->iteration_time == 750 * kMs);
  CHECK(to_far.run->link_limited_by == "connection");
  // o = 100: 450 + i + 300 + 100 = 900 ms for i = 50.
  check_bracket(job.row("vdnn-like", "link-to-near", 900 * kMs), 20 * kGiga);
  // Both: 50 + 150 + o + i + 300 + 100 = 700 ms for 50 each.
  check_bracket(job.row("vdnn-like", kLink, 700 * kMs), 20 * kGiga);
  Asked fast = worked();
  fast.options.transfers.link = kInfiniteRate;
  const SolveRow far = fast.row("vdnn-like", "far-throughput", 700 * kMs);
  check_bracket(far, 20 * kGiga);
  CHECK(far.run->link_limited_by == "far memory");
}

TEST_CASE("the memories that the worked example needs are exact") {
  const Asked job = worked();
  const SolveRow in_core = job.row("in-core", kNearMemory);
  CHECK(in_core.value == 5 * kGiga);
  CHECK(in_core.beyond == 5 * kGiga - 1);
  const SolveRow capacity = job.row("capacity", kNearMemory);  // one tensor moves, for free
  CHECK(capacity.value == 4 * kGiga);
  CHECK(capacity.beyond == 4 * kGiga - 1);
  CHECK(job.row("capacity", kNearMemory, 850 * kMs).value == 3 * kGiga);
  const SolveRow far = job.row("vdnn-like", "far-memory", 950 * kMs);  // a, b, c and d
  CHECK(far.value == 4 * kGiga);
  CHECK(far.beyond == 4 * kGiga - 1);
}

TEST_CASE("every value does and the lower end of its bracket does not, as predict says") {
  CaseOptions options;
  options.memory = Bytes(1'300'000'000);
  options.batch = 16;
  const Asked job("overfeat", "v100-16gb-pcie3", options);
  const Ratio within = kOne;  // twice as long
  int found = 0;
  for (const What what : kAll) {
    for (const Schedule* schedule : schedules()) {
      // These take half a second a run.
      if (schedule->is(Trait::kSubBatches) || schedule->is(Trait::kOptimizes)) continue;
      CAPTURE(what);
      CAPTURE(schedule->name);
      const char* name = schedule->name.data();
      const SolveRow row = job.row(name, what, {}, within);
      CHECK((row.value && *row.value > 0) == row.reason.empty());
      if (!row.value || *row.value == 0) continue;
      ++found;
      const RunReport does = job.with(name, what, *row.value);
      CHECK(does.feasible);
      CHECK(does.slowdown <= 2);
      CHECK(does.iteration_time == row.run->iteration_time);
      if (!row.beyond) continue;
      const RunReport does_not = job.with(name, what, *row.beyond);
      CHECK((!does_not.feasible || does_not.slowdown > 2));
    }
  }
  CHECK(found > 20);  // else little was tried
}

TEST_CASE("where nothing suffices the reason is named") {
  const auto reason = [](const SolveRow& row) {
    CHECK_FALSE(row.value.has_value());
    CHECK_FALSE(row.reason_text.empty());
    return row.reason;
  };
  const Asked job = worked();
  CHECK(reason(worked(Bytes(2 * kGiga)).row("capacity", kLink)) == "does_not_fit");
  CHECK(reason(job.row("vdnn-like", "link-to-far")) == "other_direction");
  CHECK(reason(job.row("vdnn-like", kNearMemory)) == "link");
  CHECK(reason(job.row("vdnn-like", "far-memory")) == "link");
  CHECK(reason(job.row("vdnn-like", "far-throughput")) == "link");
  CHECK(reason(job.row("vdnn-like", kLink, 599 * kMs)) == "computation");
  // 1 TB/s of far memory: 2 x 1 ms.
  Asked no_near = worked();
  no_near.machine.profile.near_memory.throughput = kInfiniteRate;
  const SolveRow capped = no_near.row("vdnn-like", kLink, {}, Ratio(kOne.count() / 1000));
  CHECK(reason(capped) == "far_memory");
  CHECK(capped.reason_text == "far memory caps the link at 1.00 TB/s");
  Asked tiers = worked();  // what is left are 2 x 1 us of the largest link that is tried
  tiers.machine.profile.far_memory.throughput = kInfiniteRate;
  tiers.machine.profile.near_memory.throughput = kInfiniteRate;
  CHECK(reason(tiers.row("vdnn-like", kLink, {}, Ratio(0))) == "beyond_range");
  tiers.machine.profile.near_memory.throughput = BytesPerSecond(100 * kGiga);
  CHECK(reason(tiers.row("vdnn-like", kLink)) == "near_memory");
  Asked late = worked();
  late.options.transfers.latency = 50 * kMs;
  CHECK(reason(late.row("vdnn-like", kLink)) == "other_waits");

  CaseOptions options;
  options.batch = 256;
  const Asked vgg("vgg16", "v100-16gb-pcie3", options);
  CHECK(reason(vgg.row("recompute", kLink)) == "computation");
  options.schedule.algorithms = AlgorithmChoice::kPerformance;  // of the fastest the rest is told
  options.batch = 200;
  const Asked fastest("vgg16", "v100-16gb-pcie3", options);
  CHECK(reason(fastest.row("unified", kLink)) == "page_faults");
  options.batch = 128;
  options.memory = Bytes(9 * kGiga);
  const Asked less("resnet50", "v100-16gb-pcie3", options);
  CHECK(reason(less.row("recompute", kLink, {}, Ratio(kOne.count() / 1000))) == "recomputes");
  const SolveRow any = job.row("in-core", kLink);
  CHECK(any.value == 0);
  CHECK(any.reason == "moves_nothing");
  options = {};
  options.batch = 64;
  options.devices = 2;  // exchanges over the link, which copies nothing
  const Asked two("resnet50", "rtx-4090", options);
  CHECK(two.row("in-core", kLink, {}, kOne).value > 0);
}

TEST_CASE("a plan that comes to copy nothing as the link gets slower needs any link") {
  // With a quick link superneurons offloads, with a slow one it computes again, which is as quick as asked.
  const Ran ran =
      run_ooc_paleo({"need", "link", "vgg16", "--hardware", "v100-16gb-pcie3", "--batch", "200",
                     "--schedule", "superneurons", "--algorithms", "performance", "--quiet"});
  CHECK_MESSAGE(has(ran.out, "  superneurons   any "), ran.out);
  CHECK_FALSE(has(ran.out, "MB/s"));
}

TEST_CASE("best does with the host memory that there is, as checkpoint-offload does") {
  const Words job{"fit",    "llama-3-8b", "--hardware",   "rtx-4090",   "--framework", "pytorch-2",
                  "--lora", "16",         "--base",       "nf4-double", "--loss",      "chunked",
                  "--seq",  "16384",      "--allow-long", "--quiet"};
  CHECK(run_ooc_paleo(job + Words{"--schedule", "best", "--search", "1"}).exit_code == 0);
}

TEST_CASE("fit is one line and an exit status, and the smallest budget that it names fits") {
  const auto fit = [](Words more) {
    Ran ran =
        run_ooc_paleo(Words{"fit", kExample, "--hardware", kExampleMachine, "--batch=1"} + more);
    CHECK(std::count(ran.out.begin(), ran.out.end(), '\n') == 1);
    return ran;
  };
  const Ran fits = fit({"--memory=3GB"});
  CHECK(fits.exit_code == 0);
  CHECK(fits.out.starts_with(
      "barely fits: worked_example on worked_example_machine, batch 1, framework ideal (no "
      "overhead, exact memory), under capacity: peak 3.000 GB of 3.000 GB, 0 B to spare, 850.0 "
      "ms per iteration; of 4 measured jobs like it "));
  CHECK(fit({"--memory=3.2GB"}).out.starts_with("fits: "));
  const Ran lacks = fit({"--memory=2999999999B"});
  CHECK(lacks.exit_code == 3);
  CHECK(
      lacks.out.starts_with("does not fit: worked_example on worked_example_machine, batch 1, "
                            "framework ideal (no overhead, exact memory), under capacity: near "
                            "memory lacks 1 B at "));
  CHECK(has(lacks.out, "the smallest that suffices is 3.000 GB (3000000000 B)"));
  // Of several one has to fit; the one that lacks least is told.
  CHECK(fit({"--memory=3GB", "--schedules=in-core,capacity"}).exit_code == 0);
  CHECK(has(fit({"--memory=2GB", "--schedules=in-core,capacity"}).out, "under capacity"));
  CHECK(fit({"--memory=3GB", "--schedules=in-core"}).exit_code == 3);
}

TEST_CASE("max --of batch is max-batch, and its rates are those of predict") {
  const Words job{"alexnet", "--hardware", "v100-16gb-pcie3", "--memory",
                  "1GB",     "--quiet",    "--format",        "csv"};
  const Ran ran = run_ooc_paleo(Words{"max", "--of", "batch", "--schedules", "modnn"} + job);
  CHECK(ran.exit_code == 0);
  CHECK(ran.out == run_ooc_paleo(Words{"max-batch", "--schedules", "modnn"} + job).out);
  CsvRow most = csv_rows(ran.out).at(0);
  CsvRow predicted =
      csv_rows(
          run_ooc_paleo(Words{"predict", "--schedule", "modnn", "--batch", most["batch"]} + job)
              .out)
          .at(0);
  for (const char* name : {"samples_per_s", "iteration_time_ns", "peak_near_bytes", "rounds"}) {
    CAPTURE(name);
    CHECK(predicted[name] == most[name]);
  }
}

}  // namespace
}  // namespace ooc::test
