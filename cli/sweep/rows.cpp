// Rows leave one by one while the sweep runs. Doubles are printed as in CSV, as the shortest text that
// reads back to the same value, so the bytes are the same on every machine.
#include "cli/sweep/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "cli/remarks.hpp"
#include "model/base/json_writer.hpp"
#include "model/base/quantity_io.hpp"
#include "reports/writers/csv.hpp"
#include "reports/writers/text_table.hpp"
#include "simulator/predict/assumed.hpp"
#include "simulator/predict/remarks.hpp"
#include "simulator/summary/metrics.hpp"

namespace ooc {
namespace {

/// `line` with one field more.
void add_with_error(std::string& out, std::string_view line, std::string_view error) {
  out += line.substr(0, line.size() - 1);
  out += ',';
  out += csv_field(error);
  out += '\n';
}

std::string csv_begin(const ToolInfo&, const RunInputs& first) {
  std::string out;
  add_with_error(out, csv_header(first), "error");
  return out;
}
void add_csv_row(std::string& out, const RunReport& report) {
  add_csv_fields(out, report);
  out += ",\n";
}
void add_csv_failure(std::string& out, const RunInputs& inputs, std::string_view error) {
  add_with_error(out, csv_row(inputs), error);
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

void put_metric(JsonWriter& json, std::string_view key, const MetricValue& value) {
  json.key(key);
  if (const auto* text = std::get_if<std::string>(&value)) {
    json.value(*text);
  } else {
    std::string number = metric_text(value);
    json.value(JsonText{number.empty() ? "null" : std::move(number)});
  }
}

/// With `error` what was asked for is all that there is.
void add_json_columns(std::string& out, const RunReport& report,
                      const std::optional<std::string_view>& error) {
  out += '\n';
  JsonWriter json(out, JsonLayout::kLine);
  json.begin_object();
  for (const Metric* column : columns_for(report.inputs)) {
    const bool known = !error || column->group == "inputs";
    put_metric(json, column->name, known ? column->read(report) : MetricValue());
  }
  json.member("error", error).end();
}

void add_json_row(std::string& out, const RunReport& report) {
  add_json_columns(out, report, std::nullopt);
}

void add_json_failure(std::string& out, const RunInputs& inputs, std::string_view error) {
  RunReport report;
  report.inputs = inputs;
  add_json_columns(out, report, error);
}

void put_link(JsonWriter& json, std::string_view key, const std::optional<BytesPerSecond>& link) {
  if (link == kInfiniteRate) {
    json.member(key, "inf");
  } else {
    json.member(key, link);
  }
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
    const bool known = std::find(std::begin(kKeyColumns), std::end(kKeyColumns), axis.column) !=
                       std::end(kKeyColumns);
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
    if (std::none_of(axes.begin(), axes.end(), is_there)) {
      axes.emplace_back(column, std::move(label));
    }
  };
  for (const Option& axis : axis_kinds()) {
    if (end.grid.lists().of(axis.flag).size() < 2) continue;
    add(axis.column, option_label(axis));
    // Where gradients add up is in the column of what moves.
    if (axis.flag == "--accumulate" && end.inputs.columns.offload) add("offload", "offload");
  }
  json.line(0).begin_list("axes");
  for (const auto& [column, label] : axes) {
    json.begin_object().member("column", column).member("label", label).end();
  }
  json.end();
}

void put_cause(JsonWriter& json, std::string_view key, NoKnee cause) {
  json.member(key, cause == NoKnee::kNone ? std::nullopt : std::optional(no_knee_name(cause)));
}

std::string json_end(const SweepEnd& end) {
  std::string out;
  JsonWriter json(out, JsonLayout::kLine, "{[");
  json.line(0).end().line(0).begin_list("knees");
  for (const Knee& knee : end.summary.knees) {
    json.line(0).begin_object();
    put_keys(json, end, knee);
    put_link(json, "within_1_percent_link_bytes_per_s", knee.within_1_percent);
    put_link(json, "within_5_percent_link_bytes_per_s", knee.within_5_percent);
    put_cause(json, "not_within_1_percent", knee.not_within_1_percent);
    put_cause(json, "not_within_5_percent", knee.not_within_5_percent);
    json.end();
  }
  json.line(0).end().line(0).begin_list("remarks");
  for (std::size_t i = 0; i < end.inputs.machines.size(); ++i) {
    const int devices = end.inputs.machines[i].profile.devices;
    if (devices <= 1 || end.inputs.devices > 1) continue;
    json.value(end.inputs.hardware_names[i] + ": " + devices_remark(devices));
  }
  json.end();
  put_axes(json, end);
  json.line(0).member("complete", !end.summary.stopped).line(0).end();
  return out + "\n";
}

// Rows of JSON begin their lines, and these end them.
void as_json_line(std::string& out, std::size_t begin) {
  out.erase(begin, 1);
  out += '\n';
}
void add_jsonl_row(std::string& out, const RunReport& report) {
  const std::size_t begin = out.size();
  add_json_row(out, report);
  as_json_line(out, begin);
}
void add_jsonl_failure(std::string& out, const RunInputs& inputs, std::string_view error) {
  const std::size_t begin = out.size();
  add_json_failure(out, inputs, error);
  as_json_line(out, begin);
}
std::string jsonl_begin(const ToolInfo&, const RunInputs&) { return ""; }

constexpr RowFormat kCsvRows{.row = &add_csv_row, .failure = &add_csv_failure, .between = ""};
constexpr RowFormat kJsonlRows{.row = &add_jsonl_row, .failure = &add_jsonl_failure, .between = ""};

template <const RowFormat& kRows>
constexpr RowFormat kWithJson{
    .row =
        [](std::string& out, const RunReport& report) {
          kRows.row(out, report);
          out += kBehindPart;
          add_json_row(out, report);
          out += kBehindPart;
        },
    .failure =
        [](std::string& out, const RunInputs& inputs, std::string_view error) {
          kRows.failure(out, inputs, error);
          out += kBehindPart;
          add_json_failure(out, inputs, error);
          out += kBehindPart;
        },
    .between = ""};

constexpr SweepFormat kCsv{.name = "csv",
                           .begin = &csv_begin,
                           .rows = kCsvRows,
                           .with_json = kWithJson<kCsvRows>,
                           .end = &nothing};
constexpr SweepFormat kSqlite{.name = "sqlite",
                              .begin = &csv_begin,
                              .rows = kCsvRows,
                              .with_json = kWithJson<kCsvRows>,
                              .end = &nothing};
constexpr SweepFormat kJsonl{.name = "jsonl",
                             .begin = &jsonl_begin,
                             .rows = kJsonlRows,
                             .with_json = kWithJson<kJsonlRows>,
                             .end = &nothing};
constexpr RowFormat kJsonRows{.row = &add_json_row, .failure = &add_json_failure, .between = ","};
constexpr SweepFormat kJson{.name = "json",
                            .begin = &json_begin,
                            .rows = kJsonRows,
                            .with_json = kJsonRows,
                            .end = &json_end};

/// "none (recomputes)" and "64 GB/s"; of one cause for both "none" and "none (does not fit)".
std::pair<std::string, std::string> links_text(const Knee& knee) {
  const auto text = [&](const std::optional<BytesPerSecond>& link, NoKnee cause) {
    return link                     ? format_rate(*link)
           : cause == NoKnee::kNone ? "none"
                                    : fmt::format("none ({})", no_knee_text(cause));
  };
  const bool one_cause = knee.not_within_1_percent == knee.not_within_5_percent;
  return {text(knee.within_1_percent, one_cause ? NoKnee::kNone : knee.not_within_1_percent),
          text(knee.within_5_percent, knee.not_within_5_percent)};
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
    if (axis.show == nullptr || values.empty() || axis.flag == "--link") continue;
    const std::string value = axis.show(values[place[i]]);
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
  for (const SweepFormat* format : {&kCsv, &kJson, &kJsonl, &kSqlite}) {
    if (format->name == name) return format;
  }
  return nullptr;
}

std::string knee_table(const SweepEnd& end, std::size_t most, const Look& look) {
  TextTable table(
      {{"job", Align::kLeft}, {"within 1 %", Align::kLeft}, {"within 5 %", Align::kLeft}});
  for (const Knee& knee :
       std::span(end.summary.knees).first(std::min(most, end.summary.knees.size()))) {
    const RunInputs inputs = inputs_at(end.grid, end.inputs, knee.row);
    auto [within_1, within_5] = links_text(knee);
    table.add_row(
        {fmt::format("{}{} on {}{}, {}", inputs.network,
                     end.inputs.framework_names.size() < 2 ? "" : " in " + inputs.framework,
                     inputs.hardware, axes_text(end, knee.row), inputs.schedule),
         std::move(within_1), std::move(within_5)});
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

std::string sweep_footnotes(const SweepGrid& grid, const SweepInputs& inputs) {
  std::set<std::string> assumed;
  const RunInputs first = inputs_at(grid, inputs, 0);
  const Framework framework = inputs.frameworks.empty() || !inputs.frameworks.front()
                                  ? Framework{}
                                  : *inputs.frameworks.front();
  for (std::size_t i = 0; i < inputs.machines.size(); ++i) {
    for (std::string& each : assumed_in_use(inputs.machines[i].profile, first, framework)) {
      if (inputs.machines.size() > 1) each.insert(0, inputs.hardware_names[i] + ": ");
      assumed.insert(std::move(each));
    }
  }
  std::string out;
  JsonWriter json(out, JsonLayout::kCompact);
  json.begin_object().member("format", "ooc-paleo/footnotes").member("version", 1);
  json.member("assumed", std::vector<std::string>(assumed.begin(), assumed.end())).end();
  return out;
}

}  // namespace ooc
