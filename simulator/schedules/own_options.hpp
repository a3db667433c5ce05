// The options that only the schedules read that they belong to: a new one rebuilds those and the table.
// Included by option_table.cpp, by these schedules and by their tests, never by another header.
//
// To add an option: a field here, a row in option_table.cpp, and its name in the `options` of the schedules
// that read it.
#pragma once

#include <cstdint>
#include <optional>

#include "simulator/schedules/schedule_options.hpp"

namespace ooc {

/// How often what was dropped is computed again.
enum class Recomputation {
  kCost,   ///< once per segment where that needs no more memory than the largest task, else per use
  kSpeed,  ///< once per segment, and kept
  kMemory,  ///< from the checkpoint for every use
};

struct OwnOptions {
  /// A copy out may begin before it was decided on; --no-backdating: it may not.
  bool backdating = true;
  std::optional<Bytes> keep_bytes = {};                ///< --keep-bytes; none: as many as fit
  std::int64_t slack_min = 0;                          ///< --slack-min, in tasks
  Bytes bytes_min = {};                                ///< --bytes-min
  std::optional<std::int64_t> max_swaps = {};          ///< --max-swaps; none: the fewest that fit
  Recomputation recomputation = Recomputation::kCost;  ///< --recompute
};

}  // namespace ooc
