// Common code of `need`, `max` and `max-batch`: the search and its result.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/flags.hpp"
#include "cli/job.hpp"
#include "simulator/predict/solve.hpp"

namespace ooc {

namespace flags {

inline constexpr Flag kMaxBatchLimit{"--max-batch-limit", "N",
                                     "nothing larger is tried; default 2147483648"};

/// Returns the flags of `max` and `max-batch`. Without --layer-times, since measured times belong to one batch.
[[nodiscard]] inline std::vector<Flag> of_largest(std::initializer_list<Flag> own,
                                                  std::initializer_list<std::string_view> but) {
  return joined(joined(of_runs({"--schedule"}, but), own),
                {kMaxBatchLimit, kFormat, kOutput, kReport, kMaxInput, kQuiet, kNoColor});
}

}  // namespace flags

/// Options of the search beside the job.
struct SolveAsked {
  const SolveAxis& axis;
  std::optional<Duration> time = {};  ///< as in SolveRequest, like all below
  Ratio within{kOne.count() / 100};
  std::int64_t limit = kMaxBatch;
  std::optional<std::int64_t> step = {};
};

/// Searches and writes the result. Returns the exit code: 3 if no schedule has a value.
[[nodiscard]] int run_solve(Job& job, const SolveAsked& asked);
/// Runs `max` or `max-batch`; returns the exit code.
[[nodiscard]] int run_max(const Arguments& arguments);

}  // namespace ooc
