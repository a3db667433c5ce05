// The transfer curves as a picture, as in figure 6 of the OOC-Paleo paper: time of a copy over its size, both
// logarithmic, one panel a direction, medians as points (with whiskers from the fastest to the slowest
// repetition), what the profile keeps as lines.
#pragma once

#include <string>

#include "calibrate/session/analyse.hpp"

namespace ooc {

[[nodiscard]] std::string transfer_plot_svg(const SampleSet& set, const Calibration& calibration);

}  // namespace ooc
