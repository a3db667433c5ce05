// What `max-batch` and `max` have in common: all but --of and --limit.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "simulator/summary/max_batch_report.hpp"

namespace ooc {

namespace flags {

inline constexpr Flag kMaxBatchLimit{.name = "--max-batch-limit",
                                     .value = "N",
                                     .help = "nothing larger is tried; default 2147483648"};

/// Of `max`, where it is not always a batch.
inline constexpr Flag kLimit{
    .name = "--limit",
    .value = "N",
    .help = "nothing larger is tried; default 2147483648 samples or steps, 10000 layers"};

/// Of `max --of seq`.
inline constexpr Flag kStep{
    .name = "--step",
    .value = "N",
    .help = "lengths that are tried are multiples of it; default 128, beyond 32768 of 1024"};

/// Not --layer-times: times that were measured belong to one batch.
[[nodiscard]] inline std::vector<Flag> of_largest(std::initializer_list<Flag> own,
                                                  std::initializer_list<std::string_view> but) {
  return joined(joined(of_runs({"--schedule"}, but), own),
                {kMaxBatchLimit, kFormat, kOutput, kReport, kPlot, kMaxInput, kQuiet, kNoColor});
}

}  // namespace flags

/// The commands themselves; their exit code.
[[nodiscard]] int run_largest(const Arguments& arguments, MaxOf of);

}  // namespace ooc
