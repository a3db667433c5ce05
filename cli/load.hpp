// Names of the command line as values: what they stand for is located and read.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "cli/load.hpp"
#include "simulator/predict/case.hpp"

namespace ooc {

/// `place` is the flag or argument that the name came from. Throws SpecError for an unknown name, and as
/// read_workload() does.
[[nodiscard]] Workload load_workload(const std::string& name, std::string_view place,
                                     const CaseOptions& options);
[[nodiscard]] Machine load_hardware(const std::string& name, std::string_view place,
                                    const CaseOptions& options);
/// Reads the framework of that name; throws SpecError as above.
void load_framework(CaseOptions& options, const std::string& name, std::string_view place);
/// Where no --framework is given: the one that all the machines name, if any. Throws SpecError where they
/// differ.
void load_framework_of(CaseOptions& options, std::span<const Machine> machines);
/// --layer-times, whose layers are those of the workload.
void load_layer_times(CaseOptions& options, const Arguments& arguments, const Workload& workload);

}  // namespace ooc
