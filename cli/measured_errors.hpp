// Errors that predictions have had, by kind of job (validation/errors/by_kind.json).
#pragma once

#include <memory>
#include <vector>

#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Returns the table of the data folders; null if there is none. Throws SpecError for a bad file.
[[nodiscard]] std::shared_ptr<const std::vector<MeasuredErrors>> measured_errors_table();

}  // namespace ooc
