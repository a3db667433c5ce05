// Values are looked up by the name of their column, and people see them by the unit in that name.
#include "reports/writers/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/base/named.hpp"
#include "model/base/quantity_io.hpp"
#include "reports/writers/csv.hpp"
#include "reports/writers/json.hpp"
#include "reports/writers/text_table.hpp"

namespace ooc {
namespace {

bool is_unknown(const MetricValue& value) { return std::holds_alternative<std::monostate>(value); }

MetricValue if_runs(const RunReport& report, const MetricValue& value) {
  return report.feasible ? value : MetricValue{};
}

/// "link to near, 18 %": short, for the last column.
std::string loss_of(const RunReport& report) {
  const std::optional<LargestLoss> loss = largest_loss(report);
  if (!loss.has_value()) return "none";
  std::string_view name = limit_name(*loss, report);
  if (name.starts_with("link ")) name = name.substr(0, name.find(" memory"));
  if (loss->share < 0.005) return fmt::format("{}, < 1 %", name);
  return fmt::format("{}, {:.0f} %", name, loss->share * 100);
}

std::string smallest(const OutOfMemory& oom) {
  const std::optional<Bytes> bytes = needed_bytes(oom);
  return bytes ? std::string(needed_word(oom)) + bytes_to_the_last(*bytes) : "unknown";
}

/// What follows from metrics, for people alone.
struct Derived {
  std::string_view name;
  MetricValue (*read)(const RunReport& report);
};
constexpr Derived kDerived[] = {
    {"row", [](const RunReport& r) -> MetricValue { return row_name(r); }},
    {"copied_bytes", [](const RunReport& r) { return if_runs(r, (r.to_far + r.to_near).count()); }},
    {"copies_by",
     [](const RunReport& r) {
       const bool moves = r.to_far + r.to_near > Bytes(0);
       return moves ? if_runs(r, r.link_limited_by) : MetricValue{};
     }},
    {"largest_loss", [](const RunReport& r) { return if_runs(r, loss_of(r)); }},
    {"lacking_bytes",
     [](const RunReport& r) -> MetricValue {
       if (!r.out_of_memory) return {};
       return lacking_bytes(r).count();
     }},
    {"suffices",
     [](const RunReport& r) -> MetricValue {
       if (!r.out_of_memory) return {};
       return smallest(*r.out_of_memory);
     }},
};

std::optional<std::size_t> place_of(const ResultRows& rows, std::string_view name) {
  const auto found = std::ranges::find(rows.extra, name);
  if (found == rows.extra.end()) return std::nullopt;
  return static_cast<std::size_t>(found - rows.extra.begin());
}

MetricValue value_of(const ResultRows& rows, const ResultRow& row, std::string_view name) {
  if (const auto place = place_of(rows, name)) return row.extra[*place];
  if (row.runs.empty()) return {};
  if (const Derived* each = find_named(kDerived, name)) return each->read(row.runs.front());
  return find_named(metrics(), name)->read(row.runs.front());
}

// For people.

std::string number_text(double number, std::string_view name) {
  if (name == "slowdown" || name == "gain") return significant(number) + "x";
  if (name == "gap") return format_percent(number);
  return name == "tokens_per_s" ? tokens_text(number) : significant(number);
}

std::string count_text(std::int64_t count, std::string_view name) {
  if (name.ends_with("bytes_per_s")) return format_rate(BytesPerSecond(count));
  if (name.ends_with("_bytes")) return format_bytes(Bytes(count));
  if (name.ends_with("_ns")) return format_duration(Duration(count));
  return name == "parameters" ? si_count(count) : group_thousands(count);
}

std::string cell_text(const RowColumn& column, const MetricValue& value) {
  if (is_unknown(value)) return "-";
  if (column.show != nullptr) return column.show(value);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return count_text(*whole, column.name);
  if (const auto* real = std::get_if<double>(&value)) return number_text(*real, column.name);
  const std::string text = metric_text(value);
  return text == "inf" ? format_rate(kInfiniteRate) : text;
}

std::string columns_text(const ResultRows& rows, const std::vector<RowColumn>& columns, bool fails,
                         const std::string& title, const Look& look) {
  std::vector<TextTable::Column> titles;
  std::vector<std::vector<std::string>> lines;
  for (const ResultRow& row : rows.rows) {
    if (row.fails == fails) lines.emplace_back();
  }
  if (lines.empty() || columns.empty()) return "";
  std::vector<const RowColumn*> shown;
  for (const RowColumn& column : columns) {
    std::vector<std::string> cells;
    bool known = false;
    bool texts = true;
    for (const ResultRow& row : rows.rows) {
      if (row.fails != fails) continue;
      const MetricValue value = value_of(rows, row, column.name);
      known = known || !is_unknown(value);
      texts = texts && (is_unknown(value) || std::holds_alternative<std::string>(value));
      cells.push_back(cell_text(column, value));
    }
    const bool usual =
        std::ranges::all_of(cells, [&](const std::string& cell) { return cell == column.usual; });
    if (!known || usual) continue;
    titles.push_back({column.title, texts ? Align::kLeft : Align::kRight, column.leaves});
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i].push_back(std::move(cells[i]));
    shown.push_back(&column);
  }
  TextTable table(std::move(titles));
  for (std::vector<std::string>& line : lines) table.add_row(std::move(line));
  std::string text = "\n" + title + table.text(look);
  for (const RowColumn* column : shown) {
    if (column->note.empty() || !table.shows(column->title, look)) continue;
    text += fmt::format("  {}: {}\n", column->title, column->note);
  }
  return text;
}

/// Schedules differ in how they copy: what any run on a machine rests on.
std::map<std::string, std::vector<std::string>> assumed_by_machine(const ResultRows& rows) {
  std::map<std::string, std::vector<std::string>> assumed;
  for (const ResultRow& row : rows.rows) {
    for (const RunReport& run : row.runs) {
      std::vector<std::string>& fields = assumed[run.inputs.hardware];
      for (const std::string& field : run.assumed) {
        if (!contains(fields, field)) fields.push_back(field);
      }
    }
  }
  return assumed;
}

// For programs.

void put_row(JsonWriter& json, const ResultRows& rows, const ResultRow& row, const ToolInfo& tool) {
  if (rows.json_runs == RowRuns::kResults) {
    for (const std::string_view name : {"hardware", "link_bytes_per_s", "feasible"}) {
      put_metric(json, name, value_of(rows, row, name));
    }
  }
  for (std::size_t i = 0; i < rows.extra.size(); ++i) put_metric(json, rows.extra[i], row.extra[i]);
  switch (rows.json_runs) {
    case RowRuns::kNumbers:
      if (!row.runs.empty()) put_numbers(json, row.runs.front());
      break;
    case RowRuns::kResult:
      put_result(json, row.runs.front(), tool);
      break;
    case RowRuns::kResults:
      json.member("remarks", row.remarks);
      json.objects("results", row.runs, [&](const RunReport& run) { put_result(json, run, tool); });
      break;
  }
}

/// The run that the first row with one stands for; null: no row has one.
const RunReport* first_run(const ResultRows& rows) {
  for (const ResultRow& row : rows.rows) {
    if (!row.runs.empty()) return &row.runs.front();
  }
  return nullptr;
}

}  // namespace

