// Plans with barriers: the iteration is cut into sections. A section runs some tasks and,
// meanwhile, copies out and in. The next section starts when all of that has ended; only then is
// memory freed. Schedules of the vDNN family differ in the contents of sections; whether it fits,
// and the plan, follow from the sections alone (sections.cpp).
#pragma once

#include <cstddef>
#include <vector>

#include "simulator/schedules/schedule.hpp"

namespace ooc {

struct Section {
  std::size_t first_task = 0;  ///< runs the tasks [first_task, end_task)
  std::size_t end_task = 0;
  std::vector<TensorId> to_far;   ///< copies, in queue order
  std::vector<TensorId> to_near;  ///< copies, in queue order
};

/// Precondition: the sections' tasks are all tasks of the graph in order. A tensor in some to_near
/// moves. It leaves at the end of the section in which its copy out (none for network inputs) and
/// its last forward use have ended. It is near again from the section of its copy in. All other
/// tensors stay for life.
[[nodiscard]] PlanResult plan_sections(const PlanningProblem& problem,
                                       const std::vector<Section>& sections);

/// Memory of sections whatever the algorithms, to choose algorithms before planning.
struct SectionMemory {
  std::vector<Bytes> held;              ///< bytes by section, without workspaces and static bytes
  std::vector<std::size_t> section_of;  ///< section by task

  /// Returns the smallest budget, static bytes included, for these alternatives by task.
  [[nodiscard]] Bytes smallest_budget(const CostTable& costs,
                                      const std::vector<AlternativeId>& by_task) const;
};
[[nodiscard]] SectionMemory section_memory(const PlanningProblem& problem,
                                           const std::vector<Section>& sections);

}  // namespace ooc
