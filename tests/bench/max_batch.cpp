// How long does it take to find the largest batch of ResNet-50 under all schedules? Each trial is planned and
// run; the network and the profile are read once, the costs of a batch worked out once for all schedules.
#include <stdexcept>

#include "cli/job.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/predict/solve.hpp"
#include "simulator/schedules/own_options.hpp"
#include "tests/bench/benchmark.hpp"

namespace ooc {

namespace {

using namespace bench;

constexpr double kMostMs = 1000;

void run(Report& report) {
  CaseOptions options;
  options.schedule.own.change().search = 0;  // what fits does not depend on it
  const Workload workload = load_workload("resnet50", "NETWORK", options);
  const Machine machine = load_hardware("v100-16gb-pcie3", "--hardware", options);
  const SolveRequest request{.workload = workload,
                             .machine = machine,
                             .options = options,
                             .axis = *find_solve_axis("batch"),
                             .chosen = schedules()};
  const double ns = cpu_ns([&] {
    const SolveReport found = solve(request);
    if (found.rows.back().value != 190) throw std::runtime_error("in-core runs 190 samples");
    consume(&found);
  });
  report.add("ResNet-50, all schedules", ns / 1e6, "ms", at_most(kMostMs));
}

}  // namespace

extern const Benchmark max_batch_benchmark{
    "max-batch", "how long does the search for the largest batch take?", &run};

}  // namespace ooc
