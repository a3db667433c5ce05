// JSON: the result format of docs/formats.md, section 5. The order of the keys is that of the table
// of metrics, so equal runs give equal bytes. A number that is not known for a run is null.
#include "reports/writers/json.hpp"

#include <algorithm>
#include <string>

#include "model/base/named.hpp"
#include "reports/writers/text_table.hpp"

namespace ooc {
namespace {

/// "format", "version", "tool".
void put_head(JsonWriter& json, std::string_view format, const ToolInfo& tool) {
  json.member("format", format).member("version", 1);
  json.begin_object("tool").member("version", tool.version).member("command", tool.command).end();
}

/// Where what was asked for has the key of what follows from it, that has another.
constexpr std::pair<std::string_view, std::string_view> kMeanings[] = {
    {"network", "network_name"}, {"hardware", "hardware_name"}, {"layer_times", "timed_layers"}};

/// The object `inputs` of a result, which is a job that gives the result again (docs/formats.md, 4). What was asked for
/// stands in place of what follows from it.
class InputsWriter {
 public:
  InputsWriter(JsonWriter& json, const AskedFor& asked) : json_(json), asked_(asked) {
    json.begin_object("inputs");
  }

  void put(std::string_view key, const MetricValue& value) {
    const auto found =
        std::ranges::find_if(asked_, [&](const auto& each) { return each.first == key; });
    if (found == asked_.end()) return put_metric(json_, key, value);
    json_.member(key, JsonText{found->second});
    const auto* text = std::get_if<std::string>(&value);
    const bool is_same = text != nullptr && json_string(*text) == found->second;
    asked_.erase(found);
    for (const auto& [of, meaning] : kMeanings) {
      if (of == key && !is_same) put_metric(json_, meaning, value);
    }
  }

  /// Writes what was asked for under other keys, less those in `but`, and closes the object.
  void end(std::initializer_list<std::string_view> but = {}) {
    for (const auto& [key, value] : asked_) {
      if (!contains(but, key)) json_.member(key, JsonText{value});
    }
    json_.end();
  }

