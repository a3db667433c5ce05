// Rows for tests, and runs that are not made: a run's text is looked up in a table.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/validation/judge.hpp"

namespace ooc {

/// A row with these runs, points and checks; the rest is said.
inline ValidationRow row_of(const std::string& runs, const std::string& checks,
                            const std::string& points = "") {
  const std::string text =
      R"({"format": "ooc-paleo/validation-row", "version": 1, "id": "R1", "title": "a row",
"source": "nobody", "use": "tight", "runs": {)" +
      runs + "}, " + (points.empty() ? "" : "\"points\": {" + points + "}, ") + "\"checks\": [" +
      checks + "]}";
  return read_row(read_spec_text(text, "row.json"));
}

/// Figures by what the filled run says: {"predict a 64": {{"t", 3}}}.
using Table = std::map<std::string, std::map<std::string, double>>;

inline MakeRun runs_of(const Table& table) {
  return [table](const RowRun& run) -> std::vector<RunFigures> {
    const auto found = table.find(run.text);
    OOC_CHECK(found != table.end(), "the test knows the run " + run.text);
    RunFigures figures{.numbers = found->second, .note = {}, .label = {}};
    for (const auto& [name, value] : figures.numbers) {
      if (value != value) figures.note = "does not fit";
    }
    return {figures};
  };
}

/// The verdicts of the first check's points.
inline std::vector<Verdict> verdicts(const ValidationRow& row, const MakeRun& runs) {
  std::vector<Verdict> all;
  const RowReport report = judge_row(row, runs);  // outlives the loop over its points
  for (const PointReport& point : report.checks.front().points) {
    all.push_back(point.verdict);
  }
  return all;
}

}  // namespace ooc
