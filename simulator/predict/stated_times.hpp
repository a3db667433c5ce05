// Layers with stated times (`custom`) for a batch, not for a sample. At another batch than the file's their
// cost is unknown. If the file states no batch, the times are used as they are, with a remark.
#pragma once

#include <string>

#include "model/cost/compute_cost.hpp"
#include "simulator/predict/case.hpp"

namespace ooc {

/// Throws SpecError if a layer states times for the file's batch and `compute` has another. Layers
/// in --layer-times do not count, here and below.
void check_stated_times(const Workload& workload, const ComputeOptions& compute);
/// Throws SpecError in a search over batches.
void check_any_batch(const Workload& workload);

/// Returns "the times of layer "a" are taken for batch 64, ..."; empty: no remark.
[[nodiscard]] std::string stated_times_remark(const Workload& workload,
                                              const ComputeOptions& compute);
/// Returns the remark for several batches.
[[nodiscard]] std::string stated_times_remark(const Workload& workload);

}  // namespace ooc
