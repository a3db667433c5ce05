// Writes the text form of a plan. Everything a run depends on is in it, and nothing is rounded.
#include "simulator/plan/plan_text.hpp"

#include <fmt/format.h>

#include <iterator>

#include "model/base/errors.hpp"
#include "model/base/terminal_text.hpp"
#include "simulator/plan/wait_as_framework.hpp"

namespace ooc {

namespace {

std::string rate_text(BytesPerSecond rate) {
  return rate == kInfiniteRate ? "inf" : fmt::format("{}", rate.count());
}

/// A name on one line.
std::string on_one_line(std::string_view name) {
  std::string text;
  for (const char letter : escaped_controls(name, "\\", "\n\r")) {
    if (letter == '\n') {
      text += "\\n";
    } else if (letter == '\r') {
      text += "\\r";
    } else {
      text += letter;
    }
  }
  return text;
}

/// " key=a,b,c", or " key=-".
template <class Row, class Write>
void append_list(std::string& text, std::string_view key, const Row& row, Write write) {
  fmt::format_to(std::back_inserter(text), " {}=", key);
  if (row.empty()) text += '-';
  bool first = true;
  for (const auto item : row) {
    if (!first) text += ',';
    first = false;
    write(item);
  }
}

/// One line where both directions keep the same share, as it always was.
std::string duplex_lines(const Duplex& duplex) {
  if (duplex.alike()) return fmt::format("duplex {}\n", duplex.to_far.count());
  return fmt::format("duplex_to_far {}\nduplex_to_near {}\n", duplex.to_far.count(),
                     duplex.to_near.count());
}

void append_header(std::string& text, const Plan& plan, const CostTable& costs, Bytes budget) {
  fmt::format_to(std::back_inserter(text), "ooc-paleo-plan 3\nbudget {}\nstatic {}\n{}",
                 budget.count(), plan.static_bytes.count(), duplex_lines(costs.transfers.duplex));
}

void append_cost(std::string& text, const Step& step, const CostTable& costs) {
  const auto out = std::back_inserter(text);
  if (runs_task(step.kind)) {
    fmt::format_to(out, " time={}", costs[step.alternative].time.count());
    if (const Duration issue = costs[step.alternative].issue; issue > Duration(0)) {
      fmt::format_to(out, " issue={}", issue.count());
    }
    return;
  }
  const auto tensor = static_cast<std::size_t>(step.object);
  const TransferCosts& transfers = costs.transfers;
  const TransferCost& cost = step.kind == StepKind::kToFar
                                 ? transfers.to_far[tensor]
                                 : transfers.near_cost(tensor, step.on_demand);
  fmt::format_to(out, " bytes={} latency={} rate={}", costs.link_bytes()[tensor].count(),
                 cost.latency.count(), rate_text(cost.rate));
}

struct PlanWords {
  const Plan& plan;
  const TrainingGraph& graph;
  const CostTable& costs;
  std::vector<std::int64_t> pinning;  ///< list_pinning()
};

void append_step(std::string& text, const PlanWords& words, StepId id) {
  const Plan& plan = words.plan;
  const Step& step = plan.steps[id.at()];
  const auto out = [&] { return std::back_inserter(text); };
  const std::string_view queue = queue_name(step.kind);
  fmt::format_to(out(), "step {} {} {}", id.index, queue, step.recompute ? "recompute" : queue);
  append_cost(text, step, words.costs);
  if (words.pinning[id.at()] > 0) fmt::format_to(out(), " pinning={}", words.pinning[id.at()]);
  append_list(text, "waits", plan.waits[id],
              [&](StepId wait) { fmt::format_to(out(), "{}", wait.index); });
  append_list(text, "takes", plan.acquires[id], [&](BlockId block) {
    fmt::format_to(out(), "{}:{}", block.index, plan.blocks[block.at()].bytes.count());
  });
  append_list(text, "frees", plan.releases[id],
              [&](BlockId block) { fmt::format_to(out(), "{}", block.index); });
  if (step.kind == StepKind::kCompute &&
      step.alternative != words.costs.default_alternative(TaskId{step.object})) {
    fmt::format_to(out(), " algorithm={}", algorithm_name(words.costs[step.alternative].algorithm));
  }
  fmt::format_to(out(), " name={}\n", on_one_line(step_name(plan, words.graph, id)));
}

}  // namespace

std::string_view queue_name(StepKind kind) {
  return text_at(kind, {"compute", "to_far", "to_near", "far_compute"});
}

std::string step_name(const Plan& plan, const TrainingGraph& graph, StepId id) {
  const Step& step = plan.steps[id.at()];
  if (runs_task(step.kind)) return task_name(graph, TaskId{step.object});
  return fmt::format("{} {}", step.exchange ? "exchange" : queue_name(step.kind),
                     tensor_name(graph, TensorId{step.object}));
}

std::string write_plan_text(const Plan& plan, const TrainingGraph& graph, const CostTable& costs,
                            Bytes budget) {
  std::string text;
  append_header(text, plan, costs, budget);
  for (const BlockId id : plan.initial_blocks) {
    const Block& block = plan.blocks[id.at()];
    const std::string name = block.kind == BlockKind::kTensor
                                 ? tensor_name(graph, TensorId{block.object})
                                 : task_name(graph, TaskId{block.object});
    fmt::format_to(std::back_inserter(text), "initial {}:{} {}\n", id.index, block.bytes.count(),
                   on_one_line(name));
  }
  PlanWords words{plan, graph, costs, {}};
  list_pinning(plan, costs.transfers.pinning, words.pinning);
  for (std::size_t step = 0; step < plan.steps.size(); ++step) {
    append_step(text, words, make_id<StepId>(step));
  }
  return text;
}

}  // namespace ooc
