// Plan of a job on several devices: a plan for each share of the batch, with copies at a fair share
// of the link, all joined (docs/notebook/0008-devices.md).
#pragma once

#include <functional>
#include <memory>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/sub_batch.hpp"

namespace ooc {

struct DevicesResult {
  PlanResult plan;
  std::shared_ptr<const Rounds> rounds;  ///< micro-batches of device 0; null: no accumulation
  std::shared_ptr<const DataParallel> devices;  ///< devices of the plan; null: no plan
};

/// Plans one device's share, given as a case.
using PlanShare = std::function<RoundsResult(const Case& share)>;

/// Calls `plan_share` once for each size of share. Throws SpecError at --devices for too many steps
/// to count, and at --sub-batch above a share. Precondition: which.devices > 1.
[[nodiscard]] DevicesResult plan_on_devices(const Case& which, const PlanShare& plan_share);

/// Throws SpecError at --devices if there are fewer samples than devices.
void check_devices_of_batch(int devices, std::int64_t batch);

}  // namespace ooc
