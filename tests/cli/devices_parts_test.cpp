// Plans of several devices as the commands make them, with real networks: sound for every schedule, also in
// sub-batches, with pageable copies and where a schedule adds tasks of its own.
#include "cli/job.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "tests/support/test.hpp"
#include "tests/support/validate_plan.hpp"

namespace ooc::test {
namespace {

struct Job {
  CaseOptions options;
  Workload workload;
  Machine machine;

  explicit Job(const CaseOptions& with, const std::string& network = "vgg16")
      : options(with),
        workload(load_workload(network, "NETWORK", options)),
        machine(load_hardware(OOC_SOURCE_DIR "/tests/data/machine_of_shares.json", "--hardware",
                              options)) {}
};

CaseOptions tight(Exchange exchange) {
  CaseOptions options;
  options.batch = 31;  // 11, 10 and 10 samples
  options.memory = Bytes(1'700'000'000);
  options.devices = 3;
  options.exchange = exchange;
  return options;
}

/// A bucket of gradients is written by tasks that complete a layer's gradient.
void check_completion(const TrainingGraph& graph) {
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Task& task = graph.tasks[i];
    for (const TensorId tensor : graph.writes[make_id<TaskId>(i)]) {
      const Tensor& it = graph.tensors[tensor.at()];
      if (it.role == TensorRole::kWeightGradient) CHECK(writes_weight_gradient(graph, task));
    }
  }
}

/// How many of the schedules fit; all that do are sound and within budget and bound.
int check_schedules(const CaseOptions& options) {
  const Job job(options);
  const Case which = make_case(job.workload, job.machine, job.options);
  int fitting = 0;
  for (const Schedule* schedule : schedules()) {
    if (schedule->is(Trait::kMovesPages)) continue;
    CAPTURE(schedule->name);
    const CaseRun run = run_case(which, *schedule, Bounds::kAll);
    const Plan* plan = std::get_if<Plan>(&run.plan);
    if (plan == nullptr) continue;
    ++fitting;
    const auto unsound = validate_plan(*plan, *run.about(which).graph, run.about(which).costs);
    CHECK_MESSAGE(!unsound, unsound.value_or(""));
    check_completion(*run.about(which).graph);
    REQUIRE(run.outcome.has_value());
    const Timeline* timeline = std::get_if<Timeline>(&*run.outcome);
    REQUIRE(timeline != nullptr);
    CHECK(timeline->peak_near <= which.budget);
    REQUIRE(run.bounds.has_value());
    CHECK(run.bounds->best() <= timeline->iteration_time);
  }
  return fitting;
}

TEST_CASE("plans of several devices are sound where tensors are compressed" *
          doctest::test_suite("whole networks")) {
  for (const Exchange exchange : {Exchange::kEnd, Exchange::kOverlap}) {
    CaseOptions options = tight(exchange);
    options.memory = Bytes(1'700'000'000);
    options.schedule.lms_action = LmsAction::kBoth;
    CHECK(check_schedules(options) > 4);
  }
}

/// Five convolutions with norms between them; its gradients are one bucket.
std::string write_small_network() {
  const std::string path =
      (std::filesystem::temp_directory_path() / "ooc_devices_parts_network.json").string();
  std::ofstream out(path);
  out << R"({"format": "ooc-paleo/network", "version": 1, "name": "small", "source": "a test",
"inputs": [{"name": "data", "shape": [3, 16, 16]}], "layers": [)";
  for (const char* number : {"0", "1", "2", "3", "4"}) {
    out << R"({"name": "c)" << number
        << R"(", "type": "conv", "filters": 8, "kernel": [3, 3], "padding": [1, 1]},
{"name": "b)"
        << number << R"(", "type": "batch_norm"},)";
  }
  out << R"({"name": "flat", "type": "flatten"}, {"name": "fc", "type": "linear", "units": 10},
{"name": "loss", "type": "softmax_cross_entropy"}]})";
  return path;
}

// The bucket is complete with the last backward task, whose number among all tasks is beyond the last of
// the network's own, for kernels that compress come before it.
TEST_CASE("compression on several devices keeps names apart and the bound below the time") {
  CaseOptions options;
  options.batch = 32;
  options.memory = Bytes(1'400'000);
  options.devices = 2;
  options.exchange = Exchange::kOverlap;
  options.schedule.lms_action = LmsAction::kCompress;
  const Job job(options, write_small_network());
  const Case which = make_case(job.workload, job.machine, job.options);
  const Schedule* lms = find_schedule("lms");
  REQUIRE(lms != nullptr);
  const CaseRun run = run_case(which, *lms, Bounds::kAll);
  const Timeline* timeline = run.timeline();
  REQUIRE(timeline != nullptr);
  REQUIRE(run.bounds.has_value());
  CHECK(run.bounds->best() <= timeline->iteration_time);
  // Updates come behind the sum.
  const RunReport report = report_case(which, *lms, run, Detail::kLayers);
  CHECK(run.bounds->best() > report.reference_time);

  const TrainingGraph& graph = *run.about(which).graph;
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
