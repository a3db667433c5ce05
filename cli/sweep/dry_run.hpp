// What a sweep would be: how many rows, what they share, and about how long and how large, from running a few of them.
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

/// Lines for people. The clock is in them, so two runs differ.
[[nodiscard]] std::string dry_run(const DryRun& request);

}  // namespace ooc
