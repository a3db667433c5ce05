// Bytes needed at each position of an iteration, and the answer if that exceeds the budget. A
// position is a task (in-core, capacity) or a section between two barriers (vDNN family). All these
// schedules report "does not fit" from here. So their smallest budget is exact: it is the largest
// sum over positions, and a plan exists exactly if no position exceeds the budget.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// Residency of a tensor: in GPU memory at positions [first, end).
struct Stay {
  TensorId tensor;
  std::size_t first = 0;
  std::size_t end = 0;
};

class Footprint {
 public:
  Footprint(const PlanningProblem& problem, std::size_t positions);

  void add(const Stay& stay);
  /// Adds a task's workspace. Tasks at one position run one after another, so only the largest workspace counts.
  void add_workspace(TaskId task, std::size_t position);
  /// Adds the workspaces of all tasks. Precondition: positions are tasks.
  void add_workspaces();

  /// Returns the bytes needed at each position, without static bytes.
  [[nodiscard]] std::vector<Bytes> bytes() const;

  /// Returns OutOfMemory at the first position beyond the budget; unset: all fit. `name` names the step at a position.
  [[nodiscard]] std::optional<OutOfMemory> shortage(
      const std::function<std::string(std::size_t)>& name) const;

 private:
  [[nodiscard]] OutOfMemory describe(std::size_t position, Bytes largest) const;

  const PlanningProblem& problem_;
  std::vector<Stay> stays_;
  std::vector<std::optional<TaskId>> workspace_of_;  ///< by position: task of the largest workspace
};

/// Returns the workspace of the task's chosen algorithm.
[[nodiscard]] Bytes chosen_workspace(const PlanningProblem& problem, TaskId task);

/// Returns the first task during which a tensor is in memory: 0 for network inputs, else its first writer.
[[nodiscard]] std::size_t first_task(const Lifetime& life);

// Default rule for algorithms (without --algorithms): the fastest for each task whose workspace
// fits, as frameworks choose. A workspace may always take memory that no plan could use: the memory
// beside all tensors alive during its task. Beyond that it competes with tensors that could stay. A
// limit, called room, decides: bytes for a task's own tensors and its workspace together.
// scheduled_case.hpp runs the job with each room and takes the best. Rooms do not depend on the
// budget, so more memory never offers fewer algorithms.

/// Returns rooms (limits as above) to try, ascending, static bytes included, none above `budget`. The first is 0: only
/// memory that no tensor could use. Each makes compute at least 1 % faster than the one before, except perhaps the
/// room in which all tasks have their fastest algorithms.
[[nodiscard]] std::vector<Bytes> algorithm_rooms(const TrainingGraph& graph, const CostTable& costs,
                                                 Bytes budget);

/// Returns by task the fastest algorithm whose workspace fits beside the task's own tensors in `room`, or beside all
/// live tensors in `budget`; if none does, the first algorithm. Static bytes count in both.
[[nodiscard]] std::vector<AlternativeId> fitting_algorithms(const TrainingGraph& graph,
                                                            const CostTable& costs, Bytes room,
                                                            Bytes budget);

/// Sets problem.fitting if options.algorithms is kFitting and options.room is set; otherwise sets it to null.
void fit_algorithms(PlanningProblem& problem);

}  // namespace ooc
