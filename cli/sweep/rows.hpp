// The rows of a sweep as CSV or JSON text (SQLite's: sqlite_rows.hpp), made from the same table of metrics as every other
// report.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/sweep/knee_spool.hpp"
#include "reports/writers/writer.hpp"
#include "simulator/predict/sweep.hpp"

namespace ooc {

/// What stands behind the rows.
struct SweepEnd {
  const SweepGrid& grid;
  const SweepInputs& inputs;
  std::span<const Knee> knees;  ///< the first of them
  std::size_t knees_in_all = 0;
  KneeSpool* all_knees = nullptr;  ///< where the format's end has them
  bool complete = true;
};

using WriteText = std::function<void(std::string_view text)>;

/// A format: text before the rows, the text of one row, between two of them, and behind them.
struct SweepFormat {
  std::string_view name;
  /// `first`: the inputs of a row; all rows have the columns of these.
  std::string (*begin)(const ToolInfo& tool, const RunInputs& first);
  RowFormat rows;
  /// In pieces, however many knees there are.
  void (*end)(const SweepEnd& end, const WriteText& write);
  /// Of a format that has knees among its rows: what stands behind the last row of a line; else null.
  void (*knee)(std::string& out, const SweepGrid& grid, const SweepInputs& inputs,
               const Knee& knee) = nullptr;
  bool ends_with_knees = false;  ///< all of them
};

/// "csv", "json", "jsonl" and "sqlite", or null.
[[nodiscard]] const SweepFormat* find_sweep_format(std::string_view name);

/// The knees for people: at most `most` of them.
[[nodiscard]] std::string knee_table(const SweepEnd& end, std::size_t most, const Look& look);

}  // namespace ooc
