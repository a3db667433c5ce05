// The rows of a sweep as CSV or JSON text (SQLite's: sqlite_rows.hpp), made from the same table of metrics as every other
// report.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/writers/writer.hpp"
#include "simulator/predict/sweep.hpp"

namespace ooc {

/// What stands behind the rows.
struct SweepEnd {
  const SweepGrid& grid;
  const SweepInputs& inputs;
  std::span<const Knee> knees;  ///< the first of them
  std::size_t knees_in_all = 0;
  bool complete = true;
};

/// A format: text before the rows, the text of one row, between two of them, and behind them.
struct SweepFormat {
  std::string_view name;
  /// `first`: the inputs of a row; all rows have the columns of these.
  std::string (*begin)(const ToolInfo& tool, const RunInputs& first);
  RowFormat rows;
  std::string (*end)(const SweepEnd& end);
  bool shows_knees = false;  ///< all of them, at the end
};

/// "csv", "json", "jsonl" and "sqlite", or null.
[[nodiscard]] const SweepFormat* find_sweep_format(std::string_view name);

/// The knees for people: at most `most` lines.
[[nodiscard]] std::string knee_table(const SweepEnd& end, std::size_t most);

}  // namespace ooc
