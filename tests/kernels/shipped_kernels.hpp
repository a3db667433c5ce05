// Machines of tests/data/kernels/machines.csv and the shipped architectures.
#pragma once

#include <map>
#include <string>

#include "calibrate/fit/fit_stage.hpp"
#include "model/hardware/architecture_json.hpp"

namespace ooc::test {

[[nodiscard]] FitMachines table_machines();
/// By name; `folder` holds the files.
[[nodiscard]] std::map<std::string, Architecture> read_architectures(const std::string& folder);
[[nodiscard]] std::string shipped_architectures();
[[nodiscard]] std::string text_of_file(const std::string& path);

}  // namespace ooc::test
