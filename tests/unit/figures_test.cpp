// What fills near memory when nothing moves.
#include "simulator/predict/figures.hpp"

#include "simulator/predict/remarks.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

struct Job {
  CaseOptions options = {};
  std::string network = OOC_SOURCE_DIR "/networks/gpt2.json";
  Machine machine = read_machine(OOC_SOURCE_DIR "/hwprofiles/h100-sxm.json");

  [[nodiscard]] RunReport run(std::string_view schedule, const CaseOptions& changed) const {
    const ooc::Workload workload = read_workload(network, changed);
    return predict(make_case(workload, machine, changed), *find_schedule(schedule));
  }
};

}  // namespace

TEST_CASE("what fills the memory adds up to the peak in core") {
  for (const char* name : {"gpt2", "resnet50"}) {
    CAPTURE(name);
    Job job;
    job.network = std::string(OOC_SOURCE_DIR "/networks/") + name + ".json";
    job.options.batch = 4;
    job.options.memory = Bytes(1'000'000);
    const ooc::Workload workload = read_workload(job.network, job.options);
    const ooc::Case which = make_case(workload, job.machine, job.options);
    const std::optional<BytesByCategory> held = in_core_by_category(which);
    REQUIRE(held.has_value());
    CHECK(held->total() == which.in_core_peak);
    CHECK((*held)[MemoryCategory::kWeights] + (*held)[MemoryCategory::kGradients] +
              (*held)[MemoryCategory::kOptimizer] ==
          which.costs.static_bytes);
    CHECK((*held)[MemoryCategory::kSaved] > Bytes(0));
  }
}

TEST_CASE("foreach Adam takes a number of its state for each parameter while it updates") {
  Job job;
  job.options.symbols = {{"seq", 16}};
  constexpr std::int64_t kParameters = 124'439'808;
  CHECK(job.run("in-core", job.options).peak_near < Bytes(20 * kParameters));
  job.options.adam = AdamKernels::kForeach;
  CHECK(job.run("in-core", job.options).peak_near == Bytes((16 + 4) * kParameters));
  job.options.precision = Precision::kBf16Pure;
  CHECK(job.run("in-core", job.options).peak_near == Bytes((8 + 2) * kParameters));
  job.options.adam = AdamKernels::kLoop;
  CHECK(job.run("in-core", job.options).peak_near < Bytes((8 + 1) * kParameters));
  job.options.graph.optimizer = Optimizer::kSgd;
  CHECK_THROWS_AS((void)job.run("in-core", job.options), SpecError);
}

TEST_CASE(
    "a job is launch-bound if its device waits for launches more than a quarter of the time") {
  Job job;
  job.options.symbols = {{"seq", 16}};
  const ooc::Workload workload = read_workload(job.network, job.options);
  const ooc::Case which = make_case(workload, job.machine, job.options);
  const Schedule& in_core = *find_schedule("in-core");
  RunReport report = predict(which, in_core);
  report.iteration_time = Duration(400);
  Duration& launches = report.stalls[static_cast<std::size_t>(StallCause::kLaunch)];
  launches = Duration(100);
  CHECK(job_kind(which, in_core, &report) == "in core, transformers, 16 bits, on hopper");
  launches = Duration(101);
  const std::string bound = job_kind(which, in_core, &report);
  CHECK(bound == "in core, transformers, 16 bits, launch-bound, on hopper");
  // Two figures say less of a machine than three of all, and those of all kinds say more than none.
  std::vector<MeasuredErrors> table{{.kind = "in core, transformers, 16 bits", .figures = 9},
                                    {.kind = bound, .figures = 2}};
  CHECK(errors_of_kind(table, bound).figures == 9);
  table.push_back({.kind = "in core, transformers, 16 bits, launch-bound", .figures = 3});
  CHECK(errors_of_kind(table, bound).figures == 3);
  table[1].figures = 4;
  CHECK(errors_of_kind(table, bound).figures == 4);
}
