// The plan of a job on several devices: a plan for each share of the batch, with copies at a fair share of
// the link, and all of them joined (docs/notebook/0008-devices.md).
#pragma once

#include <functional>
#include <memory>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/sub_batch.hpp"

namespace ooc {

struct DevicesResult {
  PlanResult plan;
  std::shared_ptr<const Rounds> rounds;  ///< of the first device, where it has several
  std::shared_ptr<const DataParallel>
      devices;  ///< what the plan is about; null where there is none
};

/// The plan of one device's share, which is a case by itself.
using PlanShare = std::function<RoundsResult(const Case& share)>;

/// Precondition: which.devices > 1. One call of `plan_share` for each size of share. SpecError at --devices
/// for more steps than can be counted, at --sub-batch for one above a share.
[[nodiscard]] DevicesResult plan_on_devices(const Case& which, const PlanShare& plan_share);

/// SpecError at --devices where there are fewer samples than devices.
void check_devices_of_batch(int devices, std::int64_t batch);

}  // namespace ooc
