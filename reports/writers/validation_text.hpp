// What the writers of validation reports share: a figure in its check's unit, and how a rule is said.
#pragma once

#include <string>

#include "reports/validation/validation_report.hpp"

namespace ooc {

/// "1.035 GB", "yes", "-" for what is not known.
[[nodiscard]] std::string figure_text(const CheckReport& check, double value);
/// The prediction: one figure, an interval, or all that are compared.
[[nodiscard]] std::string predicted_text(const CheckReport& check, const PointReport& point);
/// "± 5 %", "1.9 to 1.97", "each less than the next".
[[nodiscard]] std::string allowed_text(const CheckReport& check, const PointReport& point);

/// The writers' parts, one file each.
struct WriteOptions;
[[nodiscard]] std::string table_validation(const ValidationReport& report,
                                           const WriteOptions& options);
[[nodiscard]] std::string json_validation(const ValidationReport& report,
                                          const WriteOptions& options);
[[nodiscard]] std::string csv_validation(const ValidationReport& report,
                                         const WriteOptions& options);

}  // namespace ooc
