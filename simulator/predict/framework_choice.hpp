// Settings that a case takes from its framework.
#pragma once

#include <memory>
#include <optional>

#include "model/cost/transfer_cost.hpp"
#include "model/kernels/platform.hpp"
#include "model/software/framework.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/predict/case.hpp"

namespace ooc {

/// Returns `ideal` for null.
[[nodiscard]] const Framework& framework_of(const std::shared_ptr<const Framework>& framework);

/// Returns --allocator, else the framework's.
[[nodiscard]] Allocator allocator_of(const CaseOptions& options);

/// Returns the framework's buffers, with holes if the allocator in use keeps them.
[[nodiscard]] GradientBuffers gradient_buffers_of(const CaseOptions& options);
/// True if weight gradients are allocated only from their first writer on.
[[nodiscard]] bool frees_gradients(const CaseOptions& options);
/// Applies free_gradients() and hold_inputs() as the framework does.
void hold_as_framework(const CaseOptions& options, const TrainingGraph& graph, CostTable& costs);
/// Returns sizes without times, for an unknown machine. Throws SpecError for what is too large to
/// count.
[[nodiscard]] CostTable sizes_of(const CaseOptions& options, const TrainingGraph& graph,
                                 std::int64_t batch);
/// Returns the options' own, with the framework's cost of pinning memory.
[[nodiscard]] TransferOptions transfers_of(const CaseOptions& options);
/// Returns the graph's options, with the tensors that the framework saves. Throws SpecError if --accounting has rules of its own.
[[nodiscard]] GraphOptions graph_options_of(const CaseOptions& options);
/// Returns the software of the kernels; unset: ideal, with the machine's cuDNN.
[[nodiscard]] std::optional<Software> software_of(const CaseOptions& options,
                                                  const HardwareProfile& hardware);

}  // namespace ooc
