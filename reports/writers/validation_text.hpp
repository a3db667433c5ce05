// The writers of a validation, one file each.
#pragma once

#include <string>

#include "reports/validation/validation_report.hpp"

namespace ooc {

struct WriteOptions;
[[nodiscard]] std::string table_validation(const ValidationReport& report,
                                           const WriteOptions& options);
[[nodiscard]] std::string json_validation(const ValidationReport& report,
                                          const WriteOptions& options);
[[nodiscard]] std::string csv_validation(const ValidationReport& report,
                                         const WriteOptions& options);

}  // namespace ooc
