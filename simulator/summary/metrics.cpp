// One line per metric: its column, how to read it, and its place in JSON; docs/formats.md, 5 says what it is.
#include "simulator/summary/metrics.hpp"

#include <fmt/format.h>

#include <cmath>
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

bool has_sequence(const RunInputs& inputs) {
  return contains(inputs.columns, "seq") || find_named(inputs.symbols, "seq") != nullptr;
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
  return contains(inputs.columns, "offload") || !inputs.offload.empty();
}

bool has_devices(const RunInputs& inputs) { return inputs.devices > 1; }

template <StallCause kCause, bool (*kAsked)(const RunInputs&)>
Value stall_if(const Report& report) {
  return kAsked(report.inputs) ? stall<kCause>(report) : Value{};
}

/// An input that few jobs have.
constexpr Metric rare(std::string_view name, Value (*read)(const Report&),
                      std::optional<std::string_view> own_key = {}) {
  return {name, read, "inputs", own_key, nullptr};
}

constexpr Metric kMetrics[] = {
    // The job.
    {"network", input<&RunInputs::network>, "inputs"},
    {"hardware", input<&RunInputs::hardware>, "inputs"},
    {"batch", input<&RunInputs::batch>, "inputs"},
    {"schedule", input<&RunInputs::schedule>, "inputs"},
    {"memory_bytes", input<&RunInputs::memory>, "inputs"},
    {"memory_given", input<&RunInputs::memory_given>, "inputs"},
    {"accounting", input<&RunInputs::accounting>, "inputs"},
    {"optimizer", input<&RunInputs::optimizer>, "inputs"},
    {"allocator", input<&RunInputs::allocator>, "inputs"},
    {"mode", input<&RunInputs::mode>, "inputs"},
    {"compute", input<&RunInputs::compute>, "inputs"},
    {"link_bytes_per_s", input<&RunInputs::transfers, &TransferOptions::link>, "inputs"},
    {"far_throughput_bytes_per_s", input<&RunInputs::transfers, &TransferOptions::far_throughput>,
     "inputs"},
    {"latency_ns", input<&RunInputs::transfers, &TransferOptions::latency>, "inputs"},
    {"layer_times", input<&RunInputs::layer_times>, "inputs"},
    // Its result.
    {"feasible", field<&Report::feasible>},
    {"iteration_time_ns", ran<&Report::iteration_time>},
    {"samples_per_s", ran<&Report::samples_per_s>},
    {"compute_time_ns", ran<&Report::compute_time>},
    {"reference_time_ns", field<&Report::reference_time>},
    {"slowdown", ran<&Report::slowdown>},
    {"lower_bound_ns", field<&Report::lower_bound>},
    {"peak_near_bytes", ran<&Report::peak_near>},
    {"budget_near_bytes", field<&Report::budget_near>},
    {"peak_far_bytes", ran<&Report::peak_far>},
    {"in_core_peak_bytes", field<&Report::in_core_peak>},
    {"to_far_bytes", ran<&Report::to_far>},
    {"to_near_bytes", ran<&Report::to_near>},
    {"compute_utilization", ran<&Report::compute_utilization>},
    {"stall_dependency_ns", stall<StallCause::kDependency>, "stalls_ns", "dependency"},
    {"stall_swap_in_ns", stall<StallCause::kSwapIn>, "stalls_ns", "swap_in"},
    {"stall_swap_out_ns", stall<StallCause::kSwapOut>, "stalls_ns", "swap_out"},
    {"stall_memory_ns", stall<StallCause::kMemory>, "stalls_ns", "memory"},
    {"stall_fault_ns", stall<StallCause::kFault>, "stalls_ns", "fault"},
    {"stall_recompute_ns", stall<StallCause::kRecompute>, "stalls_ns", "recompute"},
    {"stall_launch_ns", stall<StallCause::kLaunch>, "stalls_ns", "launch"},
    {"parameters", field<&Report::parameters>},
    {"saved_bytes", field<&Report::saved>},
    {"static_bytes", field<&Report::static_bytes>},
    {"forward_macs_per_sample", field<&Report::forward_macs_per_sample>},
    {"limited_by", ran<&Report::limited_by>},
    {"limited_share", ran<&Report::limited_share>},
    {"link_limited_by", field<&Report::link_limited_by>},
    // An input, but a later one: the places of older columns stay.
    {"schedule_options", input<&RunInputs::options>, "inputs"},
    {"sub_batch", field<&Report::sub_batch>},
    {"rounds", field<&Report::rounds>},
    {"devices", input<&RunInputs::devices>, "inputs"},
    {"exchange",
     [](const Report& r) -> Value {
       if (r.inputs.devices == 1 || r.inputs.exchange.empty()) return {};
       return r.inputs.exchange;
     },
     "inputs"},
    {"gap",
     [](const Report& r) -> Value {
       if (!r.feasible || !r.lower_bound || r.lower_bound->count() == 0) return {};
       return r.iteration_time / *r.lower_bound - 1;
     }},
    {"dtype", input<&RunInputs::dtype>, "inputs"},
    {"closed_form_time_ns", part<&Report::paper, &PaperEstimate::time>},
    {"closed_form_equations",
     [](const Report& r) -> Value {
       if (!r.paper || !r.paper->time) return {};
       return r.paper->equations;
     }},
    {"framework", input<&RunInputs::framework>, "inputs"},
    {"far_memory_bytes", input<&RunInputs::far_memory>, "inputs"},
    // What a job that does not fit lacks.
    {"oom_step", kOom<&OutOfMemory::step>, "out_of_memory", "step"},
    {"oom_wanted_bytes", kOom<&OutOfMemory::wanted>, "out_of_memory", "wanted_bytes"},
    {"oom_free_bytes", kOom<&OutOfMemory::free>, "out_of_memory", "free_bytes"},
    {"oom_largest_hole_bytes", kOom<&OutOfMemory::largest_hole>, "out_of_memory",
     "largest_hole_bytes"},
    {"smallest_budget_bytes", kOom<&OutOfMemory::smallest_budget>, "out_of_memory"},
    {"oom_tier", kOom<&OutOfMemory::tier>, "out_of_memory", "tier"},
    {"least_budget_bytes", kOom<&OutOfMemory::least_budget>, "out_of_memory"},
    {"far_taken_bytes", kOom<&OutOfMemory::far_taken>, "out_of_memory"},
    // Inputs that few jobs have: a column, and a JSON key if named, only where given.
    rare("link_to_far_bytes_per_s", input<&RunInputs::transfers, &TransferOptions::link_to_far>),
    rare("link_to_near_bytes_per_s", input<&RunInputs::transfers, &TransferOptions::link_to_near>),
    rare("duplex", input<&RunInputs::transfers, &TransferOptions::duplex>),
    rare("compute_scale", input<&RunInputs::compute_scale>),
    rare("host_speed", input<&RunInputs::host_speed>),
    rare("adam", text<&RunInputs::adam>),
    rare("far_compute_bytes_per_s", input<&RunInputs::far_compute>),
    // JSON of one run has these elsewhere.
    rare("offload", text<&RunInputs::offload>, ""),
    rare("expert_parallel",
         [](const Report& r) -> Value {
           const RunInputs& in = r.inputs;
           const bool is_there = in.expert_parallel > 1 || contains(in.columns, "expert_parallel");
           return is_there ? Value{in.expert_parallel} : Value{};
         }),
    {"stall_update_ns", stall_if<StallCause::kUpdate, has_state>, "stalls_ns", "update",
     &has_state},
    rare("precision", text<&RunInputs::precision>, ""),
    rare(
        "symbols", [](const Report& r) { return other_symbols(r.inputs); }, ""),
    rare(
        "seq", [](const Report& r) { return symbol_in(r.inputs, "seq"); }, ""),
    rare(
        "target_seq", [](const Report& r) { return symbol_in(r.inputs, "target_seq"); }, ""),
    {"tokens_per_s", part<&Report::sequence, &SequenceRates::tokens_per_s>, "", "", &has_sequence},
    {"mfu", part<&Report::sequence, &SequenceRates::mfu>, "", "", &has_sequence},
    {"stall_hooks_ns", stall_if<StallCause::kHooks, has_state>, "stalls_ns", "hooks", &has_state},
    {"stall_exchange_ns", stall_if<StallCause::kExchange, has_devices>, "stalls_ns", "exchange",
     &has_devices},
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
  return contains(report.inputs.columns, column.name) ||
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
