// Lists of a sweep from its flags.
#pragma once

#include <vector>

#include "cli/command.hpp"
#include "simulator/predict/study.hpp"

namespace ooc {

/// Throws SpecError for missing, repeated or too many values.
[[nodiscard]] SweepLists sweep_lists(const Arguments& arguments);

}  // namespace ooc
