// From a job and a schedule to the plan that is simulated.
#pragma once

#include "simulator/predict/case.hpp"
#include "simulator/predict/device_plans.hpp"

namespace ooc {

/// An accounting without lifetimes.
[[nodiscard]] bool is_footprint(Accounting accounting);
/// What a plan is run in. A footprint was judged before: its plan then runs without a limit.
[[nodiscard]] Bytes simulated_budget(const Case& which);

[[nodiscard]] DevicesResult plan_job(const Case& which, const Schedule& schedule, Bytes budget);

}  // namespace ooc
