// One of several parts of a sweep, so that as many machines can share it: `sweep merge` puts them together.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "simulator/predict/sweep.hpp"

namespace ooc {

struct Shard {
  std::size_t number = 1;  ///< from 1
  std::size_t count = 1;
};

/// "3/16", or "slurm": what SLURM_ARRAY_TASK_ID is among the tasks of its array. Throws SpecError.
[[nodiscard]] Shard read_shard(std::string_view text);
[[nodiscard]] std::string shard_text(const Shard& shard);

/// Rows one behind the other, of whole lines where there are as many lines as shards. Together all shards have each
/// row once.
[[nodiscard]] RowRange rows_of_shard(const SweepGrid& grid, const Shard& shard);

}  // namespace ooc
