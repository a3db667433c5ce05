// Are the numbers of a report those of the run? Sums by hand stand in reports_example.hpp.
#include "model/base/spec_tree.hpp"
#include "model/cost/compute_cost.hpp"
#include "model/hardware/profile_provenance.hpp"
#include "reports_example.hpp"
#include "simulator/summary/metrics.hpp"
#include "simulator/summary/summarize.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

TEST_CASE("a summary's totals are those of plan and timeline") {
  const RunReport report = Example().report();
  CHECK(report.feasible);
  CHECK(report.iteration_time == us(550));
  CHECK(report.compute_time == us(450));    // 3 x 50 + 3 x 100
  CHECK(report.reference_time == us(450));  // one alternative a task
  CHECK(report.slowdown == doctest::Approx(550.0 / 450.0));
  CHECK(report.samples_per_s == doctest::Approx(1 / 550e-6));
  CHECK(report.compute_utilization == doctest::Approx(450.0 / 550.0));
  CHECK(report.lower_bound == us(500));
  CHECK(report.to_far == Bytes(1000));
  CHECK(report.to_near == Bytes(1000));
  CHECK(report.peak_far == Bytes(1000));
  CHECK(report.peak_near == Bytes(4100));
  CHECK(report.budget_near == Bytes(4100));
  CHECK(report.saved == Bytes(3000));  // outputs of a, b, c
  CHECK(report.static_bytes == Bytes(100));
}

TEST_CASE("layers show what they cost, what the plan did with them and where the run waited") {
  const RunReport report = Example().report();
  REQUIRE(report.layers.size() == 3);
  const LayerReport& a = report.layers[0];
  CHECK(a.name == "a");
  CHECK(a.type == "custom");
  CHECK(a.forward == us(50));
  CHECK(a.backward == us(100));
  CHECK(a.forward_s == doctest::Approx(50e-6));
  CHECK(a.backward_data_s == doctest::Approx(100e-6));
  CHECK(a.backward_weights_s == 0);
  CHECK(a.saved == Bytes(1000));
  CHECK(a.action == TensorAction::kSwap);
  CHECK(a.stall == us(100));
  CHECK(report.layers[1].action == TensorAction::kKeep);
  CHECK(report.layers[1].stall == us(0));
}

TEST_CASE("what limits a run is its largest loss, or compute when it hardly loses") {
  Example example;
  CHECK(example.report().limited_by == "link to near memory");
  CHECK(example.report().limited_share == doctest::Approx(100.0 / 550.0));

  Timeline& timeline = std::get<Timeline>(*example.outcome);
  timeline.stall_totals = {};
  timeline.stall_totals[static_cast<std::size_t>(StallCause::kMemory)] = us(28);  // 5.1 % of 550
  CHECK(example.report().limited_by == "memory capacity");
  timeline.stall_totals[static_cast<std::size_t>(StallCause::kMemory)] = us(27);  // 4.9 %
  CHECK(example.report().limited_by == "compute");
  CHECK(example.report().limited_share == doctest::Approx(450.0 / 550.0));

  timeline.busy = us(500);  // 50 more than the reference: 9.1 %
  CHECK(example.report().limited_by == "slower algorithms");
  CHECK(example.report().limited_share == doctest::Approx(50.0 / 550.0));
}

TEST_CASE("the reference takes each task's fastest alternative, the run its own") {
  Example example;
  // aF may also run in 30 us; the plan keeps to the first alternative: 450 - 20 = 430.
  example.costs.alternatives.insert(example.costs.alternatives.begin() + 1, TaskAlternative{});
  example.costs.alternatives[1].time = us(30);
  for (std::size_t i = 1; i < example.costs.first_alternative.size(); ++i) {
    ++example.costs.first_alternative[i];
  }
  Plan& plan = std::get<Plan>(example.plan);
  for (Step& step : plan.steps) {
    if (step.kind == StepKind::kCompute && step.object > 0) ++step.alternative.index;
  }
  CHECK(example.report().reference_time == us(430));
  CHECK(example.report().layers[0].forward == us(50));
}

