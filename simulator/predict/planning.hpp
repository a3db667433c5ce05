// Plans a job under a schedule, ready for simulation.
#pragma once

#include "simulator/predict/case.hpp"
#include "simulator/predict/device_plans.hpp"

namespace ooc {

/// True for accountings without lifetimes.
[[nodiscard]] bool is_footprint(Accounting accounting);
/// Budget of the simulation. A footprint was judged before, so its plan runs without limit.
[[nodiscard]] Bytes simulated_budget(const Case& which);

[[nodiscard]] DevicesResult plan_job(const Case& which, const Schedule& schedule, Bytes budget);

}  // namespace ooc
