// Plans with barriers: an iteration cut into sections. In a section some tasks run one after
// another and, beside them, copies out and in; the next section starts when all of that has ended,
// and only then is memory given back. The vDNN family differs in what it puts into which section;
// whether the result fits, and the plan itself, follow from the sections alone (sections.cpp).
#pragma once

#include <cstddef>
#include <vector>

#include "simulator/schedules/schedule.hpp"

namespace ooc {

struct Section {
  std::size_t first_task = 0;  ///< runs the tasks [first_task, end_task)
  std::size_t end_task = 0;
  std::vector<TensorId> to_far;   ///< in queue order
  std::vector<TensorId> to_near;  ///< in queue order
};

/// The sections' tasks, one after another, are all tasks of the graph in order. A tensor in some
/// to_near moves: it leaves at the end of the section in which its copy out and its last forward
/// use have ended (a network input has no copy out) and is near again from the section of its copy
/// in on; all other tensors stay for as long as they live.
[[nodiscard]] PlanResult plan_sections(const PlanningProblem& problem,
                                       const std::vector<Section>& sections);

/// What sections hold whatever the algorithms, to choose these before a plan is made.
struct SectionMemory {
  std::vector<Bytes> held;              ///< by section; workspaces and static bytes left out
  std::vector<std::size_t> section_of;  ///< by task

  /// The smallest budget, static bytes included, with these alternatives by task.
  [[nodiscard]] Bytes smallest_budget(const CostTable& costs,
                                      const std::vector<AlternativeId>& by_task) const;
};
[[nodiscard]] SectionMemory section_memory(const PlanningProblem& problem,
                                           const std::vector<Section>& sections);

}  // namespace ooc
