// The output files of one command, opened together before the work starts (cli/output_file.hpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/output_file.hpp"

namespace ooc {

struct Outputs {
  OutputFile result;
  std::optional<OutputFile> trace;
  std::optional<OutputFile> plan;
  std::optional<OutputFile> policy;
};

/// What a command reads, as the user named it.
struct Inputs {
  std::span<const std::string> networks;
  std::span<const std::string> profiles;
  std::span<const std::string> others = {};  ///< paths
  std::vector<std::string> beside = {};  ///< files written beside the result: nor may they be read
};

/// The part of open_outputs() that opens nothing.
void check_outputs(const Arguments& arguments, const Inputs& inputs);

/// -o (default stdout), --trace, --export-plan and --export-policy. Throws SpecError when one cannot be written, two
/// are the same place, or one would replace a file that is read: `inputs`, --layer-times or
/// --import-measurements.
[[nodiscard]] Outputs open_outputs(const Arguments& arguments, const Inputs& inputs);

}  // namespace ooc
