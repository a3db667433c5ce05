// Names are those of the result format, so that what a formula says can be looked up in the JSON of the
// same command.
#include "cli/validate/run_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <span>

#include "model/base/quantity_io.hpp"
#include "simulator/summary/memory_use.hpp"
#include "simulator/summary/metrics.hpp"

namespace ooc {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Texts have no place in formulas.
bool is_text(const MetricValue& value) { return std::holds_alternative<std::string>(value); }

double number_of(const MetricValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return kNone;
}

void add_metrics(const RunReport& report, RunFigures& figures) {
  for (const Metric* column : columns_for(report.inputs)) {
    const MetricValue value = column->read(report);
    if (!is_text(value)) figures.numbers.emplace(column->name, number_of(value));
  }
}

std::string why_not(const RunReport& report) {
  if (report.feasible || !report.out_of_memory) return "";
  const OutOfMemory& oom = *report.out_of_memory;
  std::string text = "does not fit";
  if (oom.smallest_budget) {
    text += fmt::format(" (needs {}, has {})", format_bytes(*oom.smallest_budget),
                        format_bytes(report.budget_near));
  }
  return text;
}

/// Over time: each size counts as long as it lasts.
double mean_near_bytes(const Case& which, const CaseRun& run) {
  const Plan* plan = std::get_if<Plan>(&run.verdict());
  const Timeline* timeline = run.outcome ? std::get_if<Timeline>(&*run.outcome) : nullptr;
  if (plan == nullptr || timeline == nullptr || timeline->iteration_time.count() == 0) return kNone;
  const std::vector<MemorySample> samples =
      near_memory_over_time({.plan = *plan, .timeline = *timeline, .budget = which.budget});
  double area = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Duration end = i + 1 < samples.size() ? samples[i + 1].at : timeline->iteration_time;
    area += static_cast<double>(samples[i].bytes.count()) *
            static_cast<double>((end - samples[i].at).count());
  }
  return area / static_cast<double>(timeline->iteration_time.count());
}

template <class Report>
void add_layers(const Report& report, RunFigures& figures) {
  Duration forward;
  Duration backward;
  Duration update;
  for (const LayerReport& layer : report.layers) {
    forward += layer.forward;
    backward += layer.backward;
    update += layer.update;
  }
  figures.numbers.emplace("forward_ns", static_cast<double>(forward.count()));
  figures.numbers.emplace("backward_ns", static_cast<double>(backward.count()));
  figures.numbers.emplace("update_ns", static_cast<double>(update.count()));
}

/// The slowest link at which every section of a section-wise schedule hides its copies: that of a layer
/// moves what the layer before it saves, out in forward and in in backward. The first has nothing to move.
double sections_link(const RunReport& report) {
  double link = 0;
  for (std::size_t i = 1; i < report.layers.size(); ++i) {
    const auto bytes = static_cast<double>(report.layers[i - 1].saved.count());
    const Duration shorter = std::min(report.layers[i].forward, report.layers[i].backward);
    if (bytes > 0 && shorter.count() > 0) {
      link = std::max(link, bytes * 1e9 / static_cast<double>(shorter.count()));
    }
  }
  return link;
}

bool is_backward(TaskKind kind) {
  return kind == TaskKind::kBackward || kind == TaskKind::kBackwardData ||
         kind == TaskKind::kBackwardWeights;
}

bool is_of_copies(StallCause cause) {
  return cause == StallCause::kSwapIn || cause == StallCause::kSwapOut ||
         cause == StallCause::kMemory;
}

/// Of the layers that have a backward pass, the share whose backward tasks wait for copies or for room.
double backward_layers_delayed(const Case& which, const CaseRun& run) {
  const Plan* plan = std::get_if<Plan>(&run.verdict());
  const Timeline* timeline = run.outcome ? std::get_if<Timeline>(&*run.outcome) : nullptr;
  if (plan == nullptr || timeline == nullptr) return kNone;
  const TrainingGraph& graph = run.graph(which);
  std::set<std::size_t> all;
  std::set<std::size_t> delayed;
  for (const Task& task : graph.tasks) {
    if (is_backward(task.kind)) all.insert(task.layer.at());
  }
  for (const Stall& stall : timeline->stalls) {
    if (!is_of_copies(stall.cause) || !stall.before.has_value()) continue;
    const Step& step = plan->steps[stall.before->at()];
    const Task& task = graph.tasks[static_cast<std::size_t>(step.object)];
    if (is_backward(task.kind)) delayed.insert(task.layer.at());
  }
  return all.empty() ? kNone
                     : static_cast<double>(delayed.size()) / static_cast<double>(all.size());
}

}  // namespace

RunFigures figures_of_run(const RunReport& report, const Case& which, const CaseRun& run) {
  RunFigures figures;
  add_metrics(report, figures);
  add_layers(report, figures);
  figures.numbers.emplace("sections_link_bytes_per_s", sections_link(report));
  figures.numbers.emplace("mean_near_bytes", mean_near_bytes(which, run));
  figures.numbers.emplace("backward_layers_delayed", backward_layers_delayed(which, run));
  figures.note = why_not(report);
  return figures;
}

