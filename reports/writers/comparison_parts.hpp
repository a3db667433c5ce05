// What the tables of one comparison and of several have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/writers/writer.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// A row of such a table: what its first column says, and what it is about.
struct NamedReport {
  std::string name;
  const RunReport* report = nullptr;
};

/// "capacity", "in-core, in rounds"
[[nodiscard]] std::string row_name(const RunReport& report);
/// What memory holds at its peaks: a column for each category that any row has some of. All of them fit.
[[nodiscard]] std::string peaks_table(std::string_view title, const std::vector<NamedReport>& rows,
                                      const Look& look);
/// What each of them lacks; none of them fits.
[[nodiscard]] std::string not_fitting_table(std::string_view title,
                                            const std::vector<NamedReport>& rows, const Look& look);
/// What any of them rests on: schedules differ in how they copy.
[[nodiscard]] std::vector<std::string> assumed_by_any(const std::vector<RunReport>& reports);

}  // namespace ooc