std::string row_name(const RunReport& report) {
  return report.inputs.row.empty() ? report.inputs.schedule : report.inputs.row;
}

std::string job_text(const RunInputs& inputs, bool with_hardware, bool with_batch) {
  std::string text = network_text(inputs);
  if (with_hardware) text += " on " + inputs.hardware;
  if (with_batch) text += ", batch " + group_thousands(inputs.batch);
  if (inputs.devices > 1) text += " over " + devices_text(inputs);
  return printable(text + ", " + framework_text(inputs.framework, inputs.framework_meaning));
}

std::string table_rows(const ResultRows& rows, const WriteOptions& options) {
  const Look& look = options.look;
  std::string text = bold(rows.title, look) + "\n";
  for (const std::string& line : rows.head) text += line + "\n";
  text += columns_text(rows, rows.columns, false, "", look) + rows.notes +
          columns_text(rows, rows.failing_columns, true, bold_red(rows.failing_title, look) + "\n",
                       look) +
          rows.more;
  for (const auto& [hardware, fields] : assumed_by_machine(rows)) {
    text += assumed_warning(hardware, fields, look);
  }
  if (const RunReport* best = first_run(rows)) text += measured_errors(*best, look);
  return text;
}

std::string json_rows(const ResultRows& rows, const WriteOptions& options) {
  std::string text;
  JsonWriter json(text);
  begin_result(json, rows.format, options.tool);
  if (rows.inputs) put_inputs(json, *rows.inputs, {"schedule", rows.without});
  for (const auto& [key, value] : rows.facts) put_metric(json, key, value);
  json.objects(rows.list, rows.rows,
               [&](const ResultRow& row) { put_row(json, rows, row, options.tool); });
  if (const RunReport* best = first_run(rows)) put_measured_errors(json, *best);
  if (rows.inputs) {
    std::vector<std::string> assumed;
    for (const auto& [hardware, fields] : assumed_by_machine(rows)) assumed = fields;
    json.member("assumed", assumed).member("remarks", rows.remarks);
  }
  json.end();
  return std::move(text) + "\n";
}

std::string csv_rows(const ResultRows& rows, const WriteOptions& /*options*/) {
  std::vector<const Metric*> columns;
  for (const Metric& column : metrics()) {
    const auto has = [&](const ResultRow& row) {
      return !row.runs.empty() && is_given(column, row.runs.front());
    };
    if (is_given(column, {}) || std::ranges::any_of(rows.rows, has)) columns.push_back(&column);
  }
  std::vector<std::string_view> names;
  for (const Metric* column : columns) names.push_back(column->name);
  for (const std::string_view name : rows.extra) {
    if (!contains(names, name)) names.push_back(name);
  }
  std::string text = fmt::format("{}\n", fmt::join(names, ","));
  RunReport asked;
  if (rows.inputs) asked.inputs = *rows.inputs;
  for (const ResultRow& row : rows.rows) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i > 0) text += ',';
      MetricValue value = value_of(rows, row, names[i]);
      // Without a run what was asked for is all that there is.
      const bool is_input = i < columns.size() && columns[i]->group == "inputs";
      if (row.runs.empty() && is_input && !place_of(rows, names[i]))
        value = columns[i]->read(asked);
      add_csv_value(text, value, names[i]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace ooc
