// What a job that does not fit is told: what fills its memory, and what one change would take. Each figure is held
// to the job so changed.
#include "simulator/predict/levers.hpp"

#include "simulator/predict/scheduled_case.hpp"
#include "simulator/predict/state_words.hpp"
#include "simulator/summary/summarize.hpp"
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
  [[nodiscard]] std::vector<Lever> levers_of(std::string_view schedule) const {
    const ooc::Workload workload = read_workload(network, options);
    const Schedule& chosen = *find_schedule(schedule);
    return levers(workload, machine, options, chosen,
                  predict(make_case(workload, machine, options), chosen));
  }
};

const Lever* lever_of(const std::vector<Lever>& all, std::string_view change) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Lever& each) { return each.change == change; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("each change takes what the job so changed takes, to the byte") {
  Job job;
  job.options.batch = 8;
  job.options.memory = Bytes(2'000'000'000);
  job.options.symbols = {{"seq", 256}};
  struct Changed {
    std::string_view change;
    std::string_view schedule;
    CaseOptions options;
  };
  std::vector<Changed> all(6, {"", "in-core", job.options});
  all[0].change = "--precision bf16-pure";
  all[0].options.precision = Precision::kBf16Pure;
  all[1].change = "--optimizer adam8";
  all[1].options.graph.optimizer = Optimizer::kAdam8;
  all[2].change = "--seq 128";
  all[2].options.symbols = {{"seq", 128}};
  all[3].change = "--batch 4";
  all[3].options.batch = 4;
  all[4].change = "--schedule checkpoint";
  all[4].schedule = "checkpoint";
  all[5].change = "--schedule capacity";
  all[5].schedule = "capacity";
  const std::vector<Lever> found = job.levers_of("in-core");
  CHECK(std::is_sorted(found.begin(), found.end(),
                       [](const Lever& a, const Lever& b) { return a.needs < b.needs; }));
  const Bytes now = *job.run("in-core", job.options).out_of_memory->smallest_budget;
  for (Changed& each : all) {
    CAPTURE(each.change);
    const Lever* lever = lever_of(found, each.change);
    REQUIRE(lever != nullptr);
    CHECK(lever->saves == now - lever->needs);
    CHECK(lever->fits == (lever->needs <= *job.options.memory));
    each.options.memory = lever->needs;
    CHECK(job.run(each.schedule, each.options).feasible);
    each.options.memory = lever->needs - Bytes(1);
    CHECK_FALSE(job.run(each.schedule, each.options).feasible);
  }
}

TEST_CASE("what does not help, or is done already, is not said") {
  Job job;
  job.options.memory = Bytes(1'000'000'000);
  job.options.precision = Precision::kBf16Pure;
  const std::vector<Lever> found = job.levers_of("checkpoint");
  CHECK(lever_of(found, "--precision bf16-pure") == nullptr);
  CHECK(lever_of(found, "--schedule checkpoint") == nullptr);
  CHECK(lever_of(found, "--batch 0") == nullptr);
  CHECK(lever_of(found, "--seq 512") != nullptr);
  job.options.memory = Bytes(80'000'000'000);  // fits
  CHECK(job.levers_of("checkpoint").empty());
}

TEST_CASE("where an allocator may need more than sizes say, no change is promised to fit") {
  Job job;
  job.options.batch = 8;
  job.options.memory = Bytes(8'000'000'000);
  job.options.allocator = Allocator::kCaching;
  for (const Lever& lever : job.levers_of("in-core")) {
    CAPTURE(lever.change);
    if (lever.needs > *job.options.memory) {
      CHECK(lever.fits == false);
    } else {
      CHECK(lever.fits != false);
    }
  }
}

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
  job.options.graph.optimizer = Optimizer::kSgd;
  CHECK_THROWS_AS((void)job.run("in-core", job.options), SpecError);
}

TEST_CASE("a job that lacks far memory is told what one change takes of it, to the byte") {
  // 124 million parameters, 16 bytes each: 1.99 GB.
  Job job;
  job.options.symbols = {{"seq", 256}};
  const auto with_state = [&](const char* preset) {
    CaseOptions options = job.options;
    apply_state_preset(parse_state_preset(preset, "--state"), options);
    return options;
  };
  job.options.far_memory = Bytes(1'200'000'000);
  job.options = with_state("zero-infinity");
  const RunReport lacking = job.run("capacity", job.options);
  REQUIRE(lacking.out_of_memory.has_value());
  const Bytes now = *lacking.out_of_memory->smallest_budget;
  const std::vector<Lever> found = job.levers_of("capacity");

  std::vector<std::pair<std::string_view, CaseOptions>> all(3, {"", job.options});
  all[0].first = "--precision bf16-pure";
  all[0].second.precision = Precision::kBf16Pure;
  all[1].first = "--optimizer adam8";
  all[1].second.graph.optimizer = Optimizer::kAdam8;
  all[2].first = "--offload optimizer,gradients,weights --update-after each";
  all[2].second.state.after = UpdateAfter::kEach;
  all[2].second.state.far_gradients = FarGradients::kFreed;
  for (auto& each : all) {
    CAPTURE(each.first);
    CaseOptions& options = each.second;
    const Lever* lever = lever_of(found, each.first);
    REQUIRE(lever != nullptr);
    CHECK(lever->saves == now - lever->needs);
    CHECK(lever->fits == (lever->needs <= *job.options.far_memory));
    options.far_memory = lever->needs;
    CHECK(job.run("capacity", options).feasible);
    options.far_memory = lever->needs - Bytes(1);
    CHECK_FALSE(job.run("capacity", options).feasible);
  }
  CHECK(lever_of(found, "--precision bf16-pure")->fits == true);
}
