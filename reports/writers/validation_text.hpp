// Writers of a validation, one file each.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/validation/validation_report.hpp"
#include "simulator/summary/metrics.hpp"

namespace ooc {

struct WriteOptions;

/// Returns a row for JSON and CSV: values by column name.
[[nodiscard]] std::vector<std::pair<std::string_view, MetricValue>> cells_of(
    const FigureFile& file, const FigureReport& row);

[[nodiscard]] std::string table_validation(const ValidationReport& report,
                                           const WriteOptions& options);
[[nodiscard]] std::string json_validation(const ValidationReport& report,
                                          const WriteOptions& options);
[[nodiscard]] std::string csv_validation(const ValidationReport& report,
                                         const WriteOptions& options);

}  // namespace ooc
