// What must be near at each position of an iteration, and the answer when that is more than there
// is. A position is whatever a schedule decides feasibility by: a task (in-core, capacity) or a
// section between two barriers (the vDNN family). All of them say "does not fit" through here, so
// that the smallest budget is exact for all of them: it is the largest sum over the positions, and
// a plan exists exactly where no position exceeds the budget.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// A tensor that is near during the positions [first, end).
struct Stay {
  TensorId tensor;
  std::size_t first = 0;
  std::size_t end = 0;
};

class Footprint {
 public:
  Footprint(const PlanningProblem& problem, std::size_t positions);

  void add(const Stay& stay);
  /// The workspaces of tasks at one position follow each other: the largest counts.
  void add_workspace(TaskId task, std::size_t position);

  /// Without static bytes.
  [[nodiscard]] std::vector<Bytes> bytes() const;

  /// None when all positions fit. `name` is called once, for the first that does not.
  [[nodiscard]] std::optional<OutOfMemory> shortage(
      const std::function<std::string(std::size_t)>& name) const;

 private:
  [[nodiscard]] OutOfMemory describe(std::size_t position, Bytes largest) const;

  const PlanningProblem& problem_;
  std::vector<Stay> stays_;
  std::vector<std::optional<TaskId>> workspace_of_;  ///< by position: the task of the largest one
};

/// Workspace of the alternative that --algorithms chooses.
[[nodiscard]] Bytes chosen_workspace(const PlanningProblem& problem, TaskId task);

/// First position of a tensor's life: 0 for network inputs, else its first writer.
[[nodiscard]] std::size_t first_task(const Lifetime& life);

}  // namespace ooc
