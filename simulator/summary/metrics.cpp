// One line per metric: its column, its place in JSON, what it is, and how to read it.
#include "simulator/summary/metrics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <type_traits>

namespace ooc {
namespace {

using Report = RunReport;
using Value = MetricValue;

/// Numbers of a run that took place.
template <class Number>
Value if_ran(const Report& report, Number number) {
  if (!report.feasible) return {};
  return number;
}

Value ran_ns(const Report& report, Duration duration) { return if_ran(report, duration.count()); }
Value ran_bytes(const Report& report, Bytes bytes) { return if_ran(report, bytes.count()); }
Value stall_ns(const Report& report, StallCause cause) {
  return ran_ns(report, report.stalls[static_cast<std::size_t>(cause)]);
}

Value optional_rate(const std::optional<BytesPerSecond>& rate) {
  if (!rate.has_value()) return {};
  if (*rate == kInfiniteRate) return std::string("inf");
  return rate->count();
}

template <class Quantity>
Value optional_count(const std::optional<Quantity>& quantity) {
  if (!quantity.has_value()) return {};
  return quantity->count();
}

/// A value of the OutOfMemory, where there is one.
template <class Read>
Value of_oom(const Report& report, Read read) {
  if (!report.out_of_memory.has_value()) return {};
  return read(*report.out_of_memory);
}

constexpr Metric kInputs[] = {
    {"network", "inputs", "network", "name of the network",
     [](const Report& r) -> Value { return r.inputs.network; }},
    {"hardware", "inputs", "hardware", "name of the hardware profile",
     [](const Report& r) -> Value { return r.inputs.hardware; }},
    {"batch", "inputs", "batch", "samples per iteration",
     [](const Report& r) -> Value { return r.inputs.batch; }},
    {"schedule", "inputs", "schedule", "name of the schedule",
     [](const Report& r) -> Value { return r.inputs.schedule; }},
    {"memory_bytes", "inputs", "memory_bytes", "near-memory budget, static bytes included",
     [](const Report& r) -> Value { return r.inputs.memory.count(); }},
    {"memory_given", "inputs", "memory_given", "whether --memory set the budget",
     [](const Report& r) -> Value { return r.inputs.memory_given; }},
    {"accounting", "inputs", "accounting", "memory accounting rule",
     [](const Report& r) -> Value { return r.inputs.accounting; }},
    {"optimizer", "inputs", "optimizer", "optimiser, for its state in near memory",
     [](const Report& r) -> Value { return r.inputs.optimizer; }},
    {"allocator", "inputs", "allocator", "near-memory allocator",
     [](const Report& r) -> Value { return r.inputs.allocator; }},
    {"mode", "inputs", "mode", "transfer mode",
     [](const Report& r) -> Value { return r.inputs.mode; }},
    {"compute", "inputs", "compute", "compute model",
     [](const Report& r) -> Value { return r.inputs.compute; }},
    {"link_bytes_per_s", "inputs", "link_bytes_per_s", "--link, both directions",
     [](const Report& r) -> Value { return optional_rate(r.inputs.link); }},
    {"far_throughput_bytes_per_s", "inputs", "far_throughput_bytes_per_s", "--far-throughput",
     [](const Report& r) -> Value { return optional_rate(r.inputs.far_throughput); }},
    {"latency_ns", "inputs", "latency_ns", "--latency",
     [](const Report& r) -> Value { return optional_count(r.inputs.latency); }},
    {"layer_times", "inputs", "layer_times", "layers whose time came from --layer-times",
     [](const Report& r) -> Value {
       if (!r.inputs.layer_times) return {};
       return std::int64_t{*r.inputs.layer_times};
     }},
};

constexpr Metric kMetrics[] = {
    {"feasible", "", "feasible", "whether the job fits",
     [](const Report& r) -> Value { return r.feasible; }},
    {"iteration_time_ns", "", "iteration_time_ns",
     "from the start of the first step to the end of the last",
     [](const Report& r) { return ran_ns(r, r.iteration_time); }},
    {"samples_per_s", "", "samples_per_s", "batch / iteration time",
     [](const Report& r) { return if_ran(r, r.samples_per_s); }},
    {"compute_time_ns", "", "compute_time_ns", "sum of this plan's first-run tasks",
     [](const Report& r) { return ran_ns(r, r.compute_time); }},
    {"reference_time_ns", "", "reference_time_ns",
     "sum of all tasks with the fastest algorithms that it may use",
     [](const Report& r) -> Value { return r.reference_time.count(); }},
    {"slowdown", "", "slowdown", "iteration time / reference time",
     [](const Report& r) { return if_ran(r, r.slowdown); }},
    {"lower_bound_ns", "", "lower_bound_ns",
     "no schedule of this task order and budget can beat it",
     [](const Report& r) { return optional_count(r.lower_bound); }},
    {"peak_near_bytes", "", "peak_near_bytes", "largest near-memory use, static bytes included",
     [](const Report& r) { return ran_bytes(r, r.peak_near); }},
    {"budget_near_bytes", "", "budget_near_bytes",
     "near memory that may be used, static bytes included",
     [](const Report& r) -> Value { return r.budget_near.count(); }},
    {"peak_far_bytes", "", "peak_far_bytes", "largest number of bytes with a far copy alive",
     [](const Report& r) { return ran_bytes(r, r.peak_far); }},
    {"in_core_peak_bytes", "", "in_core_peak_bytes", "near-memory peak when nothing moves",
     [](const Report& r) -> Value { return r.in_core_peak.count(); }},
    {"to_far_bytes", "", "to_far_bytes", "bytes copied to far memory",
     [](const Report& r) { return ran_bytes(r, r.to_far); }},
    {"to_near_bytes", "", "to_near_bytes", "bytes copied to near memory",
     [](const Report& r) { return ran_bytes(r, r.to_near); }},
    {"compute_utilization", "", "compute_utilization", "compute time / iteration time",
     [](const Report& r) { return if_ran(r, r.compute_utilization); }},
    {"stall_dependency_ns", "stalls_ns", "dependency", "compute waits for another step",
     [](const Report& r) { return stall_ns(r, StallCause::kDependency); }},
    {"stall_swap_in_ns", "stalls_ns", "swap_in", "compute waits for a copy to near memory",
     [](const Report& r) { return stall_ns(r, StallCause::kSwapIn); }},
    {"stall_swap_out_ns", "stalls_ns", "swap_out", "compute waits for a copy to far memory",
     [](const Report& r) { return stall_ns(r, StallCause::kSwapOut); }},
    {"stall_memory_ns", "stalls_ns", "memory", "compute waits for near memory to be freed",
     [](const Report& r) { return stall_ns(r, StallCause::kMemory); }},
    {"stall_fault_ns", "stalls_ns", "fault", "compute waits for page faults",
     [](const Report& r) { return stall_ns(r, StallCause::kFault); }},
    {"stall_recompute_ns", "stalls_ns", "recompute", "tasks that are run again, or compress",
     [](const Report& r) { return stall_ns(r, StallCause::kRecompute); }},
    {"stall_launch_ns", "stalls_ns", "launch", "compute waits for the host to issue it",
     [](const Report& r) { return stall_ns(r, StallCause::kLaunch); }},
    {"parameters", "", "parameters", "parameters, frozen ones too",
     [](const Report& r) -> Value { return r.parameters; }},
    {"saved_bytes", "", "saved_bytes", "what backward reads of the forward pass",
     [](const Report& r) -> Value { return r.saved.count(); }},
    {"static_bytes", "", "static_bytes", "weights, their gradients, optimiser state",
     [](const Report& r) -> Value { return r.static_bytes.count(); }},
    {"forward_macs_per_sample", "", "forward_macs_per_sample",
     "multiply-accumulates of one sample, forward",
     [](const Report& r) -> Value { return r.forward_macs; }},
    {"limited_by", "", "limited_by", "largest cause of loss, compute where none costs 5 %",
     [](const Report& r) { return if_ran(r, r.limited_by); }},
    {"limited_share", "", "limited_share", "its share of the iteration; the busy share for compute",
     [](const Report& r) { return if_ran(r, r.limited_share); }},
    {"link_limited_by", "", "link_limited_by", "what binds the rate of copies",
     [](const Report& r) -> Value { return r.link_limited_by; }},
    // An input, but a later one: the places of older columns stay.
    {"schedule_options", "inputs", "schedule_options",
     "the schedule's options where they are not the defaults",
     [](const Report& r) -> Value { return r.inputs.options; }},
    {"sub_batch", "", "sub_batch", "samples of a round; the batch where there is one round",
     [](const Report& r) -> Value { return r.sub_batch; }},
    {"rounds", "", "rounds", "rounds of an iteration; gradients add up, one update",
     [](const Report& r) -> Value { return r.rounds; }},
    {"devices", "inputs", "devices", "devices that the batch is split over",
     [](const Report& r) -> Value { return std::int64_t{r.inputs.devices}; }},
    {"exchange", "inputs", "exchange", "when several devices exchange gradients",
     [](const Report& r) -> Value {
       if (r.inputs.devices == 1 || r.inputs.exchange.empty()) return {};
       return r.inputs.exchange;
     }},
    {"gap", "", "gap", "iteration time above the lower bound, as a share of it",
     [](const Report& r) -> Value {
       if (!r.feasible || !r.lower_bound || r.lower_bound->count() == 0) return {};
       return static_cast<double>(r.iteration_time.count()) /
                  static_cast<double>(r.lower_bound->count()) -
              1;
     }},
    {"dtype", "inputs", "dtype", "element type that the network is computed in",
     [](const Report& r) -> Value { return r.inputs.dtype; }},
    {"closed_form_time_ns", "", "closed_form_time_ns", "what OOC-Paleo's closed form says of it",
     [](const Report& r) -> Value {
       if (!r.paper) return {};
       return optional_count(r.paper->time);
     }},
    {"closed_form_equations", "", "closed_form_equations", "the closed form's equations",
     [](const Report& r) -> Value {
       if (!r.paper || !r.paper->time) return {};
       return r.paper->equations;
     }},
    {"framework", "inputs", "framework", "name of the framework",
     [](const Report& r) -> Value { return r.inputs.framework; }},
    {"far_memory_bytes", "inputs", "far_memory_bytes", "capacity of far memory",
     [](const Report& r) -> Value { return r.inputs.far_memory.count(); }},
};

constexpr Metric kOutOfMemory[] = {
    {"oom_step", "out_of_memory", "step", "the step that cannot get its memory",
     [](const Report& r) {
       return of_oom(r, [](const OutOfMemory& o) -> Value { return o.step; });
     }},
    {"oom_wanted_bytes", "out_of_memory", "wanted_bytes", "bytes it needs at once",
     [](const Report& r) {
       return of_oom(r, [](const OutOfMemory& o) -> Value { return o.wanted.count(); });
     }},
    {"oom_free_bytes", "out_of_memory", "free_bytes", "bytes that are free",
     [](const Report& r) {
       return of_oom(r, [](const OutOfMemory& o) -> Value { return o.free.count(); });
     }},
    {"oom_largest_hole_bytes", "out_of_memory", "largest_hole_bytes",
     "largest contiguous free range",
     [](const Report& r) {
       return of_oom(r, [](const OutOfMemory& o) -> Value { return o.largest_hole.count(); });
     }},
    {"smallest_budget_bytes", "out_of_memory", "smallest_budget_bytes",
     "that budget suffices, one byte less does not",
     [](const Report& r) {
       return of_oom(r, [](const OutOfMemory& o) { return optional_count(o.smallest_budget); });
     }},
    {"oom_tier", "out_of_memory", "tier", "the memory that is too small",
     [](const Report& r) {
       return of_oom(r, [](const OutOfMemory& o) -> Value {
         return std::string(o.tier == OutOfMemory::Tier::kFar ? "far" : "near");
       });
     }},
};

Value optional_ratio(const std::optional<Ratio>& ratio) {
  if (!ratio.has_value()) return {};
  return static_cast<double>(ratio->count()) / static_cast<double>(kOne.count());
}

Value symbol_in(const RunInputs& inputs, std::string_view name) {
  for (const SymbolValue& each : inputs.symbols) {
    if (each.name == name) return each.value;
  }
  return {};
}

bool has_sequence(const RunInputs& inputs) {
  return inputs.columns.seq || !std::holds_alternative<std::monostate>(symbol_in(inputs, "seq"));
}

/// Those without a column of their own: "rank=8,depth=2".
Value other_symbols(const RunInputs& inputs) {
  if (inputs.symbols.empty()) return {};
  std::vector<SymbolValue> others;
  for (const SymbolValue& each : inputs.symbols) {
    if (each.name != "seq" && each.name != "target_seq") others.push_back(each);
  }
  if (others.empty()) return {};
  return symbols_text(others);
}

bool has_state(const RunInputs& inputs) {
  return inputs.columns.offload || !inputs.offload.empty();
}

constexpr Metric kRareInputs[] = {
    {"link_to_far_bytes_per_s", "inputs", "link_to_far_bytes_per_s", "--link-to-far",
     [](const Report& r) -> Value { return optional_rate(r.inputs.link_to_far); }},
    {"link_to_near_bytes_per_s", "inputs", "link_to_near_bytes_per_s", "--link-to-near",
     [](const Report& r) -> Value { return optional_rate(r.inputs.link_to_near); }},
    {"duplex", "inputs", "duplex", "--duplex",
     [](const Report& r) { return optional_ratio(r.inputs.duplex); }},
    {"compute_scale", "inputs", "compute_scale", "--compute-scale",
     [](const Report& r) { return optional_ratio(r.inputs.compute_scale); }},
    {"adam", "inputs", "adam", "--adam",
     [](const Report& r) -> Value {
       return r.inputs.adam.empty() ? Value{} : Value{r.inputs.adam};
     }},
    {"far_compute_bytes_per_s", "inputs", "far_compute_bytes_per_s", "--far-compute",
     [](const Report& r) -> Value { return optional_rate(r.inputs.far_compute); }},
    // JSON of one run has these elsewhere.
    {"offload", "inputs", "", "what of the state is far, and how it moves",
     [](const Report& r) -> Value {
       return r.inputs.offload.empty() ? Value{} : Value{r.inputs.offload};
     },
     [](const RunInputs& inputs) { return inputs.columns.offload; }},
    {"expert_parallel", "inputs", "expert_parallel", "devices over which experts are split",
     [](const Report& r) -> Value {
       const RunInputs& in = r.inputs;
       return in.expert_parallel > 1 || in.columns.expert_parallel ? Value{in.expert_parallel}
                                                                   : Value{};
     }},
    {"stall_update_ns", "stalls_ns", "update", "compute waits for updates in far memory",
     [](const Report& r) -> Value {
       return has_state(r.inputs) ? stall_ns(r, StallCause::kUpdate) : Value{};
     },
     &has_state},
    {"precision", "inputs", "", "element types by class of data",
     [](const Report& r) -> Value {
       if (r.inputs.precision.empty()) return {};
       return r.inputs.precision;
     },
     [](const RunInputs& inputs) { return inputs.columns.precision; }},
    {"symbols", "inputs", "", "values of the network's symbols but seq and target_seq",
     [](const Report& r) { return other_symbols(r.inputs); },
     [](const RunInputs& inputs) { return inputs.columns.symbols; }},
    {"seq", "inputs", "", "length of the sequence",
     [](const Report& r) { return symbol_in(r.inputs, "seq"); }, &has_sequence},
    {"target_seq", "inputs", "", "length of the decoder's sequence",
     [](const Report& r) { return symbol_in(r.inputs, "target_seq"); },
     [](const RunInputs& inputs) { return inputs.columns.target_seq; }},
    {"tokens_per_s", "", "", "batch x seq / iteration time",
     [](const Report& r) -> Value {
       if (!r.sequence) return {};
       return r.sequence->tokens_per_s;
     },
     &has_sequence},
    {"mfu", "", "", "the model's own FLOPs / (iteration time x peak rate)",
     [](const Report& r) -> Value {
       if (!r.sequence || !r.sequence->mfu) return {};
       return *r.sequence->mfu;
     },
     &has_sequence},
};

}  // namespace

std::span<const Metric> metrics() { return kMetrics; }
std::span<const Metric> input_columns() { return kInputs; }
std::span<const Metric> out_of_memory_columns() { return kOutOfMemory; }
std::span<const Metric> rare_input_columns() { return kRareInputs; }

std::vector<const Metric*> columns_for(const RunInputs& inputs) {
  std::vector<const Metric*> columns;
  for (const auto& table : {input_columns(), metrics(), out_of_memory_columns()}) {
    for (const Metric& column : table) columns.push_back(&column);
  }
  RunReport asked;
  asked.inputs = inputs;
  for (const Metric& column : kRareInputs) {
    if (is_given(column, asked)) columns.push_back(&column);
  }
  return columns;
}

bool is_given(const Metric& rare, const RunReport& report) {
  if (rare.is_there != nullptr && rare.is_there(report.inputs)) return true;
  return !std::holds_alternative<std::monostate>(rare.read(report));
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
