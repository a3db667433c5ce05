// Checked options of `calibrate`.
#pragma once

#include <optional>
#include <string>

#include "cli/command.hpp"
#include "cli/remarks.hpp"
#include "model/base/spec_tree.hpp"

namespace ooc {

struct CalibrateOptions {
  std::string output;
  bool full = false;
  std::optional<std::string> date;
  std::string device;
  std::string name;
  std::optional<std::string> from;
  std::optional<std::string> like;
  std::optional<std::string> report;
  int silence_ms = 0;
  std::optional<double> request_limit_s;
  std::optional<double> within_s;  ///< no request begins that would end later
  std::string again = {};  ///< flags to repeat when a run is continued, such as " --device 1"
  bool without_probe = false;
  std::optional<std::string> probe;
  Remarks remarks = Remarks::kShown;
  ReadLimits limits;
};

[[nodiscard]] CalibrateOptions calibrate_options(const Arguments& arguments);

/// Returns --date; unset: not given.
[[nodiscard]] std::optional<std::string> date_option(const Arguments& arguments);

// Options of every command that starts the calibration program:
[[nodiscard]] std::string device_number_of(const Arguments& arguments);
[[nodiscard]] int silence_ms_of(const Arguments& arguments);

/// Returns `<output>.samples.jsonl`.
[[nodiscard]] std::string samples_path(const CalibrateOptions& options);
/// True if samples and a lock can be stored beside the profile: the output is no device and no pipe.
[[nodiscard]] bool has_files_beside(const CalibrateOptions& options);

/// Throws SpecError if an output would replace an input or another output.
void check_places(const CalibrateOptions& options);

// Profiles from what others measured; no GPU is needed. Both return the exit code.

/// `calibrate --from-nvbandwidth FILE --like PROFILE`: link of a machine from the output of NVIDIA's `nvbandwidth -j`.
[[nodiscard]] int run_from_nvbandwidth(const Arguments& arguments);
/// `calibrate --from-operations FILE --hardware PROFILE`: kernels of a machine, fitted to a table of measured operations.
[[nodiscard]] int run_from_operations(const Arguments& arguments);

}  // namespace ooc
