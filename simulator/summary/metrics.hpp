// The table of metrics: one line per number that a prediction yields, in the order of the result
// format (docs/formats.md, 5). JSON, CSV and sweep rows are made from it, so a new metric is one
// line in metrics.cpp and nothing else.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "simulator/summary/run_report.hpp"

namespace ooc {

/// monostate: not known for this run (most numbers of a job that does not fit). JSON writes null,
/// CSV an empty field.
using MetricValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

struct Metric {
  std::string_view name;   ///< unique, with its unit: the CSV and sweep column
  std::string_view group;  ///< JSON: the object it stands in ("stalls_ns"), or "" for the top level
  std::string_view key;    ///< JSON: its key there
  std::string_view what;   ///< one line of explanation
  MetricValue (*read)(const RunReport& report);
  /// Of rare columns: whether there is one without a value too, as other runs have one.
  bool (*is_there)(const RunInputs& inputs) = nullptr;
};

/// What was predicted.
[[nodiscard]] std::span<const Metric> metrics();
/// What was asked for: network, hardware, batch, schedule, budget and options.
[[nodiscard]] std::span<const Metric> input_columns();
/// Why it does not fit; all of them not known where it does.
[[nodiscard]] std::span<const Metric> out_of_memory_columns();
/// More of what was asked for, that few runs are, and what follows from it: columns, and, with a key, keys of JSON, only
/// where it was given.
[[nodiscard]] std::span<const Metric> rare_input_columns();

/// The columns of runs with such inputs, in order: input_columns(), metrics(), out_of_memory_columns() and what was
/// given of the rare ones.
[[nodiscard]] std::vector<const Metric*> columns_for(const RunInputs& inputs);
/// Whether a rare input was given.
[[nodiscard]] bool is_given(const Metric& rare, const RunReport& report);

/// As CSV and SQLite rows show it: plain decimal, no grouping, "" for monostate, "true"/"false".
[[nodiscard]] std::string metric_text(const MetricValue& value);

}  // namespace ooc
