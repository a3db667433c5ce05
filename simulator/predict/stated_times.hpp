// Layers that state their own times (`custom`) for a batch and not for a sample: at another batch than the
// file's nobody knows what they cost. Where the file states none, they are taken as they are, and that is said.
#pragma once

#include <string>

#include "model/cost/compute_cost.hpp"
#include "simulator/predict/case.hpp"

namespace ooc {

/// Throws SpecError where a layer states times for the file's batch and `compute` has another one.
/// Layers that --layer-times replaces do not count, here and below.
void check_stated_times(const Workload& workload, const ComputeOptions& compute);
/// The same in a search over batches.
void check_any_batch(const Workload& workload);

/// "the times of layer "a" are taken for batch 64, ..."; empty where there is nothing to say.
[[nodiscard]] std::string stated_times_remark(const Workload& workload,
                                              const ComputeOptions& compute);
/// The same where there are several batches.
[[nodiscard]] std::string stated_times_remark(const Workload& workload);

}  // namespace ooc
