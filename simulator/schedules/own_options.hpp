// The options that only the schedules read that they belong to: a new one rebuilds those and the table.
// Included by option_table.cpp, by these schedules and by their tests, never by another header.
//
// To add an option: a field here, a row in option_table.cpp, and its name in the `options` of the schedules
// that read it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "simulator/schedules/schedule_options.hpp"

namespace ooc {

/// How often what was dropped is computed again.
enum class Recomputation {
  kCost,   ///< once per segment where that needs no more memory than the largest task, else per use
  kSpeed,  ///< once per segment, and kept
  kMemory,  ///< from the checkpoint for every use
};

/// Where the forward pass is cut into parts of which only the inputs stay.
struct Blocks {
  enum class Kind { kAuto, kLayer, kNumber };
  Kind kind = Kind::kAuto;  ///< kAuto: the quickest of several numbers; kLayer: by the layers' names
  std::int64_t number = 0;  ///< kNumber
  friend bool operator==(const Blocks&, const Blocks&) = default;
};

/// How far a search is.
struct SearchProgress {
  std::int64_t tried = 0;  ///< plans
  std::int64_t of = 0;
  Duration best;  ///< the time of the best one
};

struct OwnOptions {
  /// --restore-per-reader: what moved comes back for each task that reads it, not once for all.
  bool restore_per_reader = false;
  std::optional<Bytes> keep_bytes = {};                ///< --keep-bytes; none: as many as fit
  std::int64_t slack_min = 0;                          ///< --slack-min, in tasks
  Bytes bytes_min = {};                                ///< --bytes-min
  std::optional<std::int64_t> max_swaps = {};          ///< --max-swaps; none: the fewest that fit
  Recomputation recomputation = Recomputation::kCost;  ///< --recompute
  Blocks blocks = {};                                  ///< --blocks
  std::optional<std::int64_t> layers_moved = {};       ///< --layers-moved; none: the fewest that fit
  std::optional<std::int64_t> search = {};             ///< --search; none: by the size of the graph
  std::int64_t searches = 1;                           ///< no option: so many share --search
  std::int64_t seed = 1;                               ///< --seed
  /// No option, and no result depends on it: is told now and then; null: nobody. Must outlive its users.
  const std::function<void(const SearchProgress&)>* progress = nullptr;
};

}  // namespace ooc
