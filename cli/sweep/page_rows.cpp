#include "cli/sweep/page_rows.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "cli/sweep/sqlite_rows.hpp"
#include "model/base/json_writer.hpp"
#include "simulator/predict/assumed.hpp"

namespace ooc {
namespace {

/// The fields of the record at `at` (RFC 4180); `at` goes behind it.
std::vector<std::string> take_record(std::string_view text, std::size_t& at) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char each = text[at];
    if (each == '"') {
      const bool doubled = !quoted && at > 0 && text[at - 1] == '"';
      if (doubled) fields.back() += each;
      quoted = !quoted;
    } else if (each == ',' && !quoted) {
      fields.emplace_back();
    } else if (each == '\n' && !quoted) {
      ++at;
      break;
    } else {
      fields.back() += each;
    }
  }
  return fields;
}

/// Numbers and yes or no stand in CSV as in JSON.
std::string as_json(const std::string& field, bool is_text) {
  if (is_text) return json_string(field);
  if (field.empty()) return "null";
  const bool bare = field == "true" || field == "false" ||
                    field.find_first_not_of("+-.0123456789e") == std::string::npos;
  return bare ? field : json_string(field);
}

std::string list_of_csv(std::string_view text) {
  std::set<std::string> texts;
  for (const SqliteColumn& column : sqlite_result_columns()) {
    if (column.type == "TEXT" && column.name != "error") texts.insert(column.name);
  }
  std::size_t at = 0;
  const std::vector<std::string> columns = take_record(text, at);
  std::string out = "[";
  while (at < text.size()) {
    const std::vector<std::string> fields = take_record(text, at);
    out += out.size() > 1 ? ",{" : "{";
    for (std::size_t i = 0; i < columns.size() && i < fields.size(); ++i) {
      if (i > 0) out += ',';
      out += json_string(columns[i]) + ':' + as_json(fields[i], texts.count(columns[i]) > 0);
    }
    out += '}';
  }
  return out + "]";
}

std::string list_of_lines(std::string text) {
  if (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ',');
  return "[" + text + "]";
}

}  // namespace

std::string rows_as_json(const SweepFormat& format, std::string rows, const ToolInfo& tool) {
  if (format.name == "json") return rows;
  std::string out;
  JsonWriter json(out, JsonLayout::kCompact);
  json.begin_object().member("format", "ooc-paleo/sweep").member("version", 1);
  json.begin_object("tool").member("version", tool.version).member("command", tool.command).end();
  json.member("results", JsonText{format.name == "csv"     ? list_of_csv(rows)
                                  : format.name == "jsonl" ? list_of_lines(std::move(rows))
                                                           : std::move(rows)});
  json.end();
  return out;
}

std::string sweep_footnotes(const SweepGrid& grid, const SweepInputs& inputs) {
  std::set<std::string> assumed;
  const RunInputs first = inputs_at(grid, inputs, 0);
  for (std::size_t i = 0; i < inputs.machines.size(); ++i) {
    const Framework framework = inputs.frameworks.empty() || !inputs.frameworks.front()
                                    ? Framework{}
                                    : *inputs.frameworks.front();
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
