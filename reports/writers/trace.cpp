// The Trace Event Format ("JSON Object Format", Google's public description of it). Every queue is
// a thread: "X" events for steps, "s"/"f" pairs for arrows, "C" events for near memory. Timestamps
// are microseconds in that format; they are written from integer nanoseconds, three decimals,
// without rounding. Within a track events come in time order, and an arrow's ends lie inside
// slices: it leaves in the last nanosecond of the step that was waited for and arrives at the start
// of the waiting one.
#include "reports/writers/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/base/csr.hpp"
#include "model/base/quantity_io.hpp"
#include "model/base/terminal_text.hpp"
#include "reports/writers/json_string.hpp"
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

/// Viewers show what JSON escapes.
std::string json_text(std::string_view text) { return json_string(printable(text)); }

std::string micros(Duration instant) {
  return fmt::format("{}.{:03}", instant.count() / 1000, instant.count() % 1000);
}

// A process per device; in it the stalls stand right below the compute queue.
constexpr int kStallTrack = 2;
int track_of(StepKind kind) {
  switch (kind) {
    case StepKind::kCompute:
      return 1;
    case StepKind::kToFar:
      return 3;
    case StepKind::kToNear:
      return 4;
  }
  return 0;
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
      first_process_ += in_.plan.devices;
      first_flow_ += flows_.size();
      timeline("measured: ");
    }
    text_ += "\n]}\n";
    sink_(text_);
  }

 private:
  void timeline(std::string_view label) {
    for (int device = 0; device < in_.plan.devices; ++device) {
      names(device, in_.measured != nullptr && label.empty() ? "predicted: " : label);
      queues(device);
      stalls(device);
      near_memory(device);
    }
  }

  // From a copy in to the computes that wait for it, and from a compute to the copy out of its
  // result.
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
    text_ = fmt::format(
        "{{\"displayTimeUnit\":\"ms\",\n\"otherData\":{{\"tool\":\"ooc-paleo\",\"version\":{},"
        "\"network\":{},\"hardware\":{},\"schedule\":{},\"batch\":{},\"budget_near_bytes\":{},"
        "\"peak_near_bytes\":{},\"iteration_time_ns\":{},\"accounting\":{},\"optimizer\":{},"
        "\"allocator\":{},\"mode\":{},\"compute\":{},\"command\":[",
        json_text(in_.tool.version), json_text(inputs.network), json_text(inputs.hardware),
        json_text(inputs.schedule), inputs.batch, inputs.memory.count(),
        in_.timeline.peak_near.count(), in_.timeline.iteration_time.count(),
        json_text(inputs.accounting), json_text(inputs.optimizer), json_text(inputs.allocator),
        json_text(inputs.mode), json_text(inputs.compute));
    for (std::size_t i = 0; i < in_.tool.command.size(); ++i) {
      text_ += (i == 0 ? "" : ",") + json_text(in_.tool.command[i]);
    }
    text_ += "]";
    if (in_.measured != nullptr) {
      text_ +=
          fmt::format(",\"measured_iteration_time_ns\":{}", in_.measured->iteration_time.count());
    }
    text_ += "},\n\"traceEvents\":[";
  }

  // One event; `rest` is everything behind name and phase, without the closing brace.
  void event(std::string_view name, char phase, const std::string& rest) {
    text_ += fmt::format("{}\n{{\"name\":{},\"ph\":\"{}\",{}}}", first_ ? "" : ",", json_text(name),
                         phase, rest);
    first_ = false;
    if (text_.size() < kPieceBytes) return;
    sink_(text_);
    text_.clear();
  }

  [[nodiscard]] int process_of(int device) const { return first_process_ + device; }

  void names(int device, std::string_view label) {
    const std::string process =
        std::string(label) +
        fmt::format("{}, batch {}, {} on {}", in_.inputs.network, in_.inputs.batch,
                    in_.inputs.schedule, in_.inputs.hardware) +
        (in_.plan.devices > 1 ? fmt::format(", device {}", device) : "");
    event("process_name", 'M',
          fmt::format("\"pid\":{},\"tid\":0,\"args\":{{\"name\":{}}}", process_of(device),
                      json_text(process)));
    if (in_.measured != nullptr) {
      event(
          "process_sort_index", 'M',
          fmt::format("\"pid\":{0},\"tid\":0,\"args\":{{\"sort_index\":{0}}}", process_of(device)));
    }
    const std::pair<int, std::string_view> tracks[] = {
        {track_of(StepKind::kCompute), "compute"},
        {kStallTrack, "stalls of compute"},
        {track_of(StepKind::kToFar), "to far memory"},
        {track_of(StepKind::kToNear), "to near memory"}};
    for (const auto& [track, name] : tracks) {
      event("thread_name", 'M',
            fmt::format("\"pid\":{},\"tid\":{},\"args\":{{\"name\":{}}}", process_of(device), track,
                        json_text(name)));
      event("thread_sort_index", 'M',
            fmt::format("\"pid\":{0},\"tid\":{1},\"args\":{{\"sort_index\":{1}}}",
                        process_of(device), track));
    }
  }

  void queues(int device) {
    for (const StepKind kind : {StepKind::kCompute, StepKind::kToFar, StepKind::kToNear}) {
      const auto queue = static_cast<std::size_t>(queue_index(device, kind));
      if (queue >= in_.plan.queues.size()) continue;
      for (const StepId step : in_.plan.queues[queue]) slice(step);
    }
  }

  void slice(StepId id) {
    const Step& step = in_.plan.steps[id.at()];
    const Span& span = shown_->spans[id.at()];
    const std::string place =
        fmt::format("\"pid\":{},\"tid\":{}", process_of(step.device), track_of(step.kind));
    event(step_name(in_.plan, in_.graph, id), 'X',
          fmt::format("\"cat\":\"{}\",{},\"ts\":{},\"dur\":{},\"args\":{{{}}}",
                      step.kind == StepKind::kCompute ? "compute" : "copy", place,
                      micros(span.start), micros(span.end - span.start), arguments(id)));
    for (const FlowId flow : arriving_[id]) {
      event("waits for", 'f',
            fmt::format("\"cat\":\"flow\",\"id\":{},\"bp\":\"e\",{},\"ts\":{}",
                        first_flow_ + flow.at(), place, micros(span.start)));
    }
    const Duration leaves = std::max(span.start, span.end - Duration(1));
    for (const FlowId flow : leaving_[id]) {
      event("waits for", 's',
            fmt::format("\"cat\":\"flow\",\"id\":{},{},\"ts\":{}", first_flow_ + flow.at(), place,
                        micros(leaves)));
    }
  }

  std::string arguments(StepId id) const {
    const Step& step = in_.plan.steps[id.at()];
    const Span& span = shown_->spans[id.at()];
    std::string text = fmt::format("\"step\":{}", id.index);
    if (step.kind != StepKind::kCompute) {
      const Bytes bytes = in_.costs.tensor_bytes[static_cast<std::size_t>(step.object)];
      text += fmt::format(",\"bytes\":{}", bytes.count());
      const std::int64_t ns = (span.end - span.start).count();
      if (ns > 0) {
        const Int128 rate = Int128{bytes.count()} * 1'000'000'000 / ns;
        text +=
            fmt::format(",\"rate\":{}",
                        json_text(format_rate(BytesPerSecond(static_cast<std::int64_t>(rate)))));
      }
    } else if (step.recompute) {
      text += ",\"recompute\":true";
    }
    Bytes taken{0};
    for (const BlockId block : in_.plan.acquires[id]) taken += in_.plan.blocks[block.at()].bytes;
    if (taken.count() > 0) text += fmt::format(",\"takes_bytes\":{}", taken.count());
    std::string waits;
    for (const StepId wait : in_.plan.waits[id]) {
      waits += (waits.empty() ? "" : ", ") + step_name(in_.plan, in_.graph, wait);
    }
    if (!waits.empty()) text += ",\"waits\":" + json_text(waits);
    return text;
  }

  void stalls(int device) {
    for (const Stall& stall : shown_->stalls) {
      if (stall.device != device) continue;
      std::string args;
      if (stall.before.has_value()) {
        args += "\"before\":" + json_text(step_name(in_.plan, in_.graph, *stall.before));
      }
      if (stall.culprit.has_value()) {
        args += (args.empty() ? "\"because_of\":" : ",\"because_of\":") +
                json_text(step_name(in_.plan, in_.graph, *stall.culprit));
      }
      event(stall_name(stall.cause), 'X',
            fmt::format("\"cat\":\"stall\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},"
                        "\"args\":{{{}}}",
                        process_of(device), kStallTrack, micros(stall.start),
                        micros(stall.end - stall.start), args));
    }
  }

  void near_memory(int device) {
    for (const MemorySample& sample :
         near_memory_over_time({in_.plan, *shown_, in_.inputs.memory, device})) {
      event("near memory", 'C',
            fmt::format("\"pid\":{},\"tid\":0,\"ts\":{},\"args\":{{\"bytes\":{}}}",
                        process_of(device), micros(sample.at), sample.bytes.count()));
    }
  }

  const TraceInput& in_;
  const TextSink& sink_;
  std::vector<Flow> flows_;
  const Timeline* shown_ = &in_.timeline;
  int first_process_ = 1;
  std::size_t first_flow_ = 0;
  Csr<StepId, FlowId> leaving_;
  Csr<StepId, FlowId> arriving_;
  std::string text_;
  bool first_ = true;
};

}  // namespace

void write_trace(const TraceInput& input, const TextSink& sink) {
  TraceWriter(input, sink).write();
}

}  // namespace ooc
