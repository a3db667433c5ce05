// A schedule: a const struct with a function in it. One file per schedule; the table of all of them
// is generated from the list of names in this folder's CMakeLists.txt. A schedule never asks how
// time passes: what it may know is in the PlanningProblem.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/schedules/schedule_options.hpp"

namespace ooc {

/// A plan tried out: its time, or none if it gets stuck for memory.
struct Trial {
  std::optional<Duration> iteration_time;
};

struct PlanningProblem {
  const TrainingGraph& graph;
  const CostTable& costs;
  Bytes budget;                  ///< near memory, static bytes included
  ScheduleOptions options = {};  ///< what the user asked for
  /// Runs a plan: for schedules that search by trial, and only those (Schedule::searches_by_trial).
  std::function<Trial(const Plan&)> evaluate = {};

  /// What a schedule that chooses algorithms itself hands to the makers of plans; null: by rule.
  const std::vector<AlternativeId>* by_task = nullptr;

  /// The alternative to run a task with: the schedule's own choice, else what --algorithms says.
  [[nodiscard]] AlternativeId chosen(TaskId task) const {
    return by_task != nullptr ? (*by_task)[task.at()] : costs.alternative(task, options.algorithms);
  }
};

struct Schedule {
  std::string_view name;
  std::string_view summary;  ///< one line, for `list schedules`
  std::string_view source;   ///< paper, section
  bool moves_tensors = true;
  /// Flags of schedule_options.hpp that it reads ("--algorithms"); others are refused.
  std::span<const std::string_view> options = {};
  /// Its plan depends on how long copies take: a sweep plans anew for every link.
  bool plans_for_link = false;
  /// It chooses tasks' alternatives itself; others use what --algorithms says.
  bool chooses_algorithms = false;
  /// Without --sub-batch it runs in rounds of as many samples as it thinks best.
  bool sub_batches = false;
  /// Its plans run tasks again: bounds for schedules that only move tensors do not hold for it.
  bool recomputes = false;
  /// It calls PlanningProblem::evaluate.
  bool searches_by_trial = false;
  /// It moves pages: it is handed a graph whose tensors are cut into parts (model/rewrite/parts.hpp), and
  /// its copies are those of unified memory, whatever --mode says.
  bool moves_pages = false;
  /// Of them, what it copies ahead of need: it has the profile's mode for that, too.
  bool prefetches_pages = false;
  PlanResult (*make_plan)(const PlanningProblem& problem);
};

/// What a schedule may use of a job's alternatives: the reference and the bounds of its results are
/// over these.
[[nodiscard]] inline Alternatives alternatives_in_play(const Schedule& schedule,
                                                       const ScheduleOptions& options) {
  const bool all =
      schedule.chooses_algorithms || options.algorithms == AlgorithmChoice::kPerformance;
  return all ? Alternatives::kAll : Alternatives::kFirst;
}

/// True where its plans are about a graph with tensors compressed (lms_compress.hpp): make_plan does not
/// make them.
[[nodiscard]] inline bool compresses(const Schedule& schedule, const ScheduleOptions& options) {
  if (options.lms_action == LmsAction::kSwap) return false;
  return std::find(schedule.options.begin(), schedule.options.end(), "--lms-action") !=
         schedule.options.end();
}

/// False where its plans run tasks again or change what is moved: bounds that follow from what memory
/// forces to move do not hold for it.
[[nodiscard]] inline bool only_moves_tensors(const Schedule& schedule,
                                             const ScheduleOptions& options) {
  return !schedule.recomputes && !compresses(schedule, options);
}

/// All schedules, in the order of CMakeLists.txt.
[[nodiscard]] std::span<const Schedule* const> schedules();
/// The schedule of that name, or none.
[[nodiscard]] const Schedule* find_schedule(std::string_view name);

}  // namespace ooc
