// Rows leave one by one while the sweep runs.
#include "cli/sweep/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "model/base/named.hpp"
#include "model/base/quantity_io.hpp"
#include "reports/writers/csv.hpp"
#include "reports/writers/json.hpp"
#include "reports/writers/text_table.hpp"
#include "simulator/predict/remarks.hpp"
#include "simulator/summary/metrics.hpp"

namespace ooc {
namespace {

std::string csv_begin(const ToolInfo&, const RunInputs& first) {
  const std::string line = csv_header(first);
  return line.substr(0, line.size() - 1) + ",error\n";
}
void add_csv(std::string& out, const RunReport& report, std::optional<std::string_view> error) {
  add_csv_fields(out, report, error ? CsvFields::kInputs : CsvFields::kAll);
  out += ',';
  if (error) out += csv_field(*error);
  out += '\n';
}
std::string nothing(const SweepEnd&) { return ""; }

std::string json_begin(const ToolInfo& tool, const RunInputs&) {
  std::string out;
  JsonWriter json(out, JsonLayout::kLine);
  json.begin_object().line(0).member("format", "ooc-paleo/sweep").line(0).member("version", 1);
  json.line(0).begin_object("tool").member("version", tool.version);
  json.member("command", tool.command).end().line(0).begin_list("results");
  return out;
}

void add_json(std::string& out, const RunReport& report, std::optional<std::string_view> error) {
  out += '\n';
  JsonWriter json(out, JsonLayout::kLine);
  json.begin_object();
  for (const Metric* column : columns_for(report.inputs)) {
    const bool known = !error || column->group == "inputs";
    put_metric(json, column->name, known ? column->read(report) : MetricValue());
  }
  json.member("error", error).end();
}

/// Of axes by which knees are always told apart; others are where they have several values.
constexpr std::string_view kKeyColumns[] = {"network",      "hardware", "batch",
                                            "memory_bytes", "schedule", "far_memory_bytes"};

void put_keys(JsonWriter& json, const SweepEnd& end, const Knee& knee) {
  RunReport report;
  report.inputs = inputs_at(end.grid, end.inputs, knee.row);
  const std::vector<const Metric*> columns = columns_for(report.inputs);
  const auto put = [&](std::string_view name) {
    for (const Metric* column : columns) {
      if (column->name == name) put_metric(json, name, column->read(report));
    }
  };
  for (const std::string_view name : kKeyColumns) put(name);
  std::string_view before;
  for (const Option& axis : axis_kinds()) {
    const bool known = contains(kKeyColumns, axis.column);
    if (!known && axis.column != before && axis.flag != "--link" &&
        end.grid.lists().of(axis.flag).size() > 1) {
      put(axis.column);
      before = axis.column;
    }
  }
}

/// The columns by which rows differ because lists say so, and what people call them. What follows from these is no axis.
void put_axes(JsonWriter& json, const SweepEnd& end) {
  std::vector<std::pair<std::string_view, std::string>> axes;
  const auto add = [&](std::string_view column, std::string label) {
    const auto is_there = [&](const auto& axis) { return axis.first == column; };
    if (std::ranges::none_of(axes, is_there)) axes.emplace_back(column, std::move(label));
  };
  const auto& asked = end.inputs.columns;
  const bool has_state = contains(asked, "offload");
  for (const Option& axis : axis_kinds()) {
    if (end.grid.lists().of(axis.flag).size() < 2) continue;
    add(axis.column, option_label(axis));
    // Where gradients add up is in the column of what moves.
    if (axis.flag == "--accumulate" && has_state) add("offload", "offload");
  }
  json.line(0).begin_list("axes");
  for (const auto& [column, label] : axes) {
    json.begin_object().member("column", column).member("label", label).end();
  }
  json.end();
}

/// What any row on a machine rests on.
void put_assumed(JsonWriter& json, const SweepEnd& end) {
  const auto& [grid, inputs, summary] = end;
  std::set<std::string> assumed;
  const RunInputs first = inputs_at(grid, inputs, 0);
  const Framework& framework = framework_of(inputs.frameworks.front());
  for (const Machine& machine : inputs.machines) {
    for (std::string& each : assumed_in_use(machine.profile, first, framework)) {
      if (inputs.machines.size() > 1) each.insert(0, machine.profile.name + ": ");
      assumed.insert(std::move(each));
    }
  }
  json.line(0).begin_list("assumed");
  for (const std::string& each : assumed) json.value(each);
  json.end();
}

std::string json_end(const SweepEnd& end) {
  std::string out;
  JsonWriter json(out, JsonLayout::kLine, "{[");
  json.line(0).end().line(0).begin_list("knees");
  for (const Knee& knee : end.summary.knees) {
    json.line(0).begin_object();
    put_keys(json, end, knee);
    json.member("within_1_percent_link_bytes_per_s", knee.within_1_percent);
    json.member("within_5_percent_link_bytes_per_s", knee.within_5_percent);
    json.end();
  }
  json.line(0).end().line(0).begin_list("remarks");
  for (const Machine& machine : end.inputs.machines) {
    const int devices = machine.profile.devices;
    if (devices <= 1 || end.inputs.devices > 1) continue;
    json.value(machine.profile.name + ": " + devices_remark(devices));
  }
  json.end();
  put_axes(json, end);
  put_assumed(json, end);
  json.line(0).member("complete", !end.summary.stopped).line(0).end();
  return out + "\n";
}

// Rows of JSON begin their lines, and these end them.
void add_jsonl(std::string& out, const RunReport& report, std::optional<std::string_view> error) {
  const std::size_t begin = out.size();
  add_json(out, report, error);
  out.erase(begin, 1);
  out += '\n';
}
std::string jsonl_begin(const ToolInfo&, const RunInputs&) { return ""; }

constexpr SweepFormat kSweepFormats[] = {
    {.name = "csv", .begin = &csv_begin, .rows = {&add_csv, ""}, .end = &nothing},
    {.name = "json", .begin = &json_begin, .rows = {&add_json, ","}, .end = &json_end},
    {.name = "jsonl", .begin = &jsonl_begin, .rows = {&add_jsonl, ""}, .end = &nothing},
    {.name = "sqlite", .begin = &csv_begin, .rows = {&add_csv, ""}, .end = &nothing}};

std::string link_text(const std::optional<BytesPerSecond>& link) {
  return link ? format_rate(*link) : "none";
}

/// ", batch 256, 12 GiB, far 64 GiB, devices 2": what lists say of the row, but names and links, and, of all but the
/// first three, what stands alone.
std::string axes_text(const SweepEnd& end, std::size_t row) {
  const SweepPlace place = end.grid.place_at(row);
  std::string text;
  for (std::size_t i = 0; i < axis_kinds().size(); ++i) {
    const Option& axis = axis_kinds()[i];
    const auto& values = end.grid.lists().values[i];
    if (axis.flag == "--symbol" && values.size() > 1) {
      text +=
          ", " + symbols_text(end.grid.lists().symbols[static_cast<std::size_t>(values[place[i]])]);
    }
    if (axis.values.show == nullptr || values.empty() || axis.flag == "--link") continue;
    const std::string value = axis.values.show(values[place[i]]);
    if (axis.flag == "--memory") {
      text += ", " + value;
    } else if (axis.flag == "--far-memory") {
      text += ", far " + value;
    } else if (axis.flag == "--batch" || values.size() > 1) {
      text += ", " + option_label(axis) + " " + value;
    }
  }
  return text;
}

}  // namespace

const SweepFormat* find_sweep_format(std::string_view name) {
  return find_named(kSweepFormats, name);
}

std::string knee_table(const SweepEnd& end, std::size_t most, const Look& look) {
  TextTable table({left("job"), left("within 1 %"), left("within 5 %")});
  for (const Knee& knee :
       std::span(end.summary.knees).first(std::min(most, end.summary.knees.size()))) {
    const RunInputs inputs = inputs_at(end.grid, end.inputs, knee.row);
    table.add_row(
        {fmt::format("{}{} on {}{}, {}", inputs.network,
                     end.inputs.framework_names.size() < 2 ? "" : " in " + inputs.framework,
                     inputs.hardware, axes_text(end, knee.row), inputs.schedule),
         link_text(knee.within_1_percent), link_text(knee.within_5_percent)});
  }
  std::string out =
      "The slowest link of the list that comes within 1 % and 5 % of computing alone:\n" +
      table.text(look);
  if (end.summary.knees_in_all > most) {
    out +=
        fmt::format("  ... and {} more (-o FILE.json has all)\n", end.summary.knees_in_all - most);
  }
  return out;
}

}  // namespace ooc
