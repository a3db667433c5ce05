// What the command line of `calibrate` says, checked.
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
  std::optional<std::string> plot;
  std::optional<std::string> report;
  int silence_ms = 0;
  std::optional<double> request_limit_s;
  std::optional<double> within_s;  ///< no request is begun that would end later
  std::string again = {};          ///< the flags that a continued run needs as well: " --device 1"
  bool without_probe = false;
  std::optional<std::string> probe;
  Remarks remarks = Remarks::kShown;
  ReadLimits limits;
};

[[nodiscard]] CalibrateOptions calibrate_options(const Arguments& arguments);

/// --date, or none.
[[nodiscard]] std::optional<std::string> date_option(const Arguments& arguments);

// What every command that starts the measuring program takes.
[[nodiscard]] std::string device_number_of(const Arguments& arguments);
[[nodiscard]] int silence_ms_of(const Arguments& arguments);

/// `<output>.samples.jsonl`
[[nodiscard]] std::string samples_path(const CalibrateOptions& options);
/// Whether samples and a lock may lie beside the profile: not where it is a device or a pipe.
[[nodiscard]] bool has_files_beside(const CalibrateOptions& options);

/// SpecError where an output would replace what is read, or another output.
void check_places(const CalibrateOptions& options);

}  // namespace ooc
