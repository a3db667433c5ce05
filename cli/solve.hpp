// Common code of `need`, `max` and `max-batch`: the search and its result.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "cli/flags.hpp"
#include "cli/job.hpp"
#include "simulator/predict/solve.hpp"

namespace ooc {

namespace flags {

inline constexpr Flag kLimit{
    "--limit", "N", "nothing larger is tried; default 2147483648 samples or steps, 10000 layers"};

/// Returns the flags of `max` and `max-batch`: those of runs without `but`, then `own`, then flags about results.
[[nodiscard]] inline std::vector<Flag> of_largest(std::initializer_list<Flag> own,
                                                  std::initializer_list<std::string_view> but) {
  return joined(joined(of_runs({"--schedule"}, but), own),
                {kLimit, kFormat, kOutput, kReport, kMaxInput, kQuiet, kNoColor});
}

}  // namespace flags

[[nodiscard]] inline SolveRequest request_about(const Job& job, const SolveAxis& axis) {
  return {job.workload, job.machine(), job.options, axis, job.schedules()};
}
/// Searches, and writes the result to the outputs of `job`. Returns the exit code: 3 if no schedule has a value.
[[nodiscard]] int run_solve(Job& job, const SolveRequest& asked);
/// Runs `max` or `max-batch`; returns the exit code.
[[nodiscard]] int run_max(const Arguments& arguments);

}  // namespace ooc