TEST_CASE("a blocked run is reported as out of memory, with names and the largest holder first") {
  Example example;
  Plan& plan = std::get<Plan>(example.plan);
  plan.static_bytes = Bytes(1500);
  // Blocks in order of their making: 0 data, 1 a, 2 b, ...; cB (step 4) gets nothing.
  example.outcome =
      Blocked{StepId{4}, Bytes(1000), Bytes(500), Bytes(400), {BlockId{1}, BlockId{2}}};
  const RunReport report = example.report();
  CHECK_FALSE(report.feasible);
  REQUIRE(report.out_of_memory.has_value());
  CHECK(report.out_of_memory->step == "c.backward");
  CHECK(report.out_of_memory->wanted == Bytes(1000));
  CHECK(report.out_of_memory->largest_hole == Bytes(400));
  CHECK_FALSE(report.out_of_memory->smallest_budget.has_value());
  REQUIRE(report.out_of_memory->holders.size() == 3);
  CHECK(report.out_of_memory->holders[0].bytes == Bytes(1500));
  CHECK(report.out_of_memory->holders[1].name == "a");
  CHECK(report.out_of_memory->holders[2].name == "b");
}

TEST_CASE("a job refused at plan time still tells what does not depend on the run") {
  const RunReport report = refused_example().report();
  CHECK_FALSE(report.feasible);
  CHECK(report.out_of_memory->smallest_budget == Bytes(3100));
  CHECK(report.reference_time == us(450));
  CHECK(report.in_core_peak == Bytes(5100));
  CHECK(report.layers.size() == 3);
}

TEST_CASE("best first: by time, then what does not fit by the budget it lacks, unknown last") {
  std::vector<RunReport> reports(5);
  reports[0].out_of_memory.emplace();  // unknown
  reports[1].out_of_memory.emplace().smallest_budget = Bytes(7);
  reports[2].feasible = true;
  reports[2].iteration_time = us(2);
  reports[3].out_of_memory.emplace().smallest_budget = Bytes(5);
  reports[4].feasible = true;
  reports[4].iteration_time = us(1);
  CHECK(best_first(reports) == std::vector<std::size_t>{4, 2, 3, 1, 0});
}

TEST_CASE("the in-core peak is the largest sum of live tensors, workspace and static bytes") {
  Example example;
  // During cB: Ya, Yb, Yc, dYb = 4000; during bB: Ya, Yb, dYb, dYa = 4000.
  CHECK(in_core_peak(example.graph, estimate_sizes(example.graph, {.batch = 1}),
                     Accounting::kLiveness) == Bytes(4000));
  CHECK(in_core_peak(example.graph, estimate_sizes(example.graph, {.batch = 3}),
                     Accounting::kLiveness) == Bytes(12000));
  CHECK(in_core_peak(example.graph, example.costs, Accounting::kLiveness) ==
        Bytes(4100));                                   // and the costs' static bytes
  example.costs.alternatives[3].workspace = Bytes(77);  // cB's
  CHECK(in_core_peak(example.graph, example.costs, Accounting::kLiveness) == Bytes(4177));
  example.costs.alternatives[0].workspace = Bytes(99);  // aF's: 2000 + 99 is no peak
  CHECK(in_core_peak(example.graph, example.costs, Accounting::kLiveness) == Bytes(4177));
}

