#include "reports/writers/json_parts.hpp"

#include <algorithm>
#include <vector>

#include "reports/writers/text_table.hpp"

namespace ooc {

void put_head(JsonWriter& json, std::string_view format, const ToolInfo& tool) {
  json.member("format", format).member("version", 1);
  json.begin_object("tool").member("version", tool.version).member("command", tool.command).end();
}

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

namespace {

/// Where what was asked for has the key of what follows from it, that has another.
constexpr std::pair<std::string_view, std::string_view> kMeanings[] = {
    {"network", "network_name"}, {"hardware", "hardware_name"}, {"layer_times", "timed_layers"}};

}  // namespace

InputsWriter::InputsWriter(JsonWriter& json, const AskedFor& asked) : json_(json), asked_(asked) {
  json.begin_object("inputs");
}

void InputsWriter::put(std::string_view key, const MetricValue& value) {
  const auto found = std::find_if(asked_.begin(), asked_.end(),
                                  [&](const auto& each) { return each.first == key; });
  if (found == asked_.end()) return put_metric(json_, key, value);
  json_.member(key, JsonText{found->second});
  const auto* text = std::get_if<std::string>(&value);
  const bool is_same = text != nullptr && json_string(*text) == found->second;
  asked_.erase(found);
  for (const auto& [of, meaning] : kMeanings) {
    if (of == key && !is_same) put_metric(json_, meaning, value);
  }
}

void InputsWriter::end(std::initializer_list<std::string_view> but) {
  for (const auto& [key, value] : asked_) {
    if (std::find(but.begin(), but.end(), key) == but.end()) json_.member(key, JsonText{value});
  }
  json_.end();
}

void begin_group(JsonWriter& json, std::string_view group, const RunReport& report) {
  json.begin_object(group);
  for (const Metric* column : columns_for(report.inputs)) {
    if (column->group == group) put_metric(json, column->key, column->read(report));
  }
}

void put_metrics(JsonWriter& json, const RunReport& report, std::vector<std::string_view> done) {
  for (const Metric& column : metrics()) {
    const std::string_view key = column.group.empty() ? column.key : column.group;
    if (std::find(done.begin(), done.end(), key) != done.end()) continue;
    done.push_back(key);
    if (column.group.empty()) {
      put_metric(json, key, column.read(report));
    } else {
      begin_group(json, key, report);
      json.end();
    }
  }
}

void put_out_of_memory(JsonWriter& json, const RunReport& report) {
  begin_group(json, "out_of_memory", report);
  json.objects("holders", report.out_of_memory->holders, [&](const OutOfMemory::Holder& holder) {
    json.member("name", holder.name).member("bytes", holder.bytes);
  });
  json.end();
}

void put_numbers(JsonWriter& json, const RunReport& report) {
  json.member("feasible", report.feasible);
  if (report.out_of_memory) put_out_of_memory(json, report);
  put_metrics(json, report, {"inputs", "feasible"});
  put_peaks(json, &report);
  if (!report.inputs.symbols.empty()) put_sequence(json, &report);
}

namespace {

void put_categories(JsonWriter& json, std::string_view key, const RunReport& run,
                    const BytesByCategory& held) {
  json.begin_object(key);
  for (std::size_t i = 0; i < kMemoryCategories; ++i) {
    const bool copies = static_cast<MemoryCategory>(i) == MemoryCategory::kWeightCopies;
    if (copies && run.inputs.precision.empty()) continue;
    json.member(category_name(static_cast<MemoryCategory>(i)), held.bytes[i]);
  }
  json.end();
}

}  // namespace

void put_peaks(JsonWriter& json, const RunReport* run) {
  const auto put = [&](std::string_view key, std::optional<BytesByCategory> RunReport::*peak) {
    if (run == nullptr || !(run->*peak)) {
      json.member(key, nullptr);
      return;
    }
    put_categories(json, key, *run, *(run->*peak));
  };
  put("peak_near_by_category", &RunReport::peak_near_by_category);
  put("peak_far_by_category", &RunReport::peak_far_by_category);
  if (run != nullptr && run->in_core_by_category) {
    put_categories(json, "in_core_peak_by_category", *run, *run->in_core_by_category);
  }
}

void put_precision(JsonWriter& json, const std::string& precision,
                   const std::string& gradient_dtype, const std::string& adapter_dtype) {
  if (!precision.empty()) json.member("precision", precision);
  if (!gradient_dtype.empty()) json.member("gradient_dtype", gradient_dtype);
  if (!adapter_dtype.empty()) json.member("adapter_dtype", adapter_dtype);
}

void put_sequence(JsonWriter& json, const RunReport* run) {
  if (run == nullptr || !run->sequence) {
    json.member("sequence", nullptr);
    return;
  }
  const SequenceRates& rates = *run->sequence;
  json.begin_object("sequence").member("tokens", rates.tokens);
  json.member("tokens_per_s", rates.tokens_per_s).member("model_flops", rates.model_flops);
  json.member("peak_flop_per_s", rates.peak ? std::optional(rates.peak->per_second) : std::nullopt);
  json.member("mfu", rates.mfu).end();
}

void put_symbols(JsonWriter& json, const RunInputs& inputs) {
  if (inputs.symbols.empty()) return;
  json.begin_object("symbols");
  for (const SymbolValue& each : inputs.symbols) json.member(each.name, each.value);
  json.end();
}

void put_inputs(JsonWriter& json, const RunInputs& inputs,
                std::initializer_list<std::string_view> but) {
  RunReport echo;  // columns of inputs read only these
  echo.inputs = inputs;
  const auto is_asked = [&asked = inputs.asked](std::string_view key) {
    return std::any_of(asked.begin(), asked.end(),
                       [&](const auto& each) { return each.first == key; });
  };
  InputsWriter out(json, inputs.asked);
  for (const Metric* column : columns_for(inputs)) {
    if (column->group != "inputs" || column->key.empty()) continue;
    if (std::find(but.begin(), but.end(), column->key) != but.end()) continue;
    out.put(column->key, column->read(echo));
  }
  json.member("far_memory_given", inputs.far_memory_given).member("dtype_given", is_asked("dtype"));
  if (!inputs.precision.empty()) json.member("precision_given", is_asked("precision"));
  json.member("framework_meaning", inputs.framework_meaning);
  for (const auto& [key, text] : {std::pair("precision", &inputs.precision),
                                  {"gradient_dtype", &inputs.gradient_dtype},
                                  {"adapter_dtype", &inputs.adapter_dtype}}) {
    if (!text->empty()) out.put(key, *text);
  }
  if (!inputs.offload.empty()) json.member("offload_meaning", inputs.offload);
  put_symbols(json, inputs);
  if (inputs.symbols.empty()) return out.end({});
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
