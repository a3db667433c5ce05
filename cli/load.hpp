// Finds and reads the files named on the command line.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "simulator/predict/case.hpp"

namespace ooc {

/// Reads a network. `place`: flag or argument of the name. Throws SpecError for an unknown name,
/// and as read_workload() does.
[[nodiscard]] Workload load_workload(const std::string& name, std::string_view place,
                                     const CaseOptions& options);
[[nodiscard]] Machine load_hardware(const std::string& name, std::string_view place,
                                    const CaseOptions& options);
/// Throws SpecError if two of `paths` (given as `given`) are one file. Two files with the same name
/// inside are allowed: comparing a copy with one change is common.
void check_files(const std::vector<std::string>& given, const std::vector<std::string>& paths,
                 std::string_view place);
/// Returns the names in the files; if two are equal, the user's texts for all files.
[[nodiscard]] std::vector<std::string> told_apart(std::vector<std::string> names,
                                                  const std::vector<std::string>& given);
/// Loads all profiles of --hardware, with names by told_apart. Throws SpecError for a file given twice.
[[nodiscard]] std::vector<Machine> load_machines(const std::vector<std::string>& given,
                                                 const CaseOptions& options);
/// Reads the framework called `name` into the options. Throws SpecError for an unknown name.
void load_framework(CaseOptions& options, const std::string& name, std::string_view place);
/// Loads the framework called `given` (of --framework), else the one that all machines name, if any. Throws SpecError if
/// they differ.
void load_framework_of(CaseOptions& options, const std::optional<std::string>& given,
                       std::span<const Machine> machines);
/// Reads --layer-times for the workload's layers.
void load_layer_times(CaseOptions& options, const Arguments& arguments, const Workload& workload);

}  // namespace ooc
