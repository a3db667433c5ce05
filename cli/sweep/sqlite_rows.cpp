// A column's type is that of the value that a report with everything in it has there.
#include "cli/sweep/sqlite_rows.hpp"

#include <cstring>
#include <limits>
#include <type_traits>
#include <variant>

#include "model/base/errors.hpp"
#include "simulator/summary/metrics.hpp"

namespace ooc {
namespace {

using Type = SqliteValue::Type;

template <class Number>
void put_number(std::string& out, Type type, Number number) {
  out += static_cast<char>(type);
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out.append(bytes, sizeof number);
}

template <class Number>
Number take_number(std::string_view& rows) {
  Number number{};
  OOC_CHECK(rows.size() >= sizeof number, "a row's values are whole");
  std::memcpy(&number, rows.data(), sizeof number);
  rows.remove_prefix(sizeof number);
  return number;
}

void put_null(std::string& out) { out += static_cast<char>(Type::kNull); }
void put_text(std::string& out, std::string_view text) {
  put_number(out, Type::kText, text.size());
  out += text;
}

/// An infinite rate is the text "inf" in JSON, and a number here.
void put_metric_value(std::string& out, const Metric& column, const MetricValue& value) {
  std::visit(
      [&](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          put_null(out);
        } else if constexpr (std::is_same_v<Held, std::string>) {
          if (held == "inf" && column.name.ends_with("_bytes_per_s")) {
            put_number(out, Type::kReal, std::numeric_limits<double>::infinity());
          } else {
            put_text(out, held);
          }
        } else if constexpr (std::is_same_v<Held, double>) {
          put_number(out, Type::kReal, held);
        } else {
          put_number(out, Type::kInteger, std::int64_t{held});
        }
      },
      value);
}

/// Every value that a report may have.
RunReport full_report() {
  RunReport report;
  report.feasible = true;
  report.lower_bound = Duration(1);
  report.inputs.link = report.inputs.far_throughput = BytesPerSecond(1);
  report.inputs.link_to_far = report.inputs.link_to_near = BytesPerSecond(1);
  report.inputs.far_compute = BytesPerSecond(1);
  report.inputs.adam = "foreach";
  report.inputs.offload = "optimizer";
  report.inputs.duplex = report.inputs.compute_scale = kOne;
  report.inputs.latency = Duration(1);
  report.inputs.layer_times = 1;
  report.inputs.devices = 2;
  report.inputs.precision = "fp32";
  report.inputs.symbols = {{"seq", 1}, {"target_seq", 1}, {"rank", 1}};
  report.sequence = {.tokens = 1, .tokens_per_s = 1, .model_flops = 1, .peak = {}, .mfu = 1};
  report.paper.emplace();
  report.paper->time = Duration(1);
  report.out_of_memory.emplace();
  report.out_of_memory->smallest_budget = Bytes(1);
  return report;
}

std::string_view type_of(const MetricValue& value) {
  if (std::holds_alternative<std::string>(value)) return "TEXT";
  if (std::holds_alternative<double>(value)) return "REAL";
  OOC_CHECK(!std::holds_alternative<std::monostate>(value), "full_report() is full");
  return "INTEGER";
}

template <class Visit>
void for_each_column(Visit visit) {
  for (const auto& columns :
       {input_columns(), metrics(), out_of_memory_columns(), rare_input_columns()}) {
    for (const Metric& column : columns) visit(column);
  }
}

std::string no_text(const ToolInfo&, const RunInputs&) { return ""; }

void add_result(std::string& out, const RunReport& report) {
  out += kSqliteResult;
  for_each_column(
      [&](const Metric& column) { put_metric_value(out, column, column.read(report)); });
  put_null(out);
}

void add_failed_result(std::string& out, const RunInputs& inputs, std::string_view error) {
  RunReport report;
  report.inputs = inputs;
  out += kSqliteResult;
  for_each_column([&](const Metric& column) {
    const bool known = column.group == "inputs";
    put_metric_value(out, column, known ? column.read(report) : MetricValue());
  });
  put_text(out, error);
}

void put_knee_link(std::string& out, const std::optional<BytesPerSecond>& link) {
  if (!link) {
    put_null(out);
  } else if (*link == kInfiniteRate) {
    put_number(out, Type::kReal, std::numeric_limits<double>::infinity());
  } else {
    put_number(out, Type::kInteger, link->count());
  }
}

void put_knee_cause(std::string& out, NoKnee cause) {
  if (cause == NoKnee::kNone) return put_null(out);
  put_text(out, no_knee_name(cause));
}

void add_knee_row(std::string& out, const SweepGrid& grid, const SweepInputs& inputs,
                  const Knee& knee) {
  const RunInputs keys = inputs_at(grid, inputs, knee.row);
  out += kSqliteKnee;
  put_number(out, Type::kInteger, static_cast<std::int64_t>(knee.row));
  put_text(out, keys.network);
  put_text(out, keys.hardware);
  put_number(out, Type::kInteger, keys.batch);
  put_number(out, Type::kInteger, keys.memory.count());
  put_text(out, keys.schedule);
  put_number(out, Type::kInteger, keys.far_memory.count());
  out += sqlite_knee_values(knee);
}

void no_end(const SweepEnd&, const WriteText&) {}

}  // namespace

