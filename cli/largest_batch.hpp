// What `max-batch` and `max` have in common: all but --of and --limit.
#pragma once

#include <array>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/state_flags.hpp"
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

// Not --layer-times: times that were measured belong to one batch.
inline constexpr auto kOfLargestBatch =
    joined(std::array{kHardware, kSchedules, kScheduleToo, kMaxBatchLimit, kMemory, kFarMemory,
                      kFormat, kOutput, kLink, kReport, kPlot},
           kRun, kStateFlags, std::array{kNoColor});

}  // namespace flags

/// The commands themselves; their exit code.
[[nodiscard]] int run_largest(const Arguments& arguments, MaxOf of);

}  // namespace ooc
