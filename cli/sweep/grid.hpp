// What a sweep covers, from its flags.
#pragma once

#include <vector>

#include "cli/command.hpp"
#include "simulator/predict/study.hpp"

namespace ooc {

/// Throws SpecError for what is missing, repeated or too much.
[[nodiscard]] SweepLists sweep_lists(const Arguments& arguments);

}  // namespace ooc