std::vector<SqliteColumn> sqlite_result_columns() {
  std::vector<SqliteColumn> columns;
  const RunReport full = full_report();
  for_each_column([&](const Metric& column) {
    columns.push_back({std::string(column.name), type_of(column.read(full))});
  });
  columns.push_back({"error", "TEXT"});
  return columns;
}

std::vector<SqliteColumn> sqlite_knee_columns() {
  return {{"point", "INTEGER"},
          {"network", "TEXT"},
          {"hardware", "TEXT"},
          {"batch", "INTEGER"},
          {"memory_bytes", "INTEGER"},
          {"schedule", "TEXT"},
          {"far_memory_bytes", "INTEGER"},
          {"within_1_percent_link_bytes_per_s", "INTEGER"},
          {"within_5_percent_link_bytes_per_s", "INTEGER"},
          {"not_within_1_percent", "TEXT"},
          {"not_within_5_percent", "TEXT"}};
}

const SweepFormat kSqliteFormat{
    .name = "sqlite",
    .begin = &no_text,
    .rows = {.row = &add_result, .failure = &add_failed_result, .between = ""},
    .end = &no_end,
    .knee = &add_knee_row};

const char* sqlite_knee_keys() {
  return "point, network, hardware, batch, memory_bytes, schedule, far_memory_bytes";
}

std::string sqlite_knee_values(const Knee& knee) {
  std::string out;
  put_knee_link(out, knee.within_1_percent);
  put_knee_link(out, knee.within_5_percent);
  put_knee_cause(out, knee.not_within_1_percent);
  put_knee_cause(out, knee.not_within_5_percent);
  return out;
}

char take_sqlite_kind(std::string_view& rows) {
  OOC_CHECK(!rows.empty(), "there is a row");
  const char kind = rows.front();
  rows.remove_prefix(1);
  return kind;
}

SqliteValue take_sqlite_value(std::string_view& rows) {
  SqliteValue value{.type = static_cast<Type>(take_sqlite_kind(rows)), .text = {}};
  switch (value.type) {
    case Type::kNull:
      return value;
    case Type::kInteger:
      value.integer = take_number<std::int64_t>(rows);
      return value;
    case Type::kReal:
      value.real = take_number<double>(rows);
      return value;
    case Type::kText:
      const auto size = take_number<std::size_t>(rows);
      value.text = rows.substr(0, size);
      rows.remove_prefix(size);
      return value;
  }
  return value;
}

}  // namespace ooc
