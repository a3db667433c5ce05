// The Trace Event Format ("JSON Object Format", Google's public description of it). Every queue is a thread: "X" events for
// steps, "s"/"f" pairs for arrows, "C" events for memory, in all and by what it holds. Timestamps are microseconds in that
// format; they are written from integer nanoseconds, three decimals, without rounding. Within a track events come in time
// order, and an arrow's ends lie inside slices: it leaves in the last nanosecond of the step that was waited for and
// arrives at the start of the waiting one.
#include "reports/writers/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/base/csr.hpp"
#include "model/base/json_writer.hpp"
#include "model/base/quantity_io.hpp"
#include "model/base/terminal_text.hpp"
#include "simulator/plan/plan_text.hpp"
#include "simulator/summary/memory_use.hpp"

namespace ooc {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

using FlowId = Id<struct FlowTag>;
struct Flow {
  StepId from;
  StepId to;
};

JsonText micros(Duration instant) {
  return {fmt::format("{}.{:03}", instant.count() / 1000, instant.count() % 1000)};
}

// The stalls stand right below the compute queue.
constexpr int kStallTrack = 2;
constexpr int kExchangeTracks = 3;  // behind those of copies
int track_of(StepKind kind) {
  static constexpr int kTracks[] = {1, 3, 4, 5};  // compute, to far, to near, far compute
  return kTracks[static_cast<std::size_t>(kind)];
}
int track_of(const Step& step) {
  return track_of(step.kind) + (step.exchange ? kExchangeTracks : 0);
}

class TraceWriter {
 public:
  TraceWriter(const TraceInput& input, const TextSink& sink) : in_(input), sink_(sink) {
    find_flows();
  }

  void write() {
    head();
    timeline("");
    if (in_.measured != nullptr) {
      shown_ = in_.measured;
      ++process_;
      first_flow_ += flows_.size();
      timeline("measured: ");
    }
    json_.line(0).end().end();
    sink_(text_ += "\n");
  }

 private:
  void timeline(std::string_view label) {
    names(in_.measured != nullptr && label.empty() ? "predicted: " : label);
    queues();
    stalls();
    near_memory(near_memory_over_time(in_.plan, in_.graph, *shown_));
    categories("far memory", far_memory_over_time(in_.plan, in_.graph, in_.costs, *shown_));
  }

  // From a copy in to the computes that wait for it, and from a compute to the copy out of its result.
  void find_flows() {
    std::vector<std::pair<StepId, FlowId>> leaving;
    std::vector<std::pair<StepId, FlowId>> arriving;
    const std::vector<Step>& steps = in_.plan.steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const StepId to = make_id<StepId>(i);
      for (const StepId from : in_.plan.waits[to]) {
        const StepKind before = steps[from.at()].kind;
        const bool fetched = before == StepKind::kToNear && steps[i].kind == StepKind::kCompute;
        const bool sent = before == StepKind::kCompute && steps[i].kind == StepKind::kToFar;
        if (!fetched && !sent) continue;
        const FlowId id = make_id<FlowId>(flows_.size());
        flows_.push_back({from, to});
        leaving.emplace_back(from, id);
        arriving.emplace_back(to, id);
      }
    }
    leaving_ = Csr<StepId, FlowId>(steps.size(), leaving);
    arriving_ = Csr<StepId, FlowId>(steps.size(), arriving);
  }

  void head() {
    const RunInputs& inputs = in_.inputs;
    const Timeline& timeline = in_.timeline;
    json_.begin_object().member("displayTimeUnit", "ms").line(0).begin_object("otherData");
    text("tool", "ooc-paleo").text("version", in_.tool.version).text("network", inputs.network);
    text("hardware", inputs.hardware).text("schedule", inputs.schedule);
    text("framework", inputs.framework);
    json_.member("batch", inputs.batch).member("budget_near_bytes", inputs.memory);
    json_.member("peak_near_bytes", timeline.peak_near);
    json_.member("iteration_time_ns", timeline.iteration_time);
    text("accounting", inputs.accounting).text("optimizer", inputs.optimizer);
    text("allocator", inputs.allocator).text("mode", inputs.mode).text("compute", inputs.compute);
    json_.begin_list("command");
    for (const std::string& word : in_.tool.command) json_.value(printable(word));
    json_.end();
    if (in_.measured != nullptr) {
      json_.member("measured_iteration_time_ns", in_.measured->iteration_time);
    }
    json_.end().line(0).begin_list("traceEvents");
  }

  /// Viewers show what JSON escapes.
  TraceWriter& text(std::string_view key, std::string_view text) {
    json_.member(key, printable(text));
    return *this;
  }

  /// Leaves the event open.
  JsonWriter& begin_event(std::string_view name, std::string_view phase) {
    if (text_.size() >= kPieceBytes) {
      sink_(text_);
      text_.clear();
    }
    json_.line(0).begin_object();
    return text("name", name).json_.member("ph", phase);
  }

  JsonWriter& put_track(int track) { return json_.member("pid", process_).member("tid", track); }

  JsonWriter& put_times(Duration start, Duration end) {
    return json_.member("ts", micros(start)).member("dur", micros(end - start));
  }