 private:
  JsonWriter& json_;
  AskedFor asked_;  ///< not written yet
};

/// Opens the object of a group and writes all its columns, of any table.
void begin_group(JsonWriter& json, std::string_view group, const RunReport& report) {
  json.begin_object(group);
  for (const Metric& column : metrics()) {
    if (column.group != group || !is_given(column, report)) continue;
    put_metric(json, column.key(), column.read(report));
  }
}

/// All metrics but those of a key or group in `done`.
void put_metrics(JsonWriter& json, const RunReport& report, std::vector<std::string_view> done) {
  for (const Metric& column : metrics()) {
    const std::string_view key = column.group.empty() ? column.key() : column.group;
    if (key.empty() || contains(done, key)) continue;
    done.push_back(key);
    if (column.group.empty()) {
      put_metric(json, key, column.read(report));
    } else {
      begin_group(json, key, report);
      json.end();
    }
  }
}

/// What a job lacks, if it does not fit.
void put_out_of_memory(JsonWriter& json, const RunReport& report) {
  begin_group(json, "out_of_memory", report);
  json.objects("holders", report.out_of_memory->holders, [&](const OutOfMemory::Holder& holder) {
    json.member("name", holder.name).member("bytes", holder.bytes);
  });
  json.end();
}

/// Writes memory at the peaks of a run by category; null if unknown. Of a job that lacks GPU memory also what fills it if
/// nothing moves.
void put_peaks(JsonWriter& json, const RunReport& run) {
  const auto put = [&](const BytesByCategory& held) {
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
      const bool copies = static_cast<MemoryCategory>(i) == MemoryCategory::kWeightCopies;
      if (copies && run.inputs.precision.empty()) continue;
      json.member(category_name(static_cast<MemoryCategory>(i)), held.bytes[i]);
    }
  };
  json.object("peak_near_by_category", run.peak_near_by_category, put);
  json.member("peak_near_during", if_any(run.peak_near_during));
  json.object("peak_far_by_category", run.peak_far_by_category, put);
  if (run.in_core_by_category) {
    json.object("in_core_peak_by_category", run.in_core_by_category, put);
  }
}

/// Of those that are given.
constexpr std::pair<std::string_view, std::string RunInputs::*> kTypes[] = {
    {"precision", &RunInputs::precision},
    {"gradient_dtype", &RunInputs::gradient_dtype},
    {"adapter_dtype", &RunInputs::adapter_dtype}};

/// Writes rates by tokens; null if unknown.
void put_sequence(JsonWriter& json, const RunReport& run) {
  json.object("sequence", run.sequence, [&](const SequenceRates& rates) {
    json.member("tokens", rates.tokens).member("tokens_per_s", rates.tokens_per_s);
    json.member("model_flops", rates.model_flops);
    json.member("peak_flop_per_s",
                rates.peak ? std::optional(rates.peak->per_second) : std::nullopt);
    json.member("mfu", rates.mfu);
  });
}

void put_symbols(JsonWriter& json, const RunInputs& inputs) {
  json.begin_object("symbols");
  for (const SymbolValue& each : inputs.symbols) json.member(each.name, each.value);
  json.end();
}

void put_layer_head(JsonWriter& json, const LayerReport& layer) {
  json.member("name", layer.name).member("type", layer.type);
  json.member("output_shape", layer.output_shape).member("parameters", layer.parameters);
  if (!layer.tied_to.empty()) json.member("tied_to", layer.tied_to);
}

void put_layer(JsonWriter& json, const LayerReport& layer, bool feasible) {
  put_layer_head(json, layer);
  json.member("forward_flops", layer.forward_flops).member("backward_flops", layer.backward_flops);
  json.member("forward_ns", layer.forward).member("backward_ns", layer.backward);
  json.member("saved_bytes", layer.saved);
  json.member("action", layer.action ? if_any(action_name(*layer.action)) : std::nullopt);
  json.member("stall_ns", feasible ? std::optional(layer.stall) : std::nullopt);
  json.member("update_ns", layer.update).member("waits_for", if_any(layer.waits_for));
}

void put_what_if(JsonWriter& json, const WhatIf& what_if) {
  const auto& time = what_if.iteration_time;
  json.member("change", what_if.change).member("iteration_time_ns", time);
  json.member("gain", time ? std::optional(what_if.gain) : std::nullopt);
}

void put_moved(JsonWriter& json, const MovedTensor& moved) {
  json.member("tensor", moved.tensor).member("bytes", moved.bytes);
  json.member("out_ns", moved.out).member("back_ns", moved.back).member("wait_ns", moved.wait);
  json.member("cause", moved.cause ? std::optional(stall_name(*moved.cause)) : std::nullopt);
  json.member("hides_at_bytes_per_s", moved.hides_at);
}

/// Causes without their times, which `equations` has.
void put_closed_form_notes(JsonWriter& json, const std::optional<PaperEstimate>& paper) {
  if (!paper) {
    json.member("closed_form_notes", nullptr);
    return;
  }
  json.begin_list("closed_form_notes");
  if (!paper->unfit.empty()) json.value(paper->unfit);
  for (const PaperEstimate::Difference& each : paper->differences) json.value(each.cause);
  json.end();
}

void put_equation_step(JsonWriter& json, const EquationStep& step) {
  json.member("layer", step.layer).member("bytes", step.bytes);
  json.member("processing_ns", step.processing).member("swap_ns", step.swap);
  json.member("section_ns", step.section).member("run_section_ns", step.section_run);
  json.member("concurrency_bytes", step.concurrency).member("utilization_2", step.utilization_2);
  json.member("utilization_9", step.utilization).member("utilization_12", step.utilization_12);
  json.member("run_utilization", step.utilization_run);
  json.member("available_3_bytes", step.available_3).member("available_4_bytes", step.available_4);
  json.member("available_6_bytes", step.available_6);
  json.member("run_available_bytes", step.available_run);
}

void put_equations(JsonWriter& json, const Equations& equations) {
  json.begin_object("equations").member("unfit", if_any(equations.unfit));
  if (!equations.unfit.empty()) {
    json.end();
    return;
  }
  json.member("far_bytes_per_s", equations.far);
  json.member("connection_bytes_per_s", equations.connection);
  json.member("near_bytes_per_s", equations.near).member("swap_in_bytes_per_s", equations.swap_in);
  json.member("run_swap_in_bytes_per_s", equations.swap_in_run);
  json.member("binds", equations.binds).member("capacity_bytes", equations.capacity);
  json.member("retained_bytes", equations.retained);
  const auto put_caught = [&](const Equations::Caught& caught) {
    json.member("layer", caught.layer).member("time_ns", caught.time);
  };
  json.object("caught", equations.caught, put_caught);
  json.object("run_caught", equations.caught_run, put_caught);
  json.member("utilization_9", equations.utilization);
  json.member("utilization_12", equations.utilization_12);
  json.member("run_utilization", equations.utilization_run);
  json.member("total", equations.total.equations).member("total_ns", equations.total.time);
  json.objects("differences", equations.total.differences, [&](const auto& each) {
    json.member("cause", each.cause).member("time_ns", each.time);
  });
  json.objects("steps", equations.steps,
               [&](const EquationStep& step) { put_equation_step(json, step); });
  json.end();
}

void put_state(JsonWriter& json, const RunReport& report) {
  const StateReport& state = *report.state;
  json.begin_object("state").member("far_bytes", state.far_home);
  json.member("far_parameters", state.far_parameters);
  json.member("far_updates", state.far_updates).member("far_busy_ns", state.far_busy);
  json.member("near_update_ns", state.near_updates);
  json.member("wait_for_updates_ns", report.stalls[static_cast<std::size_t>(StallCause::kUpdate)]);
  json.begin_object("copied_bytes");
  for (const StateReport::Copied& each : state.copied) {
    json.begin_object(each.name).member("to_far", each.to_far).member("to_near", each.to_near);
    json.end();
  }
  json.end().end();
}

std::string prediction(const RunReport& report, const WriteOptions& options) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  put_result(json, report, options.tool);
  if (report.moved) {
    json.objects("moved", *report.moved, [&](const MovedTensor& each) { put_moved(json, each); });
  } else {
    json.member("moved", nullptr);
  }
  if (report.equations) put_equations(json, *report.equations);
  json.end();
  return std::move(text) + "\n";
}

