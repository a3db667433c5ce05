// Options that only single schedules read, in a header of their own, so that a new one rebuilds few files. Never
// included by another header.
//
// To add an option: a field here, a row in option_table.cpp, and its name in the `options` of the
// schedules that read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simulator/schedules/schedule_options.hpp"

namespace ooc {

/// How often dropped tensors of a segment are recomputed.
enum class Recomputation {
  kCost,    ///< by segment: kSpeed if no more memory than the largest task is needed; else kMemory
  kSpeed,   ///< once, then kept for all uses
  kMemory,  ///< for each use, from the checkpoint before the segment
};

/// Cut of the forward pass into blocks whose inputs are saved.
struct Blocks {
  enum class Kind { kAuto, kLayer, kNumber };
  Kind kind = Kind::kAuto;    ///< kAuto: fastest of several numbers; kLayer: by layer names
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
  std::optional<Bytes> keep_bytes = {};        ///< --keep-bytes; unset: as many as fit
  std::optional<std::int64_t> max_swaps = {};  ///< --max-swaps: tensors; unset: fewest that fit
  Recomputation recomputation = Recomputation::kCost;  ///< --recompute
  Blocks blocks = {};                                  ///< --blocks
  std::optional<std::int64_t> layers_moved = {};  ///< --layers-moved: blocks; unset: the fewest
  std::string only = {};                    ///< --only: layers whose saved tensors move; empty: all
  std::optional<std::int64_t> search = {};  ///< --search: plans; unset: by the size of the graph
  std::int64_t searches = 1;                ///< no option: number of searches that share --search
  std::int64_t seed = 1;                    ///< --seed of the search
};

}  // namespace ooc
