// What people read after a calibration: modes with latency, rate and how well the fit describes them,
// the link against expectation, the other figures, and what is wrong or missing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calibrate/session/analyse.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

struct ReportInput {
  const SampleSet& set;
  const Calibration& calibration;
  const HardwareProfile& profile;  ///< as it was read back: its `assumed` is shown
  const std::vector<std::string>& remarks;
};

[[nodiscard]] std::string calibration_report(const ReportInput& input);

/// Figure 6 of the OOC-Paleo paper as a picture (SVG): time of a copy over its size, both logarithmic, a panel a
/// direction, medians as points (with whiskers from the fastest to the slowest repetition), what the profile keeps as
/// lines.
[[nodiscard]] std::string transfer_plot_svg(const SampleSet& set, const Calibration& calibration);

/// For charts, throughput over size: JSON of docs/formats.md, 10, with `tool` in it as `put_tool` of other results has it.
[[nodiscard]] std::string calibration_json(const ReportInput& input, std::string_view version,
                                           const std::vector<std::string>& command);

/// "machine" and "samples" of the profile: who was measured, and median, spread and count of each metric, with what the
/// fit says of copies: what a reader wants to judge a number by. Times themselves stay in the samples file.
[[nodiscard]] std::string measurement_json(const SampleSet& set, const Calibration& calibration);

}  // namespace ooc
