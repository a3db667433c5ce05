// Options of `calibrate`, of which other commands have some.
#pragma once

#include <optional>
#include <string>

#include "cli/command.hpp"

namespace ooc {

/// Throws SpecError for bad flags of `calibrate`, a missing --output, and an output that is another file of the run.
void check_calibration(const Arguments& arguments);

/// Returns --date; unset: not given. Throws SpecError for a text that is not of the form 2025-01-31.
[[nodiscard]] std::optional<std::string> date_option(const Arguments& arguments);
/// Returns --within in seconds: no measurement begins that would end later; unset: not given. Throws unless above 0 s.
[[nodiscard]] std::optional<double> within_s_of(const Arguments& arguments);

/// Returns --device as 1 to 3 digits, default "0"; throws SpecError for other texts.
[[nodiscard]] std::string device_number_of(const Arguments& arguments);
/// Returns --time-limit in ms, default 120,000; throws SpecError unless 1 ms to 60 min.
[[nodiscard]] int silence_ms_of(const Arguments& arguments);

/// Returns the path of the samples file: the value of --output, followed by ".samples.jsonl".
[[nodiscard]] std::string samples_path(const Arguments& arguments);
/// True if samples and a lock can be stored beside the profile: the output is no device and no pipe.
[[nodiscard]] bool has_files_beside(const Arguments& arguments);

// Profiles from what others measured; no GPU is needed. Both return the exit code.

/// `calibrate --from-nvbandwidth FILE --like PROFILE`: link of a machine from the output of NVIDIA's `nvbandwidth -j`.
[[nodiscard]] int run_from_nvbandwidth(const Arguments& arguments);
/// `calibrate --from-operations FILE --hardware PROFILE`: kernels of a machine, fitted to measured operations.
[[nodiscard]] int run_from_operations(const Arguments& arguments);

}  // namespace ooc
