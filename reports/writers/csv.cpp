// CSV: one line per result for predict and compare, one line per layer for inspect, one per step for
// replay, one per schedule for max-batch and need.
#include "reports/writers/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "reports/writers/text_table.hpp"
#include "reports/writers/writer.hpp"

namespace ooc {
namespace {

// A number, as all rates are: SQLite and spreadsheets would make a text of "inf", and of 1e999.
constexpr std::string_view kInfiniteRateField = "1e308";

// Nearly every field of a sweep's rows: nothing to quote, nothing to escape.
bool is_plain(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return c >= ' ' && c < '\x7f' && c != ',' && c != '"' && c != '\\'; });
}

// What makes a spreadsheet take a cell for a formula, and the mark that keeps it from doing so.
constexpr std::string_view kGuarded = "=+-@\t\r'";
// Some take the full-width forms of the first four for these.
constexpr std::array<std::string_view, 4> kGuardedWide{"\uff1d", "\uff0b", "\uff0d", "\uff20"};

bool is_guarded(std::string_view name) {
  if (name.empty()) return false;
  return kGuarded.find(name.front()) != std::string_view::npos ||
         std::ranges::any_of(kGuardedWide,
                             [&](std::string_view wide) { return name.starts_with(wide); });
}

std::string prediction_csv(const RunReport& report, const WriteOptions&) {
  return csv_header(report.inputs) + csv_row(report);
}

std::string inspection_csv(const NetworkReport& report, const WriteOptions&) {
  std::string text =
      "layer,type,output_shape,parameters,forward_macs,forward_flops,backward_flops,saved_bytes,"
      "forward_s,backward_data_s,backward_weights_s\n";
  for (const LayerReport& layer : report.layers) {
    text +=
        fmt::format("{},{},{},{},{},{},{},{},", csv_field(layer.name), csv_field(layer.type),
                    TensorShape{layer.output_shape}.text(), layer.parameters, layer.forward_macs,
                    layer.forward_flops, layer.backward_flops, layer.saved.count());
    if (report.compute_time.has_value()) {
      text += fmt::format("{},{},{}\n", layer.forward_s, layer.backward_data_s,
                          layer.backward_weights_s);
    } else {
      text += ",,\n";
    }
  }
  return text;
}

}  // namespace

std::string csv_text(std::string_view name) {
  // People also read CSV on terminals, and tools line by line: a row is one line.
  return (is_guarded(name) ? "'" : "") +
         (is_plain(name) ? std::string(name) : escaped_controls(name, "\\", "\t"));
}

std::string csv_field(std::string_view name) {
  const std::string text = csv_text(name);
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string take_csv_field(std::string_view& line) {
  std::string field;
  bool quoted = false;
  bool closed = false;  // by the character before
  while (!line.empty()) {
    const char each = line.front();
    line.remove_prefix(1);
    if (!quoted && (each == ',' || each == '\n')) break;
    if (each != '"' || closed) field += each;
    if (each == '"') quoted = !quoted;
    closed = each == '"' && !quoted;
  }
  return field;
}

// Numbers are no text: a sign in front of one is its own.
void add_csv_value(std::string& out, const MetricValue& value, std::string_view name) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (*text == "inf" && name.ends_with("_per_s")) {
      out += kInfiniteRateField;
    } else if (is_plain(*text) && !is_guarded(*text)) {
      out += *text;
    } else {
      out += csv_field(*text);
    }
  } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    std::array<char, 24> digits;
    out.append(digits.data(), std::to_chars(digits.begin(), digits.end(), *whole).ptr);
  } else {
    out += metric_text(value);
  }
}

void add_csv_line(std::string& text, const Cells& cells) {
  const auto add = [&](auto put) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) text += ',';
      put(cells[i]);
    }
    text += '\n';
  };
  if (text.empty()) add([&](const auto& cell) { text += cell.first; });
  add([&](const auto& cell) { add_csv_value(text, cell.second, cell.first); });
}

std::string csv_header(const RunInputs& inputs) {
  std::string line;
  for (const Metric* column : columns_for(inputs)) {
    line += (line.empty() ? "" : ",") + std::string(column->name);
  }
  return line + '\n';
}

void add_csv_fields(std::string& out, const RunReport& report, CsvFields fields) {
  bool first = true;
  const auto add = [&](const Metric& column, const MetricValue& value) {
    if (!std::exchange(first, false)) out += ',';
    const bool is_known = fields == CsvFields::kAll || column.group == "inputs";
    if (is_known) add_csv_value(out, value, column.name);
  };
  for (const Metric& column : metrics()) {
    if (is_given(column, report)) add(column, column.read(report));
  }
}

std::string csv_row(const RunReport& report) {
  std::string line;
  add_csv_fields(line, report);
  return line + '\n';
}

extern const Writer csv_writer{.name = "csv",
                               .prediction = &prediction_csv,
                               .rows = &csv_rows,
                               .inspection = &inspection_csv,
                               .replay = &csv_replay,
                               .validation = &csv_validation};

}  // namespace ooc
