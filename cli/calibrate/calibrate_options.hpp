// Options of `calibrate`, of which other commands have some.
#pragma once

#include <optional>
#include <string>

#include "cli/command.hpp"

namespace ooc {

/// Throws SpecError for what `calibrate` cannot do, and if an output would replace an input or another output.
void check_calibration(const Arguments& arguments);

/// Returns --date; unset: not given.
[[nodiscard]] std::optional<std::string> date_option(const Arguments& arguments);
/// Returns --within in seconds: no request begins that would end later; unset: not given.
[[nodiscard]] std::optional<double> within_s_of(const Arguments& arguments);

// Options of every command that starts the calibration program:
[[nodiscard]] std::string device_number_of(const Arguments& arguments);
[[nodiscard]] int silence_ms_of(const Arguments& arguments);

/// Returns `<output>.samples.jsonl`.
[[nodiscard]] std::string samples_path(const Arguments& arguments);
/// True if samples and a lock can be stored beside the profile: the output is no device and no pipe.
[[nodiscard]] bool has_files_beside(const Arguments& arguments);

// Profiles from what others measured; no GPU is needed. Both return the exit code.

/// `calibrate --from-nvbandwidth FILE --like PROFILE`: link of a machine from the output of NVIDIA's `nvbandwidth -j`.
[[nodiscard]] int run_from_nvbandwidth(const Arguments& arguments);
/// `calibrate --from-operations FILE --hardware PROFILE`: kernels of a machine, fitted to a table of measured operations.
[[nodiscard]] int run_from_operations(const Arguments& arguments);

}  // namespace ooc
