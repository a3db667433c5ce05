// Preview of a sweep: number of rows, shared work, estimated time and size, from running a few rows.
#pragma once

#include <string>
#include <string_view>

#include "simulator/predict/sweep.hpp"

namespace ooc {

struct DryRun {
  const SweepGrid& grid;
  const SweepInputs& inputs;
  const RowFormat& format;
  std::string_view format_name;
  unsigned threads = 1;
};

/// Returns lines for people. Measured times are in them, so two runs differ.
[[nodiscard]] std::string dry_run(const DryRun& request);

}  // namespace ooc
