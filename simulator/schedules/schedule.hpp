// A schedule: a const struct with a function in it. One file per schedule; the table of all of them
// is generated from the list of names in this folder's CMakeLists.txt. A schedule never asks how
// time passes: what it may know is in the PlanningProblem.
#pragma once

#include <span>
#include <string_view>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc {

struct PlanningProblem {
  const TrainingGraph& graph;
  const CostTable& costs;
  Bytes budget;  ///< near memory, static bytes included
};

struct Schedule {
  std::string_view name;
  std::string_view summary;  ///< one line, for `list schedules`
  std::string_view source;   ///< paper, section
  bool moves_tensors = true;
  PlanResult (*make_plan)(const PlanningProblem& problem);
};

/// All schedules, in the order of CMakeLists.txt.
[[nodiscard]] std::span<const Schedule* const> schedules();
/// The schedule of that name, or none.
[[nodiscard]] const Schedule* find_schedule(std::string_view name);

}  // namespace ooc
