// The run that the tests of the reports share: a chain of three custom layers a, b, c on one
// sample, each tensor 1000 B, forward 50 us, backward 100 us, one copy of 1000 B = 200 us. The plan
// moves the output of a and nothing else. Times worked out by hand:
//
//   compute  aF 0-50 | bF 50-100 | cF 100-150 | cB 150-250 | bB 250-350 | waits 100 | aB 450-550
//   to_far   a 50-250                    to_near  a 250-450 (waits for its copy out and for cB)
//
// Near memory: 2000 at 0 (data, Ya), 2000 at 50 (Ya, Yb), 3000 at 100 (Yc), 4000 at 150 (dYb),
// 4000 at 250 (Yb, dYb, Ya again, dYa), 2000 at 350 (Ya, dYa), 0 at 550; 100 B of static bytes on
// top.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/graph/build_training_graph.hpp"
#include "model/network/network_json.hpp"
#include "reports/writers/rows.hpp"
#include "reports/writers/writer.hpp"
#include "simulator/plan/plan_builder.hpp"
#include "simulator/summary/summarize.hpp"
#include "tests/support/iteration_of.hpp"

namespace ooc::test {

inline Duration us(std::int64_t count) { return Duration(count * 1000); }

/// What `compare` shows people.
inline std::string comparison_text(const std::vector<RunReport>& reports,
                                   const WriteOptions& options = {}) {
  return table_rows(comparison_rows(reports, options), options);
}

inline Network chain_network() {
  const auto layer = [](const std::string& name) {
    return R"({ "name": ")" + name +
           R"(", "type": "custom", "output_shape": [250], "forward_time": "50 us",
              "backward_time": "100 us" })";
  };
  return read_network_text(R"({ "format": "ooc-paleo/network", "version": 1, "name": "chain",
    "source": "by hand", "dtype": "float32", "inputs": [ { "name": "data", "shape": [250] } ],
    "layers": [ )" + layer("a") +
                               ", " + layer("b") + ", " + layer("c") + " ] }",
                           "chain.json");
}

struct Example {
  Network network = chain_network();
  TrainingGraph graph = build_training_graph(network);
  CostTable costs = make_costs();
  PlanResult plan = make_plan();
  std::optional<Outcome> outcome = make_timeline();
  RunInputs inputs = make_inputs();

  [[nodiscard]] const Plan& the_plan() const { return std::get<Plan>(plan); }
  [[nodiscard]] const Timeline& timeline() const { return std::get<Timeline>(*outcome); }
  [[nodiscard]] RunReport report(Detail detail = Detail::kLayers) const {
    LowerBounds bounds;
    bounds.compute = bounds.link = bounds.cut = bounds.windows = us(500);
    const Iteration job = iteration_of(graph, costs);
    return summarize({.inputs = inputs,
                      .job = job,
                      .about = job,
                      .plan = plan,
                      .outcome = outcome,
                      .in_core_peak = Bytes(5100),
                      .bounds = bounds,
                      .assumed = {"connection.modes.pinned"},
                      .detail = detail});
  }

 private:
  [[nodiscard]] CostTable make_costs() const {
    CostTable table;
    for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
      const bool forward = graph.tasks[i].kind == TaskKind::kForward;
      table.first_alternative.push_back(static_cast<std::int32_t>(i));
      table.alternatives.push_back({.time = us(forward ? 50 : 100),
                                    .workspace = Bytes(0),
                                    .seconds = forward ? 50e-6 : 100e-6});
    }
    table.first_alternative.push_back(static_cast<std::int32_t>(graph.tasks.size()));
    table.tensor_bytes.assign(graph.tensors.size(), Bytes(1000));
    table.static_bytes = Bytes(100);
    return table;
  }

  [[nodiscard]] TensorId tensor(const std::string& name) const {
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
      if (tensor_name(graph, make_id<TensorId>(i)) == name) return make_id<TensorId>(i);
    }
    throw InternalError("no tensor " + name);
  }

  // Steps: 0 aF, 1 to_far a, 2 bF, 3 cF, 4 cB, 5 to_near a, 6 bB, 7 aB.
  [[nodiscard]] PlanResult make_plan() const {
    PlanBuilder builder(Bytes(100));
    const auto run = [&](int task) {
      return builder.compute(TaskId{task}, costs.default_alternative(TaskId{task}));
    };
    const auto block = [&](const char* name) {
      return builder.tensor_block(tensor(name), Bytes(1000));
    };
    const StepId a_f = run(0);
    const StepId out = builder.to_far(tensor("a"));
    const StepId b_f = run(1);
    const StepId c_f = run(2);
    const StepId c_b = run(3);
    const StepId in = builder.to_near(tensor("a"));
    const StepId b_b = run(4);
    const StepId a_b = run(5);
    builder.wait(out, a_f);
    builder.wait(in, out);
    builder.wait(in, c_b);
    builder.wait(a_b, in);
    const BlockId data = block("data");
    builder.initially_resident(data);
    builder.release(data, a_f);
    const auto live = [&](const char* name, StepId from, std::initializer_list<StepId> until) {
      const BlockId id = block(name);
      builder.acquire(from, id);
      for (const StepId step : until) builder.release(id, step);
    };
    live("a", a_f, {out, b_f});
    live("b", b_f, {b_b});
    live("c", c_f, {c_b});
    live("b.grad", c_b, {b_b});
    live("a", in, {a_b});
    live("a.grad", b_b, {a_b});
    return std::move(builder).finish();
  }

  [[nodiscard]] static Timeline make_timeline() {
    Timeline timeline;
    const int spans[][2] = {{0, 50},    {50, 250},  {50, 100},  {100, 150},
                            {150, 250}, {250, 450}, {250, 350}, {450, 550}};
    for (const auto& [start, end] : spans) timeline.spans.push_back({us(start), us(end)});
    timeline.events = events_of(timeline.spans);
    timeline.stalls.push_back({StallCause::kSwapIn, StepId{7}, StepId{5}, us(350), us(450)});
    timeline.iteration_time = us(550);
    timeline.busy = us(450);
    timeline.stall_totals[static_cast<std::size_t>(StallCause::kSwapIn)] = us(100);
    timeline.peak_near = Bytes(4100);
    return timeline;
  }

  [[nodiscard]] static RunInputs make_inputs() {
    RunInputs inputs;
    inputs.network = "chain";
    inputs.hardware = "by-hand";
    inputs.schedule = "one, moved";
    inputs.memory = Bytes(4100);
    inputs.memory_given = true;
    return inputs;
  }
};

/// The same job in 3000 B, refused at plan time.
inline Example refused_example() {
  Example example;
  OutOfMemory oom;
  oom.step = "c.backward";
  oom.wanted = Bytes(1000);
  oom.free = Bytes(900);
  oom.largest_hole = Bytes(900);
  oom.holders = {{"b", Bytes(1000)}, {"c", Bytes(1000)}, {"weights", Bytes(100)}};
  oom.smallest_budget = Bytes(3100);
  example.plan = oom;
  example.outcome.reset();
  example.inputs.memory = Bytes(3000);
  return example;
}

}  // namespace ooc::test
