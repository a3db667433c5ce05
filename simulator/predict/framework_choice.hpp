// What a case takes from its framework.
#pragma once

#include <memory>
#include <optional>

#include "model/cost/transfer_cost.hpp"
#include "model/kernels/platform.hpp"
#include "model/software/framework.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/predict/case.hpp"

namespace ooc {

/// `ideal` where none is named.
[[nodiscard]] const Framework& framework_of(const std::shared_ptr<const Framework>& framework);

/// --allocator, else the framework's.
[[nodiscard]] Allocator allocator_of(const CaseOptions& options);

/// The framework's, beside the allocator that is chosen.
[[nodiscard]] GradientBuffers gradient_buffers_of(const CaseOptions& options);
/// Whether the gradients of weights are near only from their first writer on.
[[nodiscard]] bool frees_gradients(const CaseOptions& options);
/// What comes to stay within an iteration, as free_gradients() and hold_inputs() have it, where the framework does so.
void hold_as_framework(const CaseOptions& options, const TrainingGraph& graph, CostTable& costs);
/// What tasks and tensors take where no machine is known, so without times. Throws SpecError for what is too large to
/// count.
[[nodiscard]] CostTable sizes_of(const CaseOptions& options, const TrainingGraph& graph,
                                 std::int64_t batch);
/// The options' own with what pinning memory costs the framework.
[[nodiscard]] TransferOptions transfers_of(const CaseOptions& options);
/// The graph's options with what the framework keeps. Throws SpecError where --accounting has rules of its own for that.
[[nodiscard]] GraphOptions graph_options_of(const CaseOptions& options);
/// What runs the kernels on this machine; none: the ideal stack with the machine's cuDNN.
[[nodiscard]] std::optional<Software> software_of(const CaseOptions& options,
                                                  const HardwareProfile& hardware);

}  // namespace ooc
