// Common code of schedules with layer barriers: sections of layers, and vDNN's walk over them,
// which vdnn-all and vdnn-conv run with different flags.
#pragma once

#include <cstddef>
#include <vector>

#include "simulator/schedules/schedule.hpp"

namespace ooc {

// Plans with barriers: the iteration is cut into sections. A section runs some tasks and,
// meanwhile, copies out and in. The next section starts when all of that has ended; only then is
// memory freed. Schedules of the vDNN family differ only in the contents of sections, from which
// the plan and its memory follow (sections below).

struct Section {
  std::size_t first_task = 0;  ///< runs the tasks [first_task, end_task)
  std::size_t end_task = 0;
  std::vector<TensorId> to_far = {};   ///< tensors copied out meanwhile, in queue order
  std::vector<TensorId> to_near = {};  ///< tensors copied in meanwhile, in queue order
};

/// Returns the plan of `sections`; OutOfMemory if one does not fit. Precondition: the tasks of all sections are those
/// of the graph in order. A tensor in some to_near leaves at the end of the section in which its copy out (none for
/// network inputs) and its last forward use have ended, and is near again from the section of its copy in. Others stay.
[[nodiscard]] PlanResult plan_sections(const PlanningProblem& problem,
                                       const std::vector<Section>& sections);

/// Memory of sections without workspaces, to choose algorithms before planning.
struct SectionMemory {
  std::vector<Bytes> held;  ///< by section: bytes of tensors near; no workspaces or static bytes
  std::vector<std::size_t> section_of;  ///< by task: its section

  /// Returns the smallest budget, static bytes included, for these algorithms by task.
  [[nodiscard]] Bytes smallest_budget(const CostTable& costs,
                                      const std::vector<AlternativeId>& by_task) const;
};
[[nodiscard]] SectionMemory section_memory(const PlanningProblem& problem,
                                           const std::vector<Section>& sections);

/// Returns a section for each forward task.
[[nodiscard]] std::vector<Section> forward_sections(const TrainingGraph& graph);
/// Returns a section for each run of backward tasks of one layer, in order.
[[nodiscard]] std::vector<Section> backward_sections(const TrainingGraph& graph);
/// Appends a section with all updates, if there are any.
void append_updates(const TrainingGraph& graph, std::vector<Section>& sections);

/// Returns the tensors of `wanted` that the section's tasks read, in reading order, and clears them in `wanted`.
[[nodiscard]] std::vector<TensorId> take_reads(const TrainingGraph& graph, const Section& section,
                                               std::vector<bool>& wanted);

/// Returns by tensor whether vDNN moves it: saved inputs of layers for which `consumer` is true, except inputs of the
/// last layer that is neither activation nor loss.
[[nodiscard]] std::vector<bool> vdnn_flags(const TrainingGraph& graph, bool LayerModel::*consumer);
/// Returns the sections of vDNN's walk (vdnn_common.cpp). `flagged`: by tensor, true if it moves between its uses.
[[nodiscard]] std::vector<Section> vdnn_sections(const TrainingGraph& graph,
                                                 std::vector<bool> flagged);

/// Returns the plan of vdnn_sections() for the tensors of vdnn_flags().
[[nodiscard]] PlanResult plan_vdnn(const PlanningProblem& problem, bool LayerModel::*consumer);

}  // namespace ooc