void put_inspected_layer(JsonWriter& json, const LayerReport& layer, bool with_times) {
  put_layer_head(json, layer);
  json.member("forward_macs", layer.forward_macs).member("forward_flops", layer.forward_flops);
  json.member("backward_flops", layer.backward_flops).member("saved_bytes", layer.saved);
  if (!with_times) return;
  json.member("forward_s", layer.forward_s).member("backward_data_s", layer.backward_data_s);
  json.member("backward_weights_s", layer.backward_weights_s);
}

std::string inspection(const NetworkReport& report, const WriteOptions& options) {
  std::string text;
  JsonWriter json(text);
  begin_result(json, "ooc-paleo/inspection", options.tool);
  const RunInputs& in = report.inputs;
  InputsWriter inputs(json, in.asked);
  inputs.put("network", in.network);
  inputs.put("hardware", in.hardware.empty() ? MetricValue() : MetricValue(in.hardware));
  inputs.put("batch", in.batch);
  inputs.put("framework", in.framework);
  json.member("framework_meaning", in.framework_meaning);
  inputs.put("accounting", in.accounting);
  inputs.put("optimizer", in.optimizer);
  inputs.put("compute", in.compute);
  inputs.end();
  json.member("source", report.source).member("dtype", in.dtype);
  for (const auto& [key, type] : kTypes) {
    if (!(in.*type).empty()) json.member(key, in.*type);
  }
  json.objects("network_inputs", report.network_inputs, [&](const auto& input) {
    json.member("name", input.first).member("shape", input.second);
  });
  json.member("in_core_peak_bytes", report.in_core_peak).member("parameters", report.parameters);
  if (report.trainable_parameters != report.parameters) {
    json.member("trainable_parameters", report.trainable_parameters);
  }
  if (report.active_parameters != report.parameters) {
    json.member("active_parameters", report.active_parameters);
  }
  json.member("saved_bytes", report.saved).member("static_bytes", report.static_bytes);
  if (!in.precision.empty()) json.member("weight_copy_bytes", report.weight_copies);
  json.member("forward_macs_per_sample", report.forward_macs_per_sample);
  json.member("forward_macs", report.forward_macs).member("forward_flops", report.forward_flops);
  json.member("backward_flops", report.backward_flops);
  json.objects("layers", report.layers, [&](const LayerReport& layer) {
    put_inspected_layer(json, layer, report.compute_time.has_value());
  });
  json.member("assumed", report.assumed).end();
  return std::move(text) + "\n";
}

}  // namespace

