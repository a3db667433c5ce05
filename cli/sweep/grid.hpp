// What a sweep covers, from its flags.
#pragma once

#include <vector>

#include "cli/command.hpp"
#include "simulator/predict/study.hpp"

namespace ooc {

namespace flags {

/// The flags of the axes (simulator/predict/axes.hpp), then those of `own` that are no axes.
[[nodiscard]] std::vector<Flag> with_axes(std::span<const Flag> own);

}  // namespace flags

/// Throws SpecError for what is missing, repeated or too much.
[[nodiscard]] SweepLists sweep_lists(const Arguments& arguments);

}  // namespace ooc
