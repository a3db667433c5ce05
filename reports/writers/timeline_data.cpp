#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/base/json_writer.hpp"
#include "reports/writers/trace.hpp"
#include "simulator/plan/plan_text.hpp"
#include "simulator/summary/memory_use.hpp"

namespace ooc {
namespace {

class TimelineColumns {
 public:
  explicit TimelineColumns(const TraceInput& input) : in_(input), place_(input.plan.steps.size()) {}

  std::string text() && {
    json_.begin_object().member("format", "ooc-paleo/timeline").member("version", 2);
    json_.member("iteration_time_ns", in_.timeline.iteration_time);
    json_.member("budget_near_bytes", in_.inputs.memory);
    put_queues();
    put_stalls();
    put_memory();
    json_.end();
    return std::move(text_);
  }

 private:
  void put_queues() {
    json_.begin_object("queues");
    for (const StepKind kind :
         {StepKind::kCompute, StepKind::kToFar, StepKind::kToNear, StepKind::kFarCompute}) {
      if (kind == StepKind::kFarCompute && !in_.plan.has_far_compute()) continue;
      put_queue(kind, in_.plan.queue(kind));
    }
    json_.end();
  }

  void put_queue(StepKind kind, const std::vector<StepId>& steps) {
    std::vector<std::string> names;
    std::vector<Span> spans;
    std::vector<std::int64_t> bytes;
    std::vector<std::size_t> again;
    for (const StepId id : steps) {
      const Step& step = in_.plan.steps[id.at()];
      place_[id.at()] = names.size();
      if (runs_task(step.kind) && step.recompute) again.push_back(names.size());
      names.push_back(step_name(in_.plan, in_.graph, id));
      spans.push_back(in_.timeline.spans[id.at()]);
      if (!runs_task(step.kind)) {
        bytes.push_back(in_.costs.tensor_bytes[static_cast<std::size_t>(step.object)].count());
      }
    }
    json_.begin_object(queue_name(kind)).member("name", names);
    put_spans(spans);
    if (!bytes.empty()) json_.member("bytes", bytes);
    if (!again.empty()) json_.member("recomputed", again);
    json_.end();
  }

  void put_spans(const std::vector<Span>& spans) {
    json_.begin_list("start_ns");
    for (const Span& each : spans) json_.value(each.start);
    json_.end().begin_list("end_ns");
    for (const Span& each : spans) json_.value(each.end);
    json_.end();
  }

  void put_stalls() {
    std::vector<Span> spans;
    std::vector<std::string> causes;
    std::vector<std::optional<std::size_t>> before;
    std::vector<std::string> culprits;
    for (const Stall& stall : in_.timeline.stalls) {
      spans.push_back({stall.start, stall.end});
      causes.emplace_back(stall_name(stall.cause));
      before.push_back(stall.before ? std::optional(place_[stall.before->at()]) : std::nullopt);
      culprits.push_back(stall.culprit ? step_name(in_.plan, in_.graph, *stall.culprit) : "");
    }
    json_.begin_object("stalls").member("cause", causes);
    put_spans(spans);
    json_.member("before_compute", before).member("because_of", culprits).end();
  }

  void put_memory() {
    const auto samples = near_memory_over_time(in_.plan, in_.graph, in_.timeline);
    json_.begin_object("near_memory").begin_list("at_ns");
    for (const MemorySample& sample : samples) json_.value(sample.at);
    json_.end().begin_object("bytes");
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
      const bool is_held = std::ranges::any_of(
          samples, [&](const auto& sample) { return sample.held.bytes[i] > Bytes(0); });
      if (!is_held) continue;
      json_.begin_list(category_name(static_cast<MemoryCategory>(i)));
      for (const MemorySample& sample : samples) json_.value(sample.held.bytes[i]);
      json_.end();
    }
    json_.end().end();
  }

  const TraceInput& in_;
  std::vector<std::size_t> place_;  ///< by step: in its queue
  std::string text_;
  JsonWriter json_{text_, JsonLayout::kCompact};
};

}  // namespace

std::string timeline_data(const TraceInput& input) { return TimelineColumns(input).text(); }

}  // namespace ooc
