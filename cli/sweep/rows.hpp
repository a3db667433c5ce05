// Rows of a sweep as text: CSV (also for databases), lines of JSON, or one JSON document, from the
// table of metrics like every other report.
#pragma once

#include <string>
#include <string_view>

#include "reports/writers/writer.hpp"
#include "simulator/predict/sweep.hpp"

namespace ooc {

/// Argument of SweepFormat::end, which returns the text after the rows.
struct SweepEnd {
  const SweepGrid& grid;
  const SweepInputs& inputs;
  const SweepSummary& summary;
};

/// Functions that write a sweep in one format.
struct SweepFormat {
  std::string_view name;
  /// Returns the text before the rows. `first`: inputs of a row; all rows have its columns.
  std::string (*begin)(const ToolInfo& tool, const RunInputs& first);
  RowFormat rows;                           ///< text of one row, and between rows
  std::string (*end)(const SweepEnd& end);  ///< returns the text after the rows
};

/// Returns the format "csv", "json", "jsonl" or "sqlite"; null: unknown.
[[nodiscard]] const SweepFormat* find_sweep_format(std::string_view name);

/// Returns a table of `most` knees at most: slowest links within 1 % and 5 % of computing alone.
[[nodiscard]] std::string knee_table(const SweepEnd& end, std::size_t most, const Look& look);

}  // namespace ooc
