// What people may not expect of an element type: float32 where the machine has the faster TF32 that
// frameworks use, and which copies of the weights are counted where they have 16 bits.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/options.hpp"
#include "cli/pipeline.hpp"
#include "cli/remarks.hpp"

namespace ooc {

/// None where nothing is to be said, as for a float32 that --dtype asks for. `hardware` may be null.
[[nodiscard]] std::optional<std::string> dtype_remark(const Network& network,
                                                      const HardwareProfile* hardware,
                                                      const CaseOptions& options);
/// On standard error: of every network on every machine, each text once.
void remark_on_dtypes(Remarks remarks, std::span<const Workload> workloads,
                      std::span<const Machine> machines, const CaseOptions& options);

}  // namespace ooc