TEST_CASE("the layers of an inspection add up to its totals at the batch") {
  const Network network = read_network_text(R"({ "format": "ooc-paleo/network", "version": 1,
    "name": "two", "source": "by hand", "dtype": "float32",
    "inputs": [ { "name": "data", "shape": [10] } ],
    "layers": [ { "name": "f", "type": "linear", "units": 20 },
                { "name": "g", "type": "linear", "units": 5 } ] })",
                                            "two.json");
  const TrainingGraph graph = build_training_graph(network);
  RunInputs inputs;
  inputs.batch = 512;
  const NetworkReport report = summarize_network({.graph = graph, .inputs = inputs});
  // 10 x 20 + 20 x 5 = 300 a sample, 153600 at the batch.
  CHECK(report.forward_macs_per_sample == 300);
  CHECK(report.forward_macs == 153'600);
  CHECK(report.layers[0].forward_macs + report.layers[1].forward_macs == 153'600);
  // Backward of a linear layer reads its input: the network's, 10 x 4 x 512 B, and f's, 20 x 4 x 512.
  CHECK(report.saved == Bytes(61'440));
  CHECK(report.saved_inputs == Bytes(20'480));
  CHECK(report.layers[0].saved + report.saved_inputs == report.saved);
}

TEST_CASE("copies of network inputs are counted apart, since no layer's row shows them") {
  Example example;
  CHECK(example.report().inputs_to_near == Bytes(0));
  // The same run, the tensor that is moved an input of the network: 1000 B each way.
  const Plan& plan = example.the_plan();
  Tensor& moved = example.graph.tensors[static_cast<std::size_t>(plan.steps[1].object)];
  moved.role = TensorRole::kInput;
  moved.input = InputId{0};
  const RunReport report = example.report();
  CHECK(report.inputs_to_far == Bytes(1000));
  CHECK(report.inputs_to_near == Bytes(1000));
  CHECK(report.to_near == Bytes(1000));
}

TEST_CASE("every column has a name of its own, and unknown numbers are no zeros") {
  std::set<std::string_view> names;
  std::size_t columns = 0;
  for (const Metric& column : metrics()) {
    names.insert(column.name);
    ++columns;
  }
  CHECK(names.size() == columns);
  const RunReport refused = refused_example().report();
  for (const Metric& metric : metrics()) {
    if (metric.name == "iteration_time_ns" || metric.name == "stall_memory_ns") {
      CHECK(std::holds_alternative<std::monostate>(metric.read(refused)));
    }
    if (metric.name == "reference_time_ns") {
      CHECK(std::get<std::int64_t>(metric.read(refused)) == 450'000);
    }
  }
}

// Does the warning of the reports name each assumed part of a profile once, and none too few?

using Entries = std::vector<std::pair<std::string, ProvenanceKind>>;
constexpr ProvenanceKind kAssumed = ProvenanceKind::kAssumed;
constexpr ProvenanceKind kMeasured = ProvenanceKind::kMeasured;

/// For a profile of four numbers.
std::vector<std::string> assumed_of(const Entries& entries) {
  const SpecDocument anywhere = read_spec_text("1", "toy.json");
  std::vector<ProfileNumber> numbers;
  for (const char* path : {"far.latency", "far.rate", "link.duplex", "link.modes.a"}) {
    numbers.push_back({path, SpecView(anywhere)});
  }
  std::vector<Provenance> list;
  for (const auto& [fields, kind] : entries) {
    Provenance& entry = list.emplace_back();
    entry.fields = fields;
    entry.kind = kind;
  }
  return assumed_fields(list, numbers);
}

TEST_CASE("an assumed entry inside another assumed one is named once") {
  CHECK(assumed_of({{"far", kAssumed}, {"far.latency", kAssumed}, {"link", kMeasured}}) ==
        std::vector<std::string>{"far"});
  CHECK(assumed_of({{"far.latency", kAssumed}, {"link.*", kAssumed}, {"*", kAssumed}}) ==
        std::vector<std::string>{"*"});
}

TEST_CASE("an assumed entry inside a measured one is named, whatever stands around that") {
  CHECK(assumed_of({{"far", kMeasured},
                    {"link", kAssumed},
                    {"link.modes", kMeasured},
                    {"link.modes.a", kAssumed}}) ==
        std::vector<std::string>{"link", "link.modes.a"});
}

TEST_CASE("an assumed entry that governs nothing hides none") {
  CHECK(assumed_of({{"far", kAssumed},
                    {"far.latency", kAssumed},
                    {"far.rate", kAssumed},
                    {"link", kMeasured}}) == std::vector<std::string>{"far.latency", "far.rate"});
}

}  // namespace
}  // namespace ooc::test
