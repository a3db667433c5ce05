// `sweep merge OUT PARTS...`: the table of one run from those of its shards.
#pragma once

#include "cli/command.hpp"

namespace ooc {

/// Whether the command line asks for that.
[[nodiscard]] bool asks_to_merge(const Arguments& arguments);
/// The exit code. Throws SpecError for parts that are missing, overlap, or are not of one sweep.
[[nodiscard]] int merge_shards(const Arguments& arguments);

}  // namespace ooc
