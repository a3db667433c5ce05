// Options that only single schedules read. No header includes this file, so that a new option rebuilds few files.
// To add an option: a field here, a row in option_table.cpp, and its name in the `options` of the schedules that read
// the option.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simulator/schedules/schedule_options.hpp"

namespace ooc {

/// How often dropped tensors of a segment are recomputed.
enum class Recomputation {
  kCost,    ///< by segment: kSpeed if that needs no more memory than the largest task; else kMemory
  kSpeed,   ///< once, then kept up to the last use
  kMemory,  ///< for each use, from the checkpoint before the segment
};

/// Cut of the forward pass into blocks whose inputs are saved.
struct Blocks {
  enum class Kind { kAuto, kLayer, kNumber };
  Kind kind = Kind::kAuto;    ///< kAuto: fastest of several cuts; kLayer: by layer names
  std::int64_t number = 0;    ///< number of blocks, for kNumber
  std::int64_t together = 1;  ///< for kLayer: number of blocks recomputed as one
  std::int64_t of = 1;     ///< for kLayer: of every `of` blocks the first `together` are recomputed
  std::string first = {};  ///< for kLayer: first layer of a block to recompute
  std::string last = {};   ///< for kLayer: last of these layers; both empty: the whole block
  friend bool operator==(const Blocks&, const Blocks&) = default;
};

struct OwnOptions {
  /// --restore-per-reader: a moved tensor returns for each task that reads it, not once for all.
  bool restore_per_reader = false;
  std::optional<Bytes> keep_bytes = {};  ///< --keep-bytes: most bytes to keep; unset: all that fit
  /// --max-swaps: number of tensors that lms swaps; unset: the fewest with which the job fits.
  std::optional<std::int64_t> max_swaps = {};
  Recomputation recomputation = Recomputation::kCost;  ///< --recompute: how often to recompute
  Blocks blocks = {};                                  ///< --blocks: cut of the forward pass
  /// --layers-moved: number of first blocks whose saved tensors move; unset: the fewest with which the job fits.
  std::optional<std::int64_t> layers_moved = {};
  std::string only = {};                    ///< --only: layers whose saved tensors move; empty: all
  std::optional<std::int64_t> search = {};  ///< --search: plans to try; unset: by size of the graph
  std::int64_t searches = 1;  ///< no option: number of searches among which --search is divided
  std::int64_t seed = 1;      ///< --seed of the search
};

}  // namespace ooc
