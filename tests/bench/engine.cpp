// The engine on the reference workload: time per step, against a floor and against SimGrid on the same
// workload in the same run, its growth with the number of steps, and the memory it touches.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "simulator/engine/simulate.hpp"
#include "tests/bench/benchmark.hpp"
#include "tests/bench/ledger_floor.hpp"
#include "tests/support/reference_workload.hpp"

namespace ooc {

namespace {

using namespace bench;
using namespace test;

constexpr Bytes kAmple{std::int64_t{1} << 40};
constexpr std::array<std::size_t, 4> kSteps{1'000, 10'000, 100'000, 1'000'000};

void require(bool right, const std::string& what) {
  if (!right) throw std::runtime_error("wrong result: " + what);
}

std::int64_t iteration_ns(const Plan& plan, const CostTable& costs) {
  const Outcome outcome = simulate({.plan = plan, .costs = costs, .budget = kAmple});
  return std::get<Timeline>(outcome).iteration_time.count();
}

/// Bytes of plan, costs and timeline that a run reads or writes, per step.
double bytes_touched(const Plan& plan, const CostTable& costs) {
  const Outcome outcome = simulate({.plan = plan, .costs = costs, .budget = kAmple});
  const auto& timeline = std::get<Timeline>(outcome);
  const std::size_t copies = plan.queues[1].size() + plan.queues[2].size();
  const std::size_t bytes = plan.steps.size() * (sizeof(QueuedStep) + sizeof(Span)) +
                            plan.queues[0].size() * sizeof(TaskAlternative) +
                            copies * sizeof(TransferCost) + timeline.stalls.size() * sizeof(Stall);
  return static_cast<double>(bytes) / static_cast<double>(plan.steps.size());
}

struct Times {
  double simulate = 0, reused = 0, build = 0, floor = 0;  // ns per step
};

Times measure(std::size_t steps, Report& report) {
  const std::size_t layers = steps / 4;
  const ReferenceDurations durations(layers);
  const CostTable costs = reference_costs(durations);
  const Plan plan = reference_plan(layers);
  LedgerFloor floor(durations, kAmple.count());
  require(floor.run() == iteration_ns(plan, costs), "the floor and the engine differ");
  SimulationBuffers buffers;
  const SimulationInput input{.plan = plan, .costs = costs, .budget = kAmple};
  const std::array<std::function<void()>, 4> works{[&] {
                                                     const Outcome outcome = simulate(input);
                                                     consume(&outcome);
                                                   },
                                                   [&] {
                                                     const auto stopped = simulate(input, buffers);
                                                     consume(&stopped);
                                                   },
                                                   [&] {
                                                     const Plan built = reference_plan(layers);
                                                     consume(&built);
                                                   },
                                                   [&] {
                                                     const std::int64_t makespan = floor.run();
                                                     consume(&makespan);
                                                   }};
  const std::vector<double> ns = cpu_ns(works);
  const auto count = static_cast<double>(steps);
  const Times times{ns[0] / count, ns[1] / count, ns[2] / count, ns[3] / count};
  const std::string size = fmt::format(", {} steps", steps);
  report.add("simulate" + size, times.simulate, "ns/step", at_most(30));
  report.add("simulate into reused buffers" + size, times.reused, "ns/step");
  report.add("ledger floor" + size, times.floor, "ns/step");
  report.add("simulate / ledger floor" + size, times.simulate / times.floor, "x", at_most(3));
  report.add("build the plan" + size, times.build, "ns/step", at_most(60));
  return times;
}

/// The same workload where more happens: memory that blocks, addresses, a link that both directions
/// share.
void measure_variants(const Plan& plan, const CostTable& costs, Report& report) {
  // Copies that take as long as before when alone, but by moving their bytes.
  CostTable shared = costs;
  shared.transfers.duplex = Ratio(850'000'000);
  for (auto* copies : {&shared.transfers.to_far, &shared.transfers.to_near}) {
    for (TransferCost& copy : *copies) {
      copy.rate = BytesPerSecond(kReferenceBlock * 1'000'000'000 / copy.latency.count());
      copy.latency = Duration(0);
      copy.alone = transfer_time(Bytes(kReferenceBlock), copy.rate);
    }
  }
  struct Variant {
    const char* what;
    SimulationInput input;
  };
  const Bytes tight(2 * kReferenceBlock);
  const std::array<Variant, 4> variants{
      Variant{"two blocks of memory", {.plan = plan, .costs = costs, .budget = tight}},
      Variant{"duplex 0.85", {.plan = plan, .costs = shared, .budget = kAmple}},
      Variant{"first fit",
              {.plan = plan, .costs = costs, .budget = kAmple, .allocator = Allocator::kFirstFit}},
      Variant{"best fit",
              {.plan = plan, .costs = costs, .budget = kAmple, .allocator = Allocator::kBestFit}}};
  SimulationBuffers buffers;
  std::vector<std::function<void()>> works;
  for (const Variant& variant : variants) {
    works.emplace_back([&buffers, &variant] {
      const auto stopped = simulate(variant.input, buffers);
      consume(&stopped);
    });
  }
  const std::vector<double> ns = cpu_ns(works);
  for (std::size_t i = 0; i < variants.size(); ++i) {
    report.add(fmt::format("{}, {} steps", variants[i].what, plan.steps.size()),
               ns[i] / static_cast<double>(plan.steps.size()), "ns/step");
  }
}

/// What tests/bench/simgrid_reference prints: makespan in ns and CPU ns per step; median of runs.
void compare_with_simgrid(double engine_ns, Report& report) {
#ifdef OOC_SIMGRID_REFERENCE
  std::vector<double> samples;
  for (int run = 0; run < 5; ++run) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(OOC_SIMGRID_REFERENCE, "r"), pclose);
    double makespan = 0, ns = 0;
    require(pipe && std::fscanf(pipe.get(), "%lf %lf", &makespan, &ns) == 2,
            std::string(OOC_SIMGRID_REFERENCE) + " printed no result");
    require(makespan == static_cast<double>(kReferenceMakespan), "SimGrid's makespan differs");
    samples.push_back(ns);
  }
  std::sort(samples.begin(), samples.end());
  report.add("SimGrid S4U actors, 10000 steps", samples[2], "ns/step");
  report.add("SimGrid / simulate, 10000 steps", samples[2] / engine_ns, "x", at_least(100));
#else
  (void)engine_ns;
  report.skip("SimGrid", "its library was not found when this was built (Debian: libsimgrid-dev)");
#endif
}

void run(Report& report) {
  const Plan plan = reference_plan(kReferenceLayers);
  const CostTable costs = reference_costs(ReferenceDurations(kReferenceLayers));
  require(iteration_ns(plan, costs) == kReferenceMakespan, "the reference makespan");
  std::vector<double> sizes, totals;
  for (const std::size_t steps : kSteps) {
    const Times times = measure(steps, report);
    sizes.push_back(static_cast<double>(steps));
    totals.push_back(times.simulate * static_cast<double>(steps));
    if (steps == 4 * kReferenceLayers) compare_with_simgrid(times.simulate, report);
  }
  measure_variants(plan, costs, report);
  report.add("exponent of time against steps", exponent(sizes, totals), "", at_most(1.10));
  report.add("memory touched, 10000 steps", bytes_touched(plan, costs), "B/step", at_most(100));
}

}  // namespace

extern const Benchmark engine_benchmark{"engine", "what does one simulated step cost?", &run};

}  // namespace ooc
