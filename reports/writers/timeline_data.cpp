// Starts and ends are differences to the value before them in their column: three digits where instants have ten.
#include "reports/writers/timeline_data.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/base/json_writer.hpp"
#include "simulator/plan/plan_text.hpp"
#include "simulator/summary/memory_use.hpp"

namespace ooc {
namespace {

constexpr int kShownDevice = 0;

/// A column of instants.
class Differences {
 public:
  void add(Duration instant) {
    column_.push_back((instant - before_).count());
    before_ = instant;
  }
  [[nodiscard]] const std::vector<std::int64_t>& column() const { return column_; }

 private:
  std::vector<std::int64_t> column_;
  Duration before_;
};

class TimelineColumns {
 public:
  explicit TimelineColumns(const TraceInput& input)
      : in_(input), place_(input.plan.steps.size()) {}

  std::string text() && {
    json_.begin_object().member("format", "ooc-paleo/timeline").member("version", 1);
    json_.member("devices", in_.plan.devices);
    json_.member("iteration_time_ns", in_.timeline.iteration_time);
    json_.member("budget_near_bytes", in_.inputs.memory);
    json_.begin_object("queues");
    for (const StepKind kind :
         {StepKind::kCompute, StepKind::kToFar, StepKind::kToNear, StepKind::kFarCompute}) {
      const auto queue = static_cast<std::size_t>(queue_index(kShownDevice, kind));
      if (kind == StepKind::kFarCompute && !in_.plan.has_far_compute()) continue;
      if (queue < in_.plan.queues.size()) put_queue(kind, in_.plan.queues[queue]);
    }
    json_.end();
    put_stalls();
    put_memory();
    json_.end();
    return std::move(text_);
  }

 private:
  /// What a stall names has its place in the text: queue and index.
  struct Place {
    StepKind queue = StepKind::kCompute;
    std::size_t index = 0;
  };

  void put_queue(StepKind kind, const std::vector<StepId>& steps) {
    Differences starts;
    Differences ends;
    std::vector<std::string> names;
    std::vector<std::int64_t> bytes;
    std::vector<std::size_t> again;
    for (const StepId id : steps) {
      const Step& step = in_.plan.steps[id.at()];
      const Span& span = in_.timeline.spans[id.at()];
      place_[id.at()] = {.queue = kind, .index = names.size()};
      if (runs_task(step.kind) && step.recompute) again.push_back(names.size());
      names.push_back(step_name(in_.plan, in_.graph, id));
      starts.add(span.start);
      ends.add(span.end);
      if (!runs_task(step.kind)) {
        bytes.push_back(in_.costs.tensor_bytes[static_cast<std::size_t>(step.object)].count());
      }
    }
    json_.begin_object(queue_name(kind)).member("name", names);
    json_.member("start_ns_differences", starts.column());
    json_.member("end_ns_differences", ends.column());
    if (!bytes.empty()) json_.member("bytes", bytes);
    if (!again.empty()) json_.member("recomputed", again);
    json_.end();
  }

  void put_stalls() {
    Differences starts;
    Differences ends;
    std::vector<std::string_view> causes;
    std::vector<std::optional<std::size_t>> before;
    std::vector<std::string> culprits;
    for (const Stall& stall : in_.timeline.stalls) {
      if (stall.device != kShownDevice) continue;
      causes.push_back(stall_name(stall.cause));
      starts.add(stall.start);
      ends.add(stall.end);
      before.push_back(stall.before ? std::optional(place_[stall.before->at()].index)
                                    : std::nullopt);
      culprits.push_back(stall.culprit ? step_name(in_.plan, in_.graph, *stall.culprit) : "");
    }
    json_.begin_object("stalls").member("cause", causes);
    json_.member("start_ns_differences", starts.column());
    json_.member("end_ns_differences", ends.column());
    json_.member("before_compute", before).member("because_of", culprits).end();
  }

  void put_memory() {
    const std::vector<CategorySample> samples = near_categories_over_time(
        {in_.plan, in_.timeline, in_.inputs.memory, kShownDevice}, in_.graph);
    Differences instants;
    for (const CategorySample& sample : samples) instants.add(sample.at);
    json_.begin_object("near_memory").member("at_ns_differences", instants.column());
    json_.begin_object("bytes_differences");
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
      std::vector<std::int64_t> column;
      std::int64_t held = 0;
      for (const CategorySample& sample : samples) {
        column.push_back(sample.held.bytes[i].count() - held);
        held = sample.held.bytes[i].count();
      }
      const bool any = std::any_of(column.begin(), column.end(), [](auto each) { return each != 0; });
      if (any) json_.member(category_name(static_cast<MemoryCategory>(i)), column);
    }
    json_.end().end();
  }

  const TraceInput& in_;
  std::vector<Place> place_;
  std::string text_;
  JsonWriter json_{text_, JsonLayout::kCompact};
};

}  // namespace

std::string timeline_data(const TraceInput& input) { return TimelineColumns(input).text(); }

}  // namespace ooc