extern const Writer json_writer{.name = "json",
                                .prediction = &prediction,
                                .rows = &json_rows,
                                .inspection = &inspection,
                                .replay = &json_replay,
                                .validation = &json_validation};

void begin_result(JsonWriter& json, std::string_view format, const ToolInfo& tool) {
  json.begin_object();
  put_head(json, format, tool);
}

std::optional<std::string_view> if_any(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

void put_metric(JsonWriter& json, std::string_view key, const MetricValue& value) {
  json.key(key);
  std::visit(
      [&](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          json.value(nullptr);
        } else {
          json.value(held);
        }
      },
      value);
}

void put_record(JsonWriter& json, const Cells& cells) {
  json.begin_object();
  for (const auto& [name, value] : cells) put_metric(json, name, value);
  json.end();
}

void put_numbers(JsonWriter& json, const RunReport& report) {
  json.member("feasible", report.feasible);
  if (report.out_of_memory) put_out_of_memory(json, report);
  put_metrics(json, report, {"inputs", "feasible", "out_of_memory"});
  put_peaks(json, report);
  if (!report.inputs.symbols.empty()) put_sequence(json, report);
}

void put_result(JsonWriter& json, const RunReport& report, const ToolInfo& tool) {
  put_head(json, "ooc-paleo/result", tool);
  put_inputs(json, report.inputs);
  json.member("feasible", report.feasible);
  if (report.out_of_memory.has_value()) put_out_of_memory(json, report);
  put_metrics(json, report, {"inputs", "feasible", "out_of_memory"});
  json.member("bound_class", report.lower_bound ? std::optional(report.bound_class) : std::nullopt);
  put_closed_form_notes(json, report.paper);
  json.objects("layers", report.layers,
               [&](const LayerReport& layer) { put_layer(json, layer, report.feasible); });
  put_measured_errors(json, report);
  json.member("assumed", report.assumed).member("remarks", report.remarks);
  json.objects("what_if", report.what_if, [&](const WhatIf& each) { put_what_if(json, each); });
  if (report.trainable_parameters != report.parameters) {
    json.member("trainable_parameters", report.trainable_parameters);
  }
  put_peaks(json, report);
  if (!report.inputs.symbols.empty()) put_sequence(json, report);
  if (report.state) put_state(json, report);
}

void put_inputs(JsonWriter& json, const RunInputs& inputs,
                std::initializer_list<std::string_view> but) {
  RunReport echo;  // columns of inputs read only these
  echo.inputs = inputs;
  const auto is_asked = [&](std::string_view key) {
    return find_named(inputs.asked, key) != nullptr;
  };
  InputsWriter out(json, inputs.asked);
  for (const Metric* column : columns_for(inputs)) {
    if (column->group != "inputs" || column->key().empty()) continue;
    if (contains(but, column->key())) continue;
    out.put(column->key(), column->read(echo));
  }
  json.member("far_memory_given", inputs.far_memory_given).member("dtype_given", is_asked("dtype"));
  if (!inputs.precision.empty()) json.member("precision_given", is_asked("precision"));
  json.member("framework_meaning", inputs.framework_meaning);
  for (const auto& [key, type] : kTypes) {
    if (!(inputs.*type).empty()) out.put(key, inputs.*type);
  }
  if (!inputs.offload.empty()) json.member("offload_meaning", inputs.offload);
  if (inputs.symbols.empty()) return out.end();
  put_symbols(json, inputs);
  out.end({"seq", "target_seq", "symbol"});  // symbols have these
}

void put_measured_errors(JsonWriter& json, const RunReport& report) {
  const std::optional<MeasuredErrors>& errors = report.errors;
  if (!errors) return;
  json.begin_object("errors_of_such_jobs");
  json.member("kind", errors->kind).member("figures", errors->figures);
  if (errors->figures > 0) {
    json.member("median", errors->median).member("largest", errors->largest);
    json.member("bias", errors->bias);
    if (const auto range = measured_range(report)) {
      json.member("from_ns", range->first).member("to_ns", range->second);
    }
  }
  json.end();
}

}  // namespace ooc
