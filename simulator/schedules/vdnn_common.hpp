// Common code of schedules with layer barriers: sections of layers, and vDNN's walk, which vdnn-all
// and vdnn-conv run with different flags.
#pragma once

#include <vector>

#include "simulator/schedules/sections.hpp"

namespace ooc {

/// Returns a section for each forward task.
[[nodiscard]] std::vector<Section> forward_sections(const TrainingGraph& graph);
/// Returns a section for each layer with backward tasks, in their order.
[[nodiscard]] std::vector<Section> backward_sections(const TrainingGraph& graph);
/// Appends a section with all updates, if there are any.
void append_updates(const TrainingGraph& graph, std::vector<Section>& sections);

/// Returns the tensors of `wanted` that the section's tasks read, in reading order, and clears them in `wanted`.
[[nodiscard]] std::vector<TensorId> take_reads(const TrainingGraph& graph, const Section& section,
                                               std::vector<bool>& wanted);

/// Returns by tensor whether vDNN moves it. `consumer`: true for layers whose inputs move.
[[nodiscard]] std::vector<bool> vdnn_flags(const TrainingGraph& graph,
                                           bool (*consumer)(const LayerModel& model));
/// Returns the sections of vDNN's walk that moves the flagged tensors (vdnn_common.cpp).
[[nodiscard]] std::vector<Section> vdnn_sections(const TrainingGraph& graph,
                                                 std::vector<bool> flagged);

/// Returns the plan of that walk. `consumer`: true for layers whose inputs move.
[[nodiscard]] PlanResult plan_vdnn(const PlanningProblem& problem,
                                   bool (*consumer)(const LayerModel& model));

}  // namespace ooc
