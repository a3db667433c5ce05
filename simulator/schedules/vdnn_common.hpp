// What the schedules with layer barriers share: the cut of an iteration into layers' sections, and
// the walk of vDNN itself, which vdnn-all and vdnn-conv run with different flags.
#pragma once

#include <vector>

#include "simulator/schedules/sections.hpp"

namespace ooc {

/// One section per forward task.
[[nodiscard]] std::vector<Section> forward_sections(const TrainingGraph& graph);
/// One section per layer with backward tasks, in their order.
[[nodiscard]] std::vector<Section> backward_sections(const TrainingGraph& graph);
/// One section for all updates, if there are any.
void append_updates(const TrainingGraph& graph, std::vector<Section>& sections);

/// What the section's tasks read of `wanted`, in the order they read it; it is wanted no longer.
[[nodiscard]] std::vector<TensorId> take_reads(const TrainingGraph& graph, const Section& section,
                                               std::vector<bool>& wanted);

/// By tensor: whether vDNN moves it, given which kinds of layer have their inputs moved.
[[nodiscard]] std::vector<bool> vdnn_flags(const TrainingGraph& graph,
                                           bool (*consumer)(const LayerModel& model));
/// vDNN's walk (vdnn_common.cpp) that moves the flagged tensors.
[[nodiscard]] std::vector<Section> vdnn_sections(const TrainingGraph& graph,
                                                 std::vector<bool> flagged);

/// The plan of that walk. `consumer` says which kinds of layer have their inputs moved.
[[nodiscard]] PlanResult plan_vdnn(const PlanningProblem& problem,
                                   bool (*consumer)(const LayerModel& model));

}  // namespace ooc
