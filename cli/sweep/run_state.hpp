// How far a sweep has come, as one line of JSON behind the rows it speaks of. The last whole line says where to go
// on; the knees of all lines together are those of the rows before.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simulator/predict/sweep.hpp"

namespace ooc {

struct RunState {
  SweepSummary summary;
  std::int64_t bytes = 0;  ///< of a text's file, up to here
  bool complete = false;
  std::size_t lines = 0;  ///< that it was read from
};

/// With those knees that no state before it has.
[[nodiscard]] std::string state_line(const RunState& state, std::span<const Knee> knees);
/// Of all lines from the first on, up to the last that speaks of no more than `bytes`. Throws SpecError, about
/// `file`, for a line that is none.
[[nodiscard]] RunState read_states(const std::vector<std::string>& lines, std::int64_t bytes,
                                   const std::string& file);

}  // namespace ooc
