#include "reports/writers/json_parts.hpp"

#include <algorithm>
#include <vector>

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

namespace {

void put_rare(JsonWriter& json, std::string_view group, const RunReport& report) {
  for (const Metric& column : rare_input_columns()) {
    if (column.group != group || column.key.empty() || !is_given(column, report)) continue;
    put_metric(json, column.key, column.read(report));
  }
}

}  // namespace

void begin_group(JsonWriter& json, std::string_view group, const RunReport& report) {
  json.begin_object(group);
  for (const auto& columns : {input_columns(), metrics(), out_of_memory_columns()}) {
    for (const Metric& column : columns) {
      if (column.group == group) put_metric(json, column.key, column.read(report));
    }
  }
  put_rare(json, group, report);
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
}

void put_levers(JsonWriter& json, const RunReport& run) {
  if (run.in_core_by_category) {
    put_categories(json, "in_core_peak_by_category", run, *run.in_core_by_category);
  }
  if (run.levers.empty()) return;
  json.objects("levers", run.levers, [&](const Lever& lever) {
    json.member("change", lever.change).member("needs_bytes", lever.needs);
    json.member("saves_bytes", lever.saves).member("fits", lever.fits);
    if (lever.lacks_far > Bytes(0)) json.member("lacks_far_bytes", lever.lacks_far);
  });
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
  RunReport echo;
  echo.inputs = inputs;
  json.begin_object("inputs");
  json.member("framework", inputs.framework);
  json.member("framework_meaning", inputs.framework_meaning);
  for (const Metric& column : input_columns()) {  // these read only the inputs
    if (std::find(but.begin(), but.end(), column.key) != but.end()) continue;
    put_metric(json, column.key, column.read(echo));
  }
  json.member("dtype", inputs.dtype).member("far_memory_bytes", inputs.far_memory);
  put_precision(json, inputs.precision, inputs.gradient_dtype, inputs.adapter_dtype);
  put_symbols(json, inputs);
  put_rare(json, "inputs", echo);
  if (!inputs.offload.empty()) json.member("offload", inputs.offload);
  json.end();
}

}  // namespace ooc
