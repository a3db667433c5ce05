// What `need`, `max` and `max-batch` have in common: the search and its result.
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

inline constexpr Flag kMaxBatchLimit{.name = "--max-batch-limit",
                                     .value = "N",
                                     .help = "nothing larger is tried; default 2147483648"};

/// Of `max` and `max-batch`. Not --layer-times: times that were measured belong to one batch.
[[nodiscard]] inline std::vector<Flag> of_largest(std::initializer_list<Flag> own,
                                                  std::initializer_list<std::string_view> but) {
  return joined(joined(of_runs({"--schedule"}, but), own),
                {kMaxBatchLimit, kFormat, kOutput, kReport, kPlot, kMaxInput, kQuiet, kNoColor});
}

}  // namespace flags

/// What is asked beside the job.
struct SolveAsked {
  const SolveAxis& axis;
  std::optional<Duration> time = {};  ///< as in SolveRequest, and so the others
  Ratio within{kOne.count() / 100};
  std::int64_t limit = kMaxBatch;
  std::optional<std::int64_t> step = {};
};

/// Searches and writes the result. Returns the exit status: 3 where no schedule has a value.
[[nodiscard]] int run_solve(Job& job, const SolveAsked& asked);
/// The commands `max` and `max-batch`.
[[nodiscard]] int run_max(const Arguments& arguments);

}  // namespace ooc
