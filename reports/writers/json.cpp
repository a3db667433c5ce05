// JSON: the result format of docs/formats.md, section 5. The order of the keys is that of the table
// of metrics, so equal runs give equal bytes. A number that is not known for a run is null.
#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "reports/writers/json_max_batch.hpp"
#include "reports/writers/json_metrics.hpp"
#include "reports/writers/json_replay.hpp"
#include "reports/writers/json_string.hpp"
#include "reports/writers/validation_text.hpp"
#include "reports/writers/writer.hpp"
#include "simulator/summary/metrics.hpp"
#include "simulator/summary/summarize.hpp"

namespace ooc {
namespace {

using Json = nlohmann::ordered_json;

Json tool_json(const ToolInfo& tool) {
  return {{"version", tool.version}, {"command", tool.command}};
}

Json out_of_memory_json(const RunReport& report) {
  Json outer;
  put_metrics(outer, out_of_memory_columns(), report);
  Json json = outer["out_of_memory"];
  json["holders"] = Json::array();
  for (const OutOfMemory::Holder& holder : report.out_of_memory->holders) {
    json["holders"].push_back({{"name", holder.name}, {"bytes", holder.bytes.count()}});
  }
  return json;
}

Json layer_json(const LayerReport& layer, bool feasible) {
  Json json;
  json["name"] = layer.name;
  json["type"] = layer.type;
  json["output_shape"] = layer.output_shape;
  json["parameters"] = layer.parameters;
  json["forward_flops"] = layer.forward_flops;
  json["backward_flops"] = layer.backward_flops;
  json["forward_ns"] = layer.forward.count();
  json["backward_ns"] = layer.backward.count();
  json["saved_bytes"] = layer.saved.count();
  json["action"] = layer.action.has_value() ? Json(action_name(*layer.action)) : Json();
  json["stall_ns"] = feasible ? Json(layer.stall.count()) : Json();
  json["update_ns"] = layer.update.count();
  return json;
}

Json step_json(const StepReport& step) {
  Json json;
  json["queue"] = step.queue;
  json["kind"] = step.kind;
  json["name"] = step.name;
  json["start_ns"] = step.start.count();
  json["end_ns"] = step.end.count();
  json["bytes"] = step.bytes.count();
  json["algorithm"] = step.algorithm.empty() ? Json() : Json(step.algorithm);
  return json;
}

Json what_if_json(const WhatIf& what_if) {
  Json json;
  json["change"] = what_if.change;
  json["iteration_time_ns"] =
      what_if.iteration_time.has_value() ? Json(what_if.iteration_time->count()) : Json();
  json["gain"] = what_if.iteration_time.has_value() ? Json(what_if.gain) : Json();
  return json;
}

/// A list that may have a million rows: written row by row, as values of the library they would take
/// gigabytes.
struct LongList {
  const char* key;
  std::size_t rows;
  std::function<Json(std::size_t)> row;
};

/// Where a long list goes: one row that stands for all.
Json place_of(const LongList& list) {
  return list.rows == 0 ? Json::array() : Json::array({nullptr});
}

std::string dumped(const Json& json) {
  // Names come from files and the command line: bytes that are no UTF-8 are shown, not fatal.
  return json_for_terminals(json.dump(2, ' ', false, Json::error_handler_t::replace));
}

std::string text_of(const Json& json) { return dumped(json) + "\n"; }

/// `json` has the place of each list at its outermost level, in their order.
std::string text_with(const Json& json, std::span<const LongList> lists) {
  const std::string frame = text_of(json);
  std::string text;
  std::size_t done = 0;
  for (const LongList& list : lists) {
    if (list.rows == 0) continue;
    // No text within has a line break, so this is found nowhere else.
    const std::string before = fmt::format("\n  \"{}\": [", list.key);
    const std::string row_begin = "\n    ";
    const std::size_t begin = frame.find(before + row_begin + "null", done) + before.size();
    text.append(frame, done, begin - done);
    for (std::size_t i = 0; i < list.rows; ++i) {
      text += i == 0 ? row_begin : "," + row_begin;
      for (const char c : dumped(list.row(i))) c == '\n' ? text += row_begin : text += c;
    }
    done = begin + row_begin.size() + 4;  // behind the null
  }
  return text.append(frame, done);
}

LongList layer_list(const RunReport& report) {
  return {"layers", report.layers.size(),
          [&report](std::size_t i) { return layer_json(report.layers[i], report.feasible); }};
}
LongList step_list(const RunReport& report) {
  return {"steps", report.steps.size(),
          [&report](std::size_t i) { return step_json(report.steps[i]); }};
}

Json result_json(const RunReport& report, const WriteOptions& options) {
  Json json;
  json["format"] = "ooc-paleo/result";
  json["version"] = 1;
  json["tool"] = tool_json(options.tool);
  put_metrics(json, input_columns(), report);
  json["feasible"] = report.feasible;
  if (report.out_of_memory.has_value()) json["out_of_memory"] = out_of_memory_json(report);
  put_metrics(json, metrics(), report);
  json["bound_class"] = report.lower_bound.has_value() ? Json(report.bound_class) : Json();
  json["closed_form_notes"] = report.paper ? Json(report.paper->notes) : Json();
  json["layers"] = place_of(layer_list(report));
  if (!report.steps.empty()) json["steps"] = place_of(step_list(report));
  json["assumed"] = report.assumed;
  json["remarks"] = report.remarks;
  json["what_if"] = Json::array();
  for (const WhatIf& what_if : report.what_if) json["what_if"].push_back(what_if_json(what_if));
  return json;
}

std::string prediction(const RunReport& report, const WriteOptions& options) {
  const LongList lists[] = {layer_list(report), step_list(report)};
  return text_with(result_json(report, options), lists);
}

std::string comparison(const std::vector<RunReport>& reports, const WriteOptions& options) {
  Json json;
  json["format"] = "ooc-paleo/comparison";
  json["version"] = 1;
  json["tool"] = tool_json(options.tool);
  json["results"] = Json::array();
  for (const std::size_t i : best_first(reports)) {
    json["results"].push_back(result_json(reports[i], options));
  }
  return text_of(json);
}

Json inspected_layer(const LayerReport& layer, bool with_times) {
  Json json;
  json["name"] = layer.name;
  json["type"] = layer.type;
  json["output_shape"] = layer.output_shape;
  json["parameters"] = layer.parameters;
  json["forward_macs"] = layer.forward_macs;
  json["forward_flops"] = layer.forward_flops;
  json["backward_flops"] = layer.backward_flops;
  json["saved_bytes"] = layer.saved.count();
  if (with_times) {
    json["forward_s"] = layer.forward_s;
    json["backward_data_s"] = layer.backward_data_s;
    json["backward_weights_s"] = layer.backward_weights_s;
  }
  return json;
}

Json inspected_inputs(const NetworkReport& report) {
  Json json;
  json["network"] = report.network;
  json["hardware"] = report.hardware.has_value() ? Json(*report.hardware) : Json();
  json["batch"] = report.batch;
  json["accounting"] = report.accounting;
  json["optimizer"] = report.optimizer;
  json["compute"] = report.compute;
  return json;
}

std::string inspection(const NetworkReport& report, const WriteOptions& options) {
  Json json;
  json["format"] = "ooc-paleo/inspection";
  json["version"] = 1;
  json["tool"] = tool_json(options.tool);
  json["inputs"] = inspected_inputs(report);
  json["source"] = report.source;
  json["dtype"] = report.dtype;
  json["network_inputs"] = Json::array();
  for (const auto& [name, shape] : report.inputs) {
    json["network_inputs"].push_back({{"name", name}, {"shape", shape}});
  }
  json["in_core_peak_bytes"] = report.in_core_peak.count();
  json["parameters"] = report.parameters;
  json["saved_bytes"] = report.saved.count();
  json["static_bytes"] = report.static_bytes.count();
  json["forward_macs_per_sample"] = report.forward_macs_per_sample;
  json["forward_macs"] = report.forward_macs;
  json["forward_flops"] = report.forward_flops;
  json["backward_flops"] = report.backward_flops;
  const LongList layers[] = {{"layers", report.layers.size(), [&](std::size_t i) {
                                return inspected_layer(report.layers[i],
                                                       report.compute_time.has_value());
                              }}};
  json["layers"] = place_of(layers[0]);
  json["assumed"] = report.assumed;
  return text_with(json, layers);
}

}  // namespace

extern const Writer json_writer;
const Writer json_writer{.name = "json",
                         .summary = "everything, for other programs (docs/formats.md, 5)",
                         .prediction = &prediction,
                         .comparison = &comparison,
                         .inspection = &inspection,
                         .replay = &json_replay,
                         .max_batch = &json_max_batch,
                         .validation = &json_validation};

}  // namespace ooc