std::map<std::string, RunFigures> figures_of_layers(const RunReport& report, const Case& which,
                                                    const CaseRun& run) {
  std::map<std::string, RunFigures> layers;
  const Plan* plan = std::get_if<Plan>(&run.verdict());
  const Timeline* timeline = run.outcome ? std::get_if<Timeline>(&*run.outcome) : nullptr;
  const bool ran = plan != nullptr && timeline != nullptr;
  for (const LayerReport& layer : report.layers) {
    RunFigures& figures = layers[layer.name];
    figures.note = why_not(report);
    figures.numbers = {{"forward_ns", static_cast<double>(layer.forward.count())},
                       {"backward_ns", static_cast<double>(layer.backward.count())},
                       {"forward_wait_ns", ran ? 0 : kNone},
                       {"backward_wait_ns", ran ? 0 : kNone}};
  }
  if (!ran) return layers;
  const TrainingGraph& graph = run.graph(which);
  for (const Stall& stall : timeline->stalls) {
    if (!stall.before || stall.device != 0) continue;
    const Step& step = plan->steps[stall.before->at()];
    const Task& task = graph.tasks[static_cast<std::size_t>(step.object)];
    const bool backward = is_backward(task.kind);
    const std::size_t layer = task.layer.at();
    if ((!backward && task.kind != TaskKind::kForward) || layer >= report.layers.size()) continue;
    layers[report.layers[layer].name].numbers[backward ? "backward_wait_ns" : "forward_wait_ns"] +=
        static_cast<double>((stall.end - stall.start).count());
  }
  return layers;
}

RunFigures figures_of_max_batch(const MaxBatchRow& row) {
  RunFigures figures;
  add_metrics(row.run.value_or(RunReport{}), figures);
  if (!row.run) {
    for (auto& [name, value] : figures.numbers) value = kNone;
    figures.note = "fits no batch";
  }
  figures.numbers["feasible"] = row.largest > 0 ? 1 : 0;
  figures.numbers.emplace("max_batch", static_cast<double>(row.largest));
  return figures;
}

RunFigures figures_of_inspection(const NetworkReport& report) {
  RunFigures figures;
  const auto add = [&](const char* name, std::int64_t value) {
    figures.numbers.emplace(name, static_cast<double>(value));
  };
  add("batch", report.batch);
  add("layers", static_cast<std::int64_t>(report.layers.size()));
  add("parameters", report.parameters);
  add("forward_macs_per_sample", report.forward_macs_per_sample);
  add("forward_macs", report.forward_macs);
  add("forward_flops", report.forward_flops);
  add("backward_flops", report.backward_flops);
  add("saved_bytes", report.saved.count());
  add("static_bytes", report.static_bytes.count());
  add("in_core_peak_bytes", report.in_core_peak.count());
  figures.numbers.emplace("compute_time_ns", report.compute_time
                                                 ? static_cast<double>(report.compute_time->count())
                                                 : kNone);
  add_layers(report, figures);
  return figures;
}

RunFigures figures_of_replay(const std::string& path, const ReadLimits& limits) {
  const SpecDocument document = read_spec_file(path, limits);
  const SpecView root(document);
  (void)root.get("format").as_choice({"ooc-paleo/replay"});
  (void)root.get("version").as_integer(1, 1);
  const SpecView inputs = root.get("inputs");
  const SpecView time = root.get("iteration_time_ns");
  const double predicted = time.get("predicted").as_number();
  const double measured = time.get("measured").as_number();
  if (!(predicted > 0)) time.get("predicted").fail(time.get("predicted").found(), "a time above 0");
  if (!(measured > 0)) time.get("measured").fail(time.get("measured").found(), "a time above 0");

  RunFigures figures;
  figures.numbers.emplace("predicted_ns", predicted);
  figures.numbers.emplace("measured_ns", measured);
  figures.numbers.emplace("error", predicted / measured - 1);
  figures.numbers.emplace("spread", root.get("spread").as_number());
  figures.numbers.emplace("batch", inputs.get("batch").as_number());
  const SpecView peak = root.get("memory").get("peak_near_bytes");
  figures.numbers.emplace("predicted_peak_near_bytes", peak.get("predicted").as_number());
  figures.numbers.emplace("measured_peak_near_bytes", peak.get("measured").as_number());
  const Bytes memory(inputs.get("memory_bytes").as_integer(0, kMaxTotalBytes));
  figures.label =
      fmt::format("{} {} {} {} {}", inputs.get("network").as_text(),
                  inputs.get("batch").as_integer(1, kMaxBatch), inputs.get("schedule").as_text(),
                  format_bytes(memory), root.get("run").get("mode").as_text());
  return figures;
}

}  // namespace ooc
