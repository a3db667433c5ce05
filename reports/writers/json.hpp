// Common parts of JSON results: the head, and columns of the tables of metrics by key, in objects
// by group.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "model/base/json_writer.hpp"
#include "reports/writers/csv.hpp"
#include "reports/writers/writer.hpp"
#include "simulator/summary/metrics.hpp"

namespace ooc {

/// "format", "version", "tool".
void put_head(JsonWriter& json, std::string_view format, const ToolInfo& tool);
/// Opens the outermost object with its head.
void begin_result(JsonWriter& json, std::string_view format, const ToolInfo& tool);
/// Unset if `text` is empty.
[[nodiscard]] std::optional<std::string_view> if_any(std::string_view text);
/// Writes null if the value is unknown.
void put_metric(JsonWriter& json, std::string_view key, const MetricValue& value);
/// Writes a record as an object.
void put_record(JsonWriter& json, const Cells& cells);
/// Opens the object of a group and writes all its columns, of any table.
void begin_group(JsonWriter& json, std::string_view group, const RunReport& report);
/// All metrics but those of a key or group in `done`.
void put_metrics(JsonWriter& json, const RunReport& report, std::vector<std::string_view> done);
/// What a job lacks, if it does not fit.
void put_out_of_memory(JsonWriter& json, const RunReport& report);
/// All numbers of a run.
void put_numbers(JsonWriter& json, const RunReport& report);
/// The members of the result of a run, but for what `predict` alone works out.
void put_result(JsonWriter& json, const RunReport& report, const ToolInfo& tool);
/// Writes memory at the peaks of a run by category; null if unknown. Of a job that lacks GPU memory also what fills it if
/// nothing moves.
void put_peaks(JsonWriter& json, const RunReport* run);
/// Writes rates by tokens; null if unknown.
void put_sequence(JsonWriter& json, const RunReport* run);
/// Writes the network's symbols; nothing if there are none.
void put_symbols(JsonWriter& json, const RunInputs& inputs);
/// Writes those of "precision", "gradient_dtype", "adapter_dtype" that are set.
void put_precision(JsonWriter& json, const std::string& precision,
                   const std::string& gradient_dtype, const std::string& adapter_dtype);
/// The object `inputs` of a result, which is a job that gives the result again (docs/formats.md, 4). What was asked for
/// stands in place of what follows from it.
class InputsWriter {
 public:
  InputsWriter(JsonWriter& json, const AskedFor& asked);
  void put(std::string_view key, const MetricValue& value);
  /// Writes what was asked for under other keys, less those in `but`, and closes the object.
  void end(std::initializer_list<std::string_view> but = {});

 private:
  JsonWriter& json_;
  AskedFor asked_;  ///< not written yet
};
/// Writes "errors_of_such_jobs"; nothing if unset.
void put_measured_errors(JsonWriter& json, const RunReport& report);
void put_inputs(JsonWriter& json, const RunInputs& inputs,
                std::initializer_list<std::string_view> but = {});

}  // namespace ooc
