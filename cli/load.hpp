// Names of the command line as values: what they stand for is located and read.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "simulator/predict/case.hpp"

namespace ooc {

/// `place` is the flag or argument that the name came from. Throws SpecError for an unknown name, and as
/// read_workload() does.
[[nodiscard]] Workload load_workload(const std::string& name, std::string_view place,
                                     const CaseOptions& options);
[[nodiscard]] Machine load_hardware(const std::string& name, std::string_view place,
                                    const CaseOptions& options);
/// A file given twice, by two spellings, is a mistake; two files that call themselves the same are none: a copy
/// with one number changed is what one compares.
/// SpecError where two of `paths`, to which `given` lead, are one file.
void check_files(const std::vector<std::string>& given, const std::vector<std::string>& paths,
                 std::string_view place);
/// The names in the files, or, where two of them meet, what the user called them, for all.
[[nodiscard]] std::vector<std::string> told_apart(std::vector<std::string> names,
                                                  const std::vector<std::string>& given);
/// All of --hardware. Two that call themselves the same are called what the user called them. Throws SpecError
/// for one file given twice.
[[nodiscard]] std::vector<Machine> load_machines(const std::vector<std::string>& given,
                                                 const CaseOptions& options);
/// Reads the framework of that name; throws SpecError as above.
void load_framework(CaseOptions& options, const std::string& name, std::string_view place);
/// Where no --framework is given: the one that all the machines name, if any. Throws SpecError where they
/// differ.
void load_framework_of(CaseOptions& options, std::span<const Machine> machines);
/// --layer-times, whose layers are those of the workload.
void load_layer_times(CaseOptions& options, const Arguments& arguments, const Workload& workload);

}  // namespace ooc
