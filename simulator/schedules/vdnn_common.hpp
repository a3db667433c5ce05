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

/// vDNN's walk (vdnn_common.cpp). `consumer` says which kinds of layer have their inputs moved.
[[nodiscard]] PlanResult plan_vdnn(const PlanningProblem& problem,
                                   bool (*consumer)(const LayerModel& model));

}  // namespace ooc
