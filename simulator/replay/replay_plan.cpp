// Lines in the timeline's order of starts, in which every wait is for an earlier line.
#include "simulator/replay/replay_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <string_view>

#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"
#include "simulator/plan/plan_text.hpp"
#include "simulator/replay/memory_order.hpp"

namespace ooc {
namespace {

/// FNV-1a, cut to a number above 0.
long long fingerprint(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return static_cast<long long>(hash >> 1U) | 1;
}

bool has_products(const LayerModel& model) {
  return model.convolution || model.mirrored_convolution || model.products || model.recurrent ||
         model.custom;
}

}  // namespace

ReplayPlan make_replay_plan(const Plan& plan, const Timeline& timeline, Bytes budget) {
  if (plan.devices != 1) {
    bad_value("replay", fmt::format("a plan on {} devices", plan.devices), "a plan on one device");
  }
  MemoryOrder order = order_memory(plan, timeline, budget);
  StepWaits waits = find_step_waits(plan, order);
  return {.order = std::move(order.starts), .waits = std::move(waits.waits)};
}

ReplayText write_replay_plan(const ReplayInputs& in, const ReplayRun& run) {
  std::vector<std::size_t> line_of(in.plan.steps.size());
  for (std::size_t i = 0; i < in.replay.order.size(); ++i) line_of[in.replay.order[i].at()] = i;
  std::string steps;
  const auto add = [&](auto format, const auto&... values) {
    fmt::format_to(std::back_inserter(steps), fmt::runtime(format), values...);
  };
  for (const StepId id : in.replay.order) {
    const Step& step = in.plan.steps[id.at()];
    const Span& span = in.timeline.spans[id.at()];
    if (step.kind == StepKind::kCompute) {
      const Layer& layer =
          in.graph.network
              ->layers[in.graph.tasks[static_cast<std::size_t>(step.object)].layer.at()];
      const bool busy = run.mode == ReplayMode::kBusy && !has_products(*layer.model);
      add("step {} {}", busy ? "busy" : "spin", (span.end - span.start).count());
    } else {
      const auto tensor = static_cast<std::size_t>(step.object);
      add("step {} {}", queue_name(step.kind), in.costs.tensor_bytes[tensor].count());
    }
    std::vector<std::size_t> waits;
    for (const std::int32_t wait : in.replay.waits[id.at()]) {
      waits.push_back(line_of[static_cast<std::size_t>(wait)]);
    }
    add(waits.empty() ? " -\n" : " {}\n", fmt::join(waits, ","));
  }
  const long long id = fingerprint(steps);
  return {.id = id,
          .text = fmt::format("plan id={} steps={} iterations={} warmup={} max_ms={}\n", id,
                              in.plan.steps.size(), run.iterations, run.warmup, run.max_ms) +
                  steps};
}

}  // namespace ooc
