// Do reports agree with the engine on whole networks? Among them runs with steps of zero length:
// PALEO's counts give many tasks no time, an infinite link gives copies none.
#include <nlohmann/json.hpp>

#include "model/cost/transfer_cost.hpp"
#include "model/graph/build_training_graph.hpp"
#include "model/hardware/profile_json.hpp"
#include "model/network/network_json.hpp"
#include "reports/writers/trace.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/schedules/own_options.hpp"
#include "simulator/schedules/schedule.hpp"
#include "simulator/summary/memory_use.hpp"
#include "simulator/summary/summarize.hpp"
#include "tests/support/iteration_of.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

struct RunsJob {
  const char* network;
  std::int64_t batch;
  ComputeModel compute;
  std::optional<BytesPerSecond> link;
};

struct Machinery {
  explicit Machinery(const RunsJob& job)
      : network(read_network_file(std::string(OOC_SOURCE_DIR) + "/networks/" + job.network)),
        graph(build_training_graph(network)) {
    const HardwareProfile profile =
        read_profile_file(std::string(OOC_SOURCE_DIR) + "/hwprofiles/v100-16gb-pcie3.json");
    costs = estimate_compute(graph, profile,
                             {.model = job.compute, .batch = job.batch, .layer_times = {}});
    TransferOptions options;
    options.link = job.link;
    if (job.link.has_value()) options.latency = Duration(0);
    costs.transfers = estimate_transfers(costs.tensor_bytes, profile, options);
    if (job.link.has_value()) {  // no latency of the memories either
      for (auto* direction : {&costs.transfers.to_far, &costs.transfers.to_near}) {
        for (TransferCost& cost : *direction) cost = {Duration(0), kInfiniteRate, Duration(0)};
      }
      costs.transfers.to_far_peak = costs.transfers.to_near_peak = kInfiniteRate;
    }
  }
  Network network;
  TrainingGraph graph;
  CostTable costs;
};

RunReport report_of(const Machinery& machinery, const PlanResult& plan,
                    const std::optional<Outcome>& outcome, Bytes budget) {
  RunInputs inputs;
  inputs.batch = machinery.costs.batch;
  inputs.memory = budget;
  const Iteration whole = iteration_of(machinery.graph, machinery.costs);
  return summarize({.inputs = inputs,
                    .job = whole,
                    .about = whole,
                    .plan = plan,
                    .outcome = outcome,
                    .in_core_peak = budget});
}

constexpr RunsJob kRunsJobs[] = {
    {"resnet50.json", 32, ComputeModel::kNative, std::nullopt},
    {"resnet50.json", 32, ComputeModel::kPaleo, std::nullopt},
    {"googlenet.json", 64, ComputeModel::kPaleo, kInfiniteRate},
    {"vgg16.json", 16, ComputeModel::kNative, kInfiniteRate},
};

template <class Check>
int for_every_run(Check check) {
  int runs = 0;
  for (const RunsJob& job : kRunsJobs) {
    const Machinery machinery(job);
    const Bytes peak = in_core_peak(machinery.graph, machinery.costs, Accounting::kLiveness);
    ScheduleOptions options;
    options.own.change().search = 30;  // any plan will do
    for (const Schedule* schedule : schedules()) {
      for (const int percent : {100, 80, 60}) {
        const Bytes budget(peak.count() / 100 * percent + 100);
        const auto evaluate = [&](const Plan& tried) {
          const Outcome run = simulate({.plan = tried, .costs = machinery.costs, .budget = budget});
          const auto* timeline = std::get_if<Timeline>(&run);
          return timeline == nullptr ? Trial{} : Trial{.iteration_time = timeline->iteration_time};
        };
        const PlanResult plan = schedule->make_plan({.graph = machinery.graph,
                                                     .costs = machinery.costs,
                                                     .budget = budget,
                                                     .options = options,
                                                     .evaluate = evaluate});
        if (!std::holds_alternative<Plan>(plan)) continue;
        const std::optional<Outcome> outcome =
            simulate({.plan = std::get<Plan>(plan), .costs = machinery.costs, .budget = budget});
        if (!std::holds_alternative<Timeline>(*outcome)) continue;
        CAPTURE(job.network);
        CAPTURE(schedule->name);
        CAPTURE(percent);
        check(machinery, plan, outcome, budget);
        ++runs;
      }
    }
  }
  return runs;
}

}  // namespace

