// Preview of a sweep: number of rows, shared work, estimated time and size, from running a few rows.
#pragma once

#include <string>
#include <string_view>

#include "simulator/predict/sweep.hpp"

namespace ooc {

/// Returns lines for people: how many rows the job has, and about how long they take. Measured times are in them, so two
/// runs differ.
[[nodiscard]] std::string dry_run(const SweepJob& job, std::string_view format_name);

}  // namespace ooc
