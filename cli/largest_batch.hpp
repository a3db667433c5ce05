// What `max-batch` and `max --of batch` have in common: all of it.
#pragma once

#include <array>

#include "cli/command.hpp"
#include "cli/flags.hpp"

namespace ooc {

namespace flags {

inline constexpr Flag kMaxBatchLimit{.name = "--max-batch-limit",
                                     .value = "N",
                                     .help = "nothing larger is tried; default 2147483648"};

// Not --layer-times: times that were measured belong to one batch.
inline constexpr auto kOfLargestBatch =
    joined(std::array{kHardware, kSchedules, kScheduleToo, kMaxBatchLimit, kMemory, kFarMemory,
                      kFormat, kOutput, kLink},
           kRun, std::array{kNoColor});

}  // namespace flags

/// The command itself; its exit code.
[[nodiscard]] int run_largest_batch(const Arguments& arguments);

}  // namespace ooc
