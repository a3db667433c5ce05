// What people may not expect of a prediction, as sentences: several devices of which one is simulated, batch norms in
// rounds, float32 where the machine has the faster TF32 that frameworks use, and which copies of the weights are
// counted where they have 16 bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "simulator/predict/case.hpp"
#include "simulator/predict/remarks.hpp"

namespace ooc {

/// "/devices: 2 devices, of which one is simulated; --devices N splits the batch"
[[nodiscard]] std::string devices_remark(int devices);
/// What a network says of its training and nobody else does: "batch 1, seq 4096, precision bf16, optimizer adam are ...".
/// None for networks that say nothing of precision and optimizer. `but`: what is looked for.
[[nodiscard]] std::optional<std::string> training_remark(const Network& network,
                                                         const CaseOptions& options,
                                                         std::string_view but = {});
/// Of a plan that leaves the allocator a margin.
[[nodiscard]] std::string margin_remark(Bytes planned_for, Bytes budget);
/// Of a plan whose gradients are static where the framework would free them.
[[nodiscard]] std::string kept_gradients_remark();
/// Of networks with batch norms that run in rounds.
[[nodiscard]] std::string norms_remark(std::int64_t sub_batch);
/// None where nothing is to be said, as for a float32 that the options ask for. `hardware` may be null.
[[nodiscard]] std::optional<std::string> dtype_remark(const Network& network,
                                                      const HardwareProfile* hardware,
                                                      const CaseOptions& options);

}  // namespace ooc