  void names(std::string_view label) {
    const std::string process =
        std::string(label) + fmt::format("{}, batch {}, {} on {}", in_.inputs.network,
                                         in_.inputs.batch, in_.inputs.schedule,
                                         in_.inputs.hardware);
    const auto name = [&](std::string_view what, int track, std::string_view text) {
      begin_event(what, "M");
      put_track(track).begin_object("args").member("name", printable(text)).end().end();
    };
    const auto sort = [&](std::string_view what, int track, int index) {
      begin_event(what, "M");
      put_track(track).begin_object("args").member("sort_index", index).end().end();
    };
    name("process_name", 0, process);
    if (in_.measured != nullptr) sort("process_sort_index", 0, process_);
    const std::pair<int, std::string_view> tracks[] = {
        {track_of(StepKind::kCompute), "compute"},
        {kStallTrack, "stalls of compute"},
        {track_of(StepKind::kToFar), "to far memory"},
        {track_of(StepKind::kToNear), "to near memory"}};
    const auto thread = [&](int track, std::string_view text) {
      name("thread_name", track, text);
      sort("thread_sort_index", track, track);
    };
    for (const auto& [track, text] : tracks) thread(track, text);
    if (in_.plan.has_far_compute()) thread(track_of(StepKind::kFarCompute), "far compute");
    if (!std::ranges::any_of(in_.plan.steps, &Step::exchange)) return;
    thread(track_of(StepKind::kToFar) + kExchangeTracks, "to other devices");
    thread(track_of(StepKind::kToNear) + kExchangeTracks, "from other devices");
  }

  void queues() {
    for (const StepKind kind :
         {StepKind::kCompute, StepKind::kToFar, StepKind::kToNear, StepKind::kFarCompute}) {
      for (const StepId step : in_.plan.queue(kind)) slice(step);
    }
  }

  void slice(StepId id) {
    const Step& step = in_.plan.steps[id.at()];
    const Span& span = shown_->spans[id.at()];
    const int track = track_of(step);
    begin_event(step_name(in_.plan, in_.graph, id), "X");
    json_.member("cat", runs_task(step.kind) ? "compute" : step.exchange ? "exchange" : "copy");
    put_track(track);
    put_times(span.start, span.end).begin_object("args");
    arguments(id);
    json_.end().end();
    for (const FlowId flow : arriving_[id]) {
      begin_event("waits for", "f").member("cat", "flow").member("id", first_flow_ + flow.at());
      json_.member("bp", "e");
      put_track(track).member("ts", micros(span.start)).end();
    }
    const Duration leaves = std::max(span.start, span.end - Duration(1));
    for (const FlowId flow : leaving_[id]) {
      begin_event("waits for", "s").member("cat", "flow").member("id", first_flow_ + flow.at());
      put_track(track).member("ts", micros(leaves)).end();
    }
  }

  void arguments(StepId id) {
    const Step& step = in_.plan.steps[id.at()];
    const Span& span = shown_->spans[id.at()];
    json_.member("step", id.index);
    if (!runs_task(step.kind)) {
      const Bytes bytes = in_.costs.tensor_bytes[static_cast<std::size_t>(step.object)];
      json_.member("bytes", bytes);
      const std::int64_t ns = (span.end - span.start).count();
      if (ns > 0) {
        const Int128 rate = Int128{bytes.count()} * 1'000'000'000 / ns;
        text("rate", format_rate(BytesPerSecond(static_cast<std::int64_t>(rate))));
      }
    } else if (step.recompute) {
      json_.member("recompute", true);
    }
    Bytes taken{0};
    for (const BlockId block : in_.plan.acquires[id]) taken += in_.plan.blocks[block.at()].bytes;
    if (taken.count() > 0) json_.member("takes_bytes", taken);
    std::string waits;
    for (const StepId wait : in_.plan.waits[id]) {
      waits += (waits.empty() ? "" : ", ") + step_name(in_.plan, in_.graph, wait);
    }
    if (!waits.empty()) text("waits", waits);
  }

  void stalls() {
    for (const Stall& stall : shown_->stalls) {
      begin_event(stall_name(stall.cause), "X").member("cat", "stall");
      put_track(kStallTrack);
      put_times(stall.start, stall.end).begin_object("args");
      if (stall.before) text("before", step_name(in_.plan, in_.graph, *stall.before));
      if (stall.culprit) text("because_of", step_name(in_.plan, in_.graph, *stall.culprit));
      json_.end().end();
    }
  }

  void near_memory(const std::vector<MemorySample>& samples) {
    std::optional<Bytes> shown;
    for (const MemorySample& sample : samples) {
      const Bytes bytes = sample.held.total();
      if (shown == bytes) continue;
      counter("near memory", sample.at).member("bytes", bytes).end().end();
      shown = bytes;
    }
    categories("near memory", samples);
  }

  /// Each category that there ever is.
  void categories(std::string_view memory, const std::vector<MemorySample>& samples) {
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
      const std::string name =
          fmt::format("{}: {}", memory, category_name(static_cast<MemoryCategory>(i)));
      std::optional<Bytes> shown;
      const bool any = std::ranges::any_of(
          samples, [&](const auto& sample) { return sample.held.bytes[i].count() > 0; });
      for (const MemorySample& sample : samples) {
        const Bytes bytes = sample.held.bytes[i];
        if (!any || shown == bytes) continue;
        counter(name, sample.at).member("bytes", bytes).end().end();
        shown = bytes;
      }
    }
  }

  /// Leaves its values open.
  JsonWriter& counter(std::string_view name, Duration at) {
    begin_event(name, "C");
    return put_track(0).member("ts", micros(at)).begin_object("args");
  }

  const TraceInput& in_;
  const TextSink& sink_;
  std::vector<Flow> flows_;
  const Timeline* shown_ = &in_.timeline;
  int process_ = 1;
  std::size_t first_flow_ = 0;
  Csr<StepId, FlowId> leaving_;
  Csr<StepId, FlowId> arriving_;
  std::string text_;
  JsonWriter json_{text_, JsonLayout::kCompact};
};

}  // namespace

void write_trace(const TraceInput& input, const TextSink& sink) {
  TraceWriter(input, sink).write();
}

}  // namespace ooc
