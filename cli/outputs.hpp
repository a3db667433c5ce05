// The output files of one command, opened together before the work starts (cli/output_file.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/output_file.hpp"

namespace ooc {

struct Outputs {
  OutputFile result;
  std::optional<OutputFile> trace;
  std::optional<OutputFile> plan;
};

/// -o (default stdout), --trace and --export-plan. Throws SpecError when one cannot be written or
/// two are the same place.
[[nodiscard]] Outputs open_outputs(const Arguments& arguments);

}  // namespace ooc
