// Kind of job by which errors are counted: what moves, what computes, in which type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/schedule.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Returns "activations to the host, transformers, 16 bits, on hopper". `copies`: false if the
/// run moves nothing, whatever the schedule may do.
[[nodiscard]] std::string job_kind(const Case& which, const Schedule& schedule, bool copies = true);

/// Returns the entry of the kind; else that of the kind without its machine; else one without
/// figures: none was measured.
[[nodiscard]] MeasuredErrors errors_of_kind(const std::vector<MeasuredErrors>& table,
                                            std::string_view kind);

}  // namespace ooc
