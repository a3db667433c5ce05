// Rows of a sweep as text: CSV (a database takes the same), lines of JSON, or one JSON document, all made from the
// table of metrics, as every other report.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/writers/writer.hpp"
#include "simulator/predict/sweep.hpp"

namespace ooc {

/// What stands behind the rows.
struct SweepEnd {
  const SweepGrid& grid;
  const SweepInputs& inputs;
  const SweepSummary& summary;
};

/// A format: text before the rows, the text of one row, between two of them, and behind them.
struct SweepFormat {
  std::string_view name;
  /// `first`: the inputs of a row; all rows have the columns of these.
  std::string (*begin)(const ToolInfo& tool, const RunInputs& first);
  RowFormat rows;
  /// The same rows, each followed by that of JSON; kBehindPart stands behind each of the two.
  RowFormat with_json;
  std::string (*end)(const SweepEnd& end);
};

inline constexpr char kBehindPart = '\x1e';

/// "csv", "json", "jsonl" and "sqlite", or null.
[[nodiscard]] const SweepFormat* find_sweep_format(std::string_view name);

/// The knees for people: at most `most` of them.
[[nodiscard]] std::string knee_table(const SweepEnd& end, std::size_t most, const Look& look);

/// What the machines of these rows assume: "ooc-paleo/footnotes".
[[nodiscard]] std::string sweep_footnotes(const SweepGrid& grid, const SweepInputs& inputs);

}  // namespace ooc
