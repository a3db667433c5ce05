// Common parts of JSON results: the head, and columns of the tables of metrics by key, in objects
// by group.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "model/base/json_writer.hpp"
#include "reports/writers/csv.hpp"
#include "reports/writers/writer.hpp"
#include "simulator/summary/metrics.hpp"

namespace ooc {

/// Opens the outermost object with its head.
void begin_result(JsonWriter& json, std::string_view format, const ToolInfo& tool);
/// Unset if `text` is empty.
[[nodiscard]] std::optional<std::string_view> if_any(std::string_view text);
/// Writes null if the value is unknown.
void put_metric(JsonWriter& json, std::string_view key, const MetricValue& value);
/// Writes a record as an object.
void put_record(JsonWriter& json, const Cells& cells);
/// All numbers of a run.
void put_numbers(JsonWriter& json, const RunReport& report);
/// The members of the result of a run, but for what `predict` alone works out.
void put_result(JsonWriter& json, const RunReport& report, const ToolInfo& tool);
/// Writes "errors_of_such_jobs"; nothing if unset.
void put_measured_errors(JsonWriter& json, const RunReport& report);
/// Writes the object `inputs`, less the keys in `but`.
void put_inputs(JsonWriter& json, const RunInputs& inputs,
                std::initializer_list<std::string_view> but = {});

}  // namespace ooc
