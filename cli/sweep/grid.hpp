// What a sweep covers, from its flags.
#pragma once

#include "cli/command.hpp"
#include "simulator/predict/study.hpp"

namespace ooc {

/// Throws SpecError for what is missing, repeated or too much.
[[nodiscard]] SweepGrid sweep_grid(const Arguments& arguments);

}  // namespace ooc
