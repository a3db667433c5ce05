// Comparisons as rows: one a schedule; or one a machine, link or preset of states, under its best schedule.
#pragma once

#include <vector>

#include "reports/writers/rows.hpp"
#include "reports/writers/writer.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

[[nodiscard]] ResultRows comparison_rows(const std::vector<RunReport>& reports,
                                         const WriteOptions& options);
[[nodiscard]] ResultRows machine_rows(const MachinesReport& report);

}  // namespace ooc
