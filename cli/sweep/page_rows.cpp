#include "cli/sweep/page_rows.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "cli/sweep/sqlite_rows.hpp"
#include "model/base/errors.hpp"
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

/// Numbers and yes or no stand in CSV as in JSON; what is empty is not known, or not given.
std::string as_json(const std::string& field, bool is_text) {
  if (field.empty()) return "null";
  if (is_text) return json_string(field);
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

/// The values of a key in the texts of flat objects, one after the other: no text in them has a quote without its backslash.
class ValuesOf {
 public:
  ValuesOf(std::string_view rows, std::string_view key)
      : rows_(rows), key_('"' + std::string(key) + "\":") {}
  /// None: null.
  std::optional<Duration> next() {
    at_ = rows_.find(key_, at_);
    OOC_CHECK(at_ != std::string_view::npos, "every row has every column");
    at_ = rows_.find_first_not_of(' ', at_ + key_.size());
    std::int64_t value = 0;
    const auto [end, error] =
        std::from_chars(rows_.data() + at_, rows_.data() + rows_.size(), value);
    if (error != std::errc()) return std::nullopt;
    return Duration(value);
  }

 private:
  std::string_view rows_;
  std::string key_;
  std::size_t at_ = 0;
};

/// What the sweep found when it worked these rows out, but for why there is none.
void find_knees(std::string_view rows, const SweepGrid& grid, RowRange range, KneeSpool& knees) {
  const std::size_t links = grid.rows_of_line();
  if (links < 2) return;
  ValuesOf times(rows, "iteration_time_ns");
  ValuesOf references(rows, "reference_time_ns");
  std::optional<KneeFinder> finder;
  for (std::size_t row = range.begin; row < range.end; ++row) {
    const std::size_t link = row % links;
    if (link == 0) finder.emplace(row);
    const auto time = times.next();
    const auto reference = references.next();
    if (!finder) continue;
    LinkTime ran;
    ran.feasible = time && reference;
    if (time) ran.iteration_time = *time;
    if (reference) ran.reference_time = *reference;
    finder->add(BytesPerSecond(grid.lists().of("--link")[link]), ran);
    if (link + 1 < links) continue;
    Knee knee = finder->knee();
    knee.not_within_1_percent = knee.not_within_5_percent = NoKnee::kNone;
    knees.add(knee);
  }
}

std::string list_of_lines(std::string text) {
  if (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ',');
  return "[" + text + "]";
}

}  // namespace

std::string rows_as_json(const SweepFormat& format, std::string rows, const ToolInfo& tool,
                         SweepEnd end, RowRange range) {
  if (format.name == "json") return rows;
  const std::string list = format.name == "csv"     ? list_of_csv(rows)
                           : format.name == "jsonl" ? list_of_lines(std::move(rows))
                                                    : std::move(rows);
  KneeSpool knees;
  find_knees(list, end.grid, range, knees);
  end.all_knees = &knees;
  const SweepFormat& json = *find_sweep_format("json");
  std::string out = json.begin(tool, inputs_at(end.grid, end.inputs, range.begin));
  out += std::string_view(list).substr(1, list.size() - 2);
  json.end(end, [&](std::string_view text) { out += text; });
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