TEST_CASE(
    "runs: peaks as the engine says, no more far than was copied out, stalls of layers add up") {
  const int runs = for_every_run([](const Machinery& machinery, const PlanResult& plan,
                                    const std::optional<Outcome>& outcome, Bytes budget) {
    const auto& timeline = std::get<Timeline>(*outcome);
    Bytes peak{0};
    Duration last{0};
    const auto samples = near_memory_over_time(std::get<Plan>(plan), machinery.graph, timeline);
    for (const MemorySample& sample : samples) {
      peak = std::max(peak, sample.held.total());
      CHECK(last <= sample.at);
      last = sample.at;
    }
    CHECK(peak.count() == timeline.peak_near.count());

    const RunReport report = report_of(machinery, plan, outcome, budget);
    CHECK(report.peak_far <= report.to_far);
    CHECK((report.to_far.count() == 0 || report.peak_far.count() > 0));
    Duration stalls{0};
    for (const Duration stall : report.stalls) stalls += stall;
    CHECK(report.compute_time + stalls == report.iteration_time);
    Duration of_layers{0};
    for (const LayerReport& layer : report.layers) of_layers += layer.stall;
    CHECK(of_layers <= stalls);  // the wait after the last task belongs to no layer
  });
  CHECK(runs >= 20);
}

TEST_CASE("the in-core schedule's peak is the reported in-core peak, and it is compute alone") {
  for (const RunsJob& job : kRunsJobs) {
    const Machinery machinery(job);
    const Bytes peak = in_core_peak(machinery.graph, machinery.costs, Accounting::kLiveness);
    const PlanResult plan =
        find_schedule("in-core")->make_plan({machinery.graph, machinery.costs, peak});
    REQUIRE(std::holds_alternative<Plan>(plan));
    const std::optional<Outcome> outcome =
        simulate({.plan = std::get<Plan>(plan), .costs = machinery.costs, .budget = peak});
    const RunReport report = report_of(machinery, plan, outcome, peak);
    CHECK(report.peak_near.count() == peak.count());
    CHECK(report.iteration_time == report.compute_time);
    CHECK(report.peak_far == Bytes(0));
    Duration layers{0};
    for (const LayerReport& layer : report.layers) {
      layers += layer.forward + layer.backward + layer.update;
    }
    CHECK(layers == report.compute_time);
  }
}

TEST_CASE("traces of whole networks are valid JSON with as many arrow ends as starts") {
  const Machinery machinery(kRunsJobs[0]);
  const Bytes budget(in_core_peak(machinery.graph, machinery.costs, Accounting::kLiveness).count() *
                     7 / 10);
  const PlanResult plan =
      find_schedule("capacity")->make_plan({machinery.graph, machinery.costs, budget});
  REQUIRE(std::holds_alternative<Plan>(plan));
  const Outcome outcome =
      simulate({.plan = std::get<Plan>(plan), .costs = machinery.costs, .budget = budget});
  RunInputs inputs;
  inputs.memory = budget;
  const ToolInfo tool;
  std::string text;
  std::size_t largest_piece = 0;
  write_trace({inputs, tool, machinery.graph, machinery.costs, std::get<Plan>(plan),
               std::get<Timeline>(outcome)},
              [&](std::string_view piece) {
                text += piece;
                largest_piece = std::max(largest_piece, piece.size());
              });
  CHECK(largest_piece < std::size_t{80} << 10);  // streams: 64 KiB and one event
  const auto trace = nlohmann::json::parse(text);
  std::size_t slices = 0;
  std::size_t starts = 0;
  std::size_t ends = 0;
  for (const auto& event : trace["traceEvents"]) {
    slices += event["ph"] == "X";
    starts += event["ph"] == "s";
    ends += event["ph"] == "f";
  }
  CHECK(slices == std::get<Plan>(plan).steps.size() + std::get<Timeline>(outcome).stalls.size());
  CHECK(starts > 0);
  CHECK(starts == ends);
}
