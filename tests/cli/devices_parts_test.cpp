// Plans of several devices as the commands make them, with real networks: sound for every schedule, also in
// sub-batches, with pageable copies and where a schedule adds tasks of its own.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "cli/pipeline.hpp"
#include "simulator/plan/validate_plan.hpp"

namespace ooc::test {
namespace {

struct Job {
  CaseOptions options;
  Workload workload;
  Machine machine;

  explicit Job(const CaseOptions& with, const std::string& network = "vgg16")
      : options(with),
        workload(load_workload(network, "NETWORK", options)),
        machine(load_hardware("k40m", "--hardware", options)) {}
};

CaseOptions tight(Exchange exchange) {
  CaseOptions options;
  options.batch = 31;  // 11, 10 and 10 samples
  options.memory = Bytes(1'700'000'000);
  options.devices = 3;
  options.exchange = exchange;
  return options;
}

/// A piece of gradients is complete with a task of the layer whose gradient completes it.
void check_completion(const TrainingGraph& graph) {
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Task& task = graph.tasks[i];
    for (const TensorId tensor : graph.writes[make_id<TaskId>(i)]) {
      const Tensor& it = graph.tensors[tensor.at()];
      if (it.role != TensorRole::kExchanged || it.part != ExchangePart::kSent) continue;
      CHECK(task.kind == TaskKind::kBackwardWeights);
      CHECK(it.layer == task.layer);
    }
  }
}

/// How many of the schedules fit; all that do are sound and within budget and bound.
int check_schedules(const CaseOptions& options) {
  const Job job(options);
  const Case which = make_case(job.workload, job.machine, job.options);
  int fitting = 0;
  for (const Schedule* schedule : schedules()) {
    if (schedule->moves_pages) continue;
    CAPTURE(schedule->name);
    const CaseRun run = run_case(which, *schedule, BoundEffort::kWindows);
    const Plan* plan = std::get_if<Plan>(&run.plan);
    if (plan == nullptr) continue;
    ++fitting;
    const auto unsound = validate_plan(*plan, run.graph(which), run.costs(which));
    CHECK_MESSAGE(!unsound, unsound.value_or(""));
    check_completion(run.graph(which));
    REQUIRE(run.outcome.has_value());
    const Timeline* timeline = std::get_if<Timeline>(&*run.outcome);
    REQUIRE(timeline != nullptr);
    CHECK(timeline->peak_near <= which.budget);
    REQUIRE(run.bounds.has_value());
    CHECK(run.bounds->best() <= timeline->iteration_time);
  }
  return fitting;
}

TEST_CASE("plans of several devices are sound for every schedule") {
  for (const Exchange exchange : {Exchange::kEnd, Exchange::kOverlap}) {
    CHECK(check_schedules(tight(exchange)) > 4);
  }
}

TEST_CASE("plans of several devices are sound in sub-batches") {
  CaseOptions options = tight(Exchange::kOverlap);
  options.schedule.sub_batch = {.kind = SubBatch::Kind::kSize, .samples = 4};  // 3 rounds
  CHECK(check_schedules(options) > 8);
}

TEST_CASE("plans of several devices are sound with pageable copies") {
  CaseOptions options = tight(Exchange::kOverlap);
  options.transfers.mode = "pageable";
  CHECK(check_schedules(options) > 4);
}

TEST_CASE("plans of several devices are sound where tensors are compressed") {
  for (const Exchange exchange : {Exchange::kEnd, Exchange::kOverlap}) {
    CaseOptions options = tight(exchange);
    options.memory = Bytes(1'700'000'000);
    options.schedule.lms_action = LmsAction::kBoth;
    CHECK(check_schedules(options) > 4);
  }
}

// The first of the two pieces of googlenet is complete near the end of the backward pass, which kernels that
// compress have moved behind the last number of the tasks of the network.
TEST_CASE("compression on several devices keeps names apart and the bound below the time") {
  CaseOptions options;
  options.batch = 32;
  options.memory = Bytes(400'000'000);
  options.devices = 2;
  options.exchange = Exchange::kOverlap;
  options.schedule.lms_action = LmsAction::kCompress;
  const Job job(options, "googlenet");
  const Case which = make_case(job.workload, job.machine, job.options);
  const Schedule* lms = find_schedule("lms");
  REQUIRE(lms != nullptr);
  const CaseRun run = run_case(which, *lms, BoundEffort::kWindows);
  const Timeline* timeline = run.outcome ? std::get_if<Timeline>(&*run.outcome) : nullptr;
  REQUIRE(timeline != nullptr);
  REQUIRE(run.bounds.has_value());
  CHECK(run.bounds->best() <= timeline->iteration_time);

  const TrainingGraph& graph = run.graph(which);
  std::set<std::string> names;
  int kernels = 0;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    if (is_overhead(graph.tasks[i].kind)) ++kernels;
    CHECK(names.insert(task_name(graph, make_id<TaskId>(i))).second);
  }
  CHECK(kernels > 0);
}

}  // namespace
}  // namespace ooc::test
