// Common parts of JSON results: the head, and metrics as members, grouped in objects.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "model/base/json_writer.hpp"
#include "reports/writers/csv.hpp"
#include "reports/writers/writer.hpp"
#include "simulator/summary/metrics.hpp"

namespace ooc {

/// Opens the outermost object and writes format, version and tool.
void begin_result(JsonWriter& json, std::string_view format, const ToolInfo& tool);
/// Returns `text`; unset if empty.
[[nodiscard]] std::optional<std::string_view> if_any(std::string_view text);
/// Writes a member; null if the value is unknown.
void put_metric(JsonWriter& json, std::string_view key, const MetricValue& value);
/// Writes a record as an object with a member for each cell.
void put_record(JsonWriter& json, const Cells& cells);
/// Writes a run's metrics except its inputs, then its peaks by category and, if it has symbols, SequenceRates.
void put_numbers(JsonWriter& json, const RunReport& report);
/// Writes the members of a run's result, format and tool included, but not `moved` and `equations`.
void put_result(JsonWriter& json, const RunReport& report, const ToolInfo& tool);
/// Writes "errors_of_such_jobs"; nothing if the report has no errors.
void put_measured_errors(JsonWriter& json, const RunReport& report);
/// Writes the object `inputs` without the keys in `but`.
void put_inputs(JsonWriter& json, const RunInputs& inputs,
                std::initializer_list<std::string_view> but = {});

}  // namespace ooc
