// One line per metric: its column, its place in JSON, what it is, and how to read it.
#include "simulator/summary/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "model/base/named.hpp"

namespace ooc {
namespace {

using Report = RunReport;
using Value = MetricValue;

Value value_of(bool held) { return held; }
Value value_of(int held) { return std::int64_t{held}; }
Value value_of(std::int64_t held) { return held; }
Value value_of(double held) { return held; }
Value value_of(const std::string& held) { return held; }
Value value_of(Bytes held) { return held.count(); }
Value value_of(Duration held) { return held.count(); }
Value value_of(OutOfMemory::Tier held) {
  return std::string(held == OutOfMemory::Tier::kFar ? "far" : "near");
}
Value value_of(Ratio held) { return held / kOne; }
Value value_of(BytesPerSecond held) {
  if (held == kInfiniteRate) return std::string("inf");
  return held.count();
}
template <class Held>
Value value_of(const std::optional<Held>& held) {
  return held ? value_of(*held) : Value{};
}

// Readers of a member; ran, stall: unknown where the run did not take place.
template <auto kMember>
Value field(const Report& report) {
  return value_of(report.*kMember);
}
template <auto... kPath>
Value input(const Report& report) {
  return value_of((report.inputs.*....*kPath));
}
template <auto kMember>
Value ran(const Report& report) {
  return report.feasible ? value_of(report.*kMember) : Value{};
}
template <StallCause kCause>
Value stall(const Report& report) {
  return report.feasible ? value_of(report.stalls[static_cast<std::size_t>(kCause)]) : Value{};
}
/// An input that empty text leaves out.
template <auto kMember>
Value text(const Report& report) {
  return (report.inputs.*kMember).empty() ? Value{} : value_of(report.inputs.*kMember);
}
/// A member of what not every report has.
template <auto kPart, auto kMember>
Value part(const Report& report) {
  return report.*kPart ? value_of(*(report.*kPart).*kMember) : Value{};
}
template <auto kMember>
constexpr auto kOom = part<&Report::out_of_memory, kMember>;

Value symbol_in(const RunInputs& inputs, std::string_view name) {
  const SymbolValue* symbol = find_named(inputs.symbols, name);
  return symbol != nullptr ? Value{symbol->value} : Value{};
}

bool is_asked(const RunInputs& inputs, std::string_view column) {
  return std::ranges::find(inputs.columns, column) != inputs.columns.end();
}

bool has_sequence(const RunInputs& inputs) {
  return is_asked(inputs, "seq") || find_named(inputs.symbols, "seq") != nullptr;
}

/// Those without a column of their own: "rank=8,depth=2".
Value other_symbols(const RunInputs& inputs) {
  std::vector<SymbolValue> others;
  for (const SymbolValue& each : inputs.symbols) {
    if (each.name != "seq" && each.name != "target_seq") others.push_back(each);
  }
  if (others.empty()) return {};
  return symbols_text(others);
}

bool has_state(const RunInputs& inputs) {
  return is_asked(inputs, "offload") || !inputs.offload.empty();
}

constexpr Metric kMetrics[] = {
    // The job.
    {"network", "inputs", "network", "name of the network", input<&RunInputs::network>},
    {"hardware", "inputs", "hardware", "name of the hardware profile", input<&RunInputs::hardware>},
    {"batch", "inputs", "batch", "samples per iteration", input<&RunInputs::batch>},
    {"schedule", "inputs", "schedule", "name of the schedule", input<&RunInputs::schedule>},
    {"memory_bytes", "inputs", "memory_bytes", "near-memory budget, static bytes included",
     input<&RunInputs::memory>},
    {"memory_given", "inputs", "memory_given", "whether --memory set the budget",
     input<&RunInputs::memory_given>},
    {"accounting", "inputs", "accounting", "memory accounting rule", input<&RunInputs::accounting>},
    {"optimizer", "inputs", "optimizer", "optimiser, for its state in near memory",
     input<&RunInputs::optimizer>},
    {"allocator", "inputs", "allocator", "near-memory allocator", input<&RunInputs::allocator>},
    {"mode", "inputs", "mode", "transfer mode", input<&RunInputs::mode>},
    {"compute", "inputs", "compute", "compute model", input<&RunInputs::compute>},
    {"link_bytes_per_s", "inputs", "link_bytes_per_s", "--link, both directions",
     input<&RunInputs::transfers, &TransferOptions::link>},
    {"far_throughput_bytes_per_s", "inputs", "far_throughput_bytes_per_s", "--far-throughput",
     input<&RunInputs::transfers, &TransferOptions::far_throughput>},
    {"latency_ns", "inputs", "latency_ns", "--latency",
     input<&RunInputs::transfers, &TransferOptions::latency>},
    {"layer_times", "inputs", "layer_times", "layers whose time came from --layer-times",
     input<&RunInputs::layer_times>},
    // Its result.
    {"feasible", "", "feasible", "whether the job fits", field<&Report::feasible>},
    {"iteration_time_ns", "", "iteration_time_ns",
     "from the start of the first step to the end of the last", ran<&Report::iteration_time>},
    {"samples_per_s", "", "samples_per_s", "batch / iteration time", ran<&Report::samples_per_s>},
    {"compute_time_ns", "", "compute_time_ns", "sum of this plan's first-run tasks",
     ran<&Report::compute_time>},
    {"reference_time_ns", "", "reference_time_ns",
     "sum of all tasks with the fastest algorithms that it may use",
     field<&Report::reference_time>},
    {"slowdown", "", "slowdown", "iteration time / reference time", ran<&Report::slowdown>},
    {"lower_bound_ns", "", "lower_bound_ns",
     "no schedule of this task order and budget can beat it", field<&Report::lower_bound>},
    {"peak_near_bytes", "", "peak_near_bytes", "largest near-memory use, static bytes included",
     ran<&Report::peak_near>},
    {"budget_near_bytes", "", "budget_near_bytes",
     "near memory that may be used, static bytes included", field<&Report::budget_near>},
    {"peak_far_bytes", "", "peak_far_bytes", "largest number of bytes with a far copy alive",
     ran<&Report::peak_far>},
    {"in_core_peak_bytes", "", "in_core_peak_bytes", "near-memory peak when nothing moves",
     field<&Report::in_core_peak>},
    {"to_far_bytes", "", "to_far_bytes", "bytes copied to far memory", ran<&Report::to_far>},
    {"to_near_bytes", "", "to_near_bytes", "bytes copied to near memory", ran<&Report::to_near>},
    {"compute_utilization", "", "compute_utilization", "compute time / iteration time",
     ran<&Report::compute_utilization>},
    {"stall_dependency_ns", "stalls_ns", "dependency", "compute waits for another step",
     stall<StallCause::kDependency>},
    {"stall_swap_in_ns", "stalls_ns", "swap_in", "compute waits for a copy to near memory",
     stall<StallCause::kSwapIn>},
    {"stall_swap_out_ns", "stalls_ns", "swap_out", "compute waits for a copy to far memory",
     stall<StallCause::kSwapOut>},
    {"stall_memory_ns", "stalls_ns", "memory", "compute waits for near memory to be freed",
     stall<StallCause::kMemory>},
    {"stall_fault_ns", "stalls_ns", "fault", "compute waits for page faults",
     stall<StallCause::kFault>},
    {"stall_recompute_ns", "stalls_ns", "recompute", "tasks that are run again, or compress",
     stall<StallCause::kRecompute>},
    {"stall_launch_ns", "stalls_ns", "launch", "compute waits for the host to issue it",
     stall<StallCause::kLaunch>},
    {"parameters", "", "parameters", "parameters, frozen ones too", field<&Report::parameters>},
    {"saved_bytes", "", "saved_bytes", "what backward reads of the forward pass",
     field<&Report::saved>},
    {"static_bytes", "", "static_bytes", "weights, their gradients, optimiser state",
     field<&Report::static_bytes>},
    {"forward_macs_per_sample", "", "forward_macs_per_sample",
     "multiply-accumulates of one sample, forward", field<&Report::forward_macs_per_sample>},
    {"limited_by", "", "limited_by", "largest cause of loss, compute where none costs 5 %",
     ran<&Report::limited_by>},
    {"limited_share", "", "limited_share", "its share of the iteration; the busy share for compute",
     ran<&Report::limited_share>},
    {"link_limited_by", "", "link_limited_by", "what binds the rate of copies",
     field<&Report::link_limited_by>},
    // An input, but a later one: the places of older columns stay.
    {"schedule_options", "inputs", "schedule_options",
     "the schedule's options where they are not the defaults", input<&RunInputs::options>},
    {"sub_batch", "", "sub_batch", "samples of a round; the batch where there is one round",
     field<&Report::sub_batch>},
    {"rounds", "", "rounds", "rounds of an iteration; gradients add up, one update",
     field<&Report::rounds>},
    {"devices", "inputs", "devices", "devices that the batch is split over",
     input<&RunInputs::devices>},
    {"exchange", "inputs", "exchange", "when several devices exchange gradients",
     [](const Report& r) -> Value {
       if (r.inputs.devices == 1 || r.inputs.exchange.empty()) return {};
       return r.inputs.exchange;
     }},
    {"gap", "", "gap", "iteration time above the lower bound, as a share of it",
     [](const Report& r) -> Value {
       if (!r.feasible || !r.lower_bound || r.lower_bound->count() == 0) return {};
       return r.iteration_time / *r.lower_bound - 1;
     }},
    {"dtype", "inputs", "dtype", "element type that the network is computed in",
     input<&RunInputs::dtype>},
    {"closed_form_time_ns", "", "closed_form_time_ns", "what OOC-Paleo's closed form says of it",
     part<&Report::paper, &PaperEstimate::time>},
    {"closed_form_equations", "", "closed_form_equations", "the closed form's equations",
     [](const Report& r) -> Value {
       if (!r.paper || !r.paper->time) return {};
       return r.paper->equations;
     }},
    {"framework", "inputs", "framework", "name of the framework", input<&RunInputs::framework>},
    {"far_memory_bytes", "inputs", "far_memory_bytes", "capacity of far memory",
     input<&RunInputs::far_memory>},
    // What a job that does not fit lacks.
    {"oom_step", "out_of_memory", "step", "the step that cannot get its memory",
     kOom<&OutOfMemory::step>},
    {"oom_wanted_bytes", "out_of_memory", "wanted_bytes", "bytes it needs at once",
     kOom<&OutOfMemory::wanted>},
    {"oom_free_bytes", "out_of_memory", "free_bytes", "bytes that are free",
     kOom<&OutOfMemory::free>},
    {"oom_largest_hole_bytes", "out_of_memory", "largest_hole_bytes",
     "largest contiguous free range", kOom<&OutOfMemory::largest_hole>},
    {"smallest_budget_bytes", "out_of_memory", "smallest_budget_bytes",
     "that budget suffices, one byte less does not", kOom<&OutOfMemory::smallest_budget>},
    {"oom_tier", "out_of_memory", "tier", "the memory that is too small", kOom<&OutOfMemory::tier>},
    // Inputs that few jobs have: a column, and a JSON key if named, only where given.
    {"link_to_far_bytes_per_s", "inputs", "link_to_far_bytes_per_s", "--link-to-far",
     input<&RunInputs::transfers, &TransferOptions::link_to_far>, nullptr},
    {"link_to_near_bytes_per_s", "inputs", "link_to_near_bytes_per_s", "--link-to-near",
     input<&RunInputs::transfers, &TransferOptions::link_to_near>, nullptr},
    {"duplex", "inputs", "duplex", "--duplex",
     input<&RunInputs::transfers, &TransferOptions::duplex>, nullptr},
    {"compute_scale", "inputs", "compute_scale", "--compute-scale",
     input<&RunInputs::compute_scale>, nullptr},
    {"adam", "inputs", "adam", "--adam", text<&RunInputs::adam>, nullptr},
    {"far_compute_bytes_per_s", "inputs", "far_compute_bytes_per_s", "--far-compute",
     input<&RunInputs::far_compute>, nullptr},
    // JSON of one run has these elsewhere.
    {"offload", "inputs", "", "what of the state is far, and how it moves",
     text<&RunInputs::offload>, nullptr},
    {"expert_parallel", "inputs", "expert_parallel", "devices over which experts are split",
     [](const Report& r) -> Value {
       const RunInputs& in = r.inputs;
       const bool is_there = in.expert_parallel > 1 || is_asked(in, "expert_parallel");
       return is_there ? Value{in.expert_parallel} : Value{};
     },
     nullptr},
    {"stall_update_ns", "stalls_ns", "update", "compute waits for updates in far memory",
     [](const Report& r) -> Value {
       return has_state(r.inputs) ? stall<StallCause::kUpdate>(r) : Value{};
     },
     &has_state},
    {"precision", "inputs", "", "element types by class of data", text<&RunInputs::precision>,
     nullptr},
    {"symbols", "inputs", "", "values of the network's symbols but seq and target_seq",
     [](const Report& r) { return other_symbols(r.inputs); }, nullptr},
    {"seq", "inputs", "", "length of the sequence",
     [](const Report& r) { return symbol_in(r.inputs, "seq"); }, nullptr},
    {"target_seq", "inputs", "", "length of the decoder's sequence",
     [](const Report& r) { return symbol_in(r.inputs, "target_seq"); }, nullptr},
    {"tokens_per_s", "", "", "batch x seq / iteration time",
     part<&Report::sequence, &SequenceRates::tokens_per_s>, &has_sequence},
    {"mfu", "", "", "the model's own FLOPs / (iteration time x peak rate)",
     part<&Report::sequence, &SequenceRates::mfu>, &has_sequence},
};

}  // namespace

std::span<const Metric> metrics() { return kMetrics; }

std::vector<const Metric*> columns_for(const RunInputs& inputs) {
  std::vector<const Metric*> columns;
  RunReport asked;
  asked.inputs = inputs;
  for (const Metric& column : kMetrics) {
    if (is_given(column, asked)) columns.push_back(&column);
  }
  return columns;
}

bool is_given(const Metric& column, const RunReport& report) {
  if (column.is_there != nullptr && column.is_there(report.inputs)) return true;
  return is_asked(report.inputs, column.name) ||
         !std::holds_alternative<std::monostate>(column.read(report));
}

std::string metric_text(const MetricValue& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          return "";
        } else if constexpr (std::is_same_v<Held, bool>) {
          return held ? "true" : "false";
        } else if constexpr (std::is_same_v<Held, double>) {
          return std::isfinite(held) ? fmt::format("{}", held) : "";
        } else {
          return fmt::format("{}", held);
        }
      },
      value);
}

}  // namespace ooc
