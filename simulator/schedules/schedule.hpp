// A schedule: a const struct with a function in it. One file per schedule; the table of all of them
// is generated from the list of names in this folder's CMakeLists.txt. A schedule never asks how
// time passes: what it may know is in the PlanningProblem.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/analytic/closed_forms.hpp"
#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/schedules/schedule_options.hpp"

namespace ooc {

struct Timeline;  // simulator/timeline/timeline.hpp

/// A plan tried out: its time, or none if it gets stuck for memory.
struct Trial {
  std::optional<Duration> iteration_time = {};
  /// Where it has a time: the plan as it ran, with copies that wait as the framework's do (its compute steps are those
  /// of the plan tried, in their order), and when its steps did. Valid up to the next trial; null: not told.
  const Plan* plan = nullptr;
  const Timeline* timeline = nullptr;
  bool overflows_far = false;  ///< why it has no time; else near memory has no room for a step
};

struct PlanningProblem {
  const TrainingGraph& graph;
  const CostTable& costs;
  Bytes budget;                  ///< near memory, static bytes included
  ScheduleOptions options = {};  ///< what the user asked for
  /// Runs a plan: for schedules that search by trial, and only those (Trait::kSearchesByTrial).
  std::function<Trial(const Plan&)> evaluate = {};

  /// State is woven into the plan: who makes others' plans asks those only whose plans carry it (Trait::kCarriesState).
  bool carries_state = false;
  Duration least_time = {};  ///< no plan is quicker, as far as the schedule does not see it itself

  /// What a schedule that chooses algorithms itself hands to the makers of plans; null: by rule.
  const std::vector<AlternativeId>* by_task = nullptr;
  /// By task, of whoever does not: the quickest that fit (fit_algorithms()); null: by --algorithms.
  std::shared_ptr<const std::vector<AlternativeId>> fitting = {};

  /// The alternative to run a task with: the schedule's own choice, else what --algorithms says.
  [[nodiscard]] AlternativeId chosen(TaskId task) const {
    if (by_task != nullptr) return (*by_task)[task.at()];
    return fitting ? (*fitting)[task.at()] : costs.alternative(task, options.algorithms);
  }
};

/// What is peculiar about a schedule. Who runs schedules asks for these, never for names.
enum class Trait : unsigned {
  kMovesNothing = 1U << 0,  ///< no tensor ever leaves near memory
  /// Its plan depends on how long copies take: a sweep plans anew for every link.
  kPlansForLink = 1U << 1,
  /// It chooses tasks' alternatives itself; others use what --algorithms says.
  kChoosesAlgorithms = 1U << 2,
  /// Without --sub-batch it runs in rounds of as many samples as it thinks best.
  kSubBatches = 1U << 3,
  /// Its plans run tasks again: bounds for schedules that only move tensors do not hold for it.
  kRecomputes = 1U << 4,
  /// It calls PlanningProblem::evaluate.
  kSearchesByTrial = 1U << 5,
  /// It moves pages: it is handed a graph whose tensors are cut into parts (model/rewrite/parts.hpp), and
  /// its copies are those of unified memory, whatever --mode says.
  kMovesPages = 1U << 6,
  /// Of them, what it copies ahead of need: it has the profile's mode for that, too.
  kPrefetchesPages = 1U << 7,
  /// It compresses tensors where ScheduleOptions::lms_action says so: its plans are then made by
  /// plan_with_compression() (lms_compress.hpp), about another graph, and not by make_plan.
  kCompresses = 1U << 8,
  /// Where the tasks find room with everything near, nothing moves and no task runs again, unless an
  /// option says how much has to move (--keep-bytes, --max-swaps).
  kMovesOnlyWhatItMust = 1U << 9,
  /// It looks for the quickest plan that there is. With --sub-batch auto it therefore tries several numbers of rounds,
  /// and what schedules that run in rounds by themselves make of the job; predict says in words what its plan does, and
  /// what the last bit of memory and of link are worth to it.
  kOptimizes = 1U << 10,
  /// All that its plans need near while a task runs is booked for that task, workspace included, and every wait points back
  /// in sequence: copies of weights, gradients and optimiser state can be woven in (simulator/plan/weave_state.hpp).
  kCarriesState = 1U << 11,
};

/// A set of them.
class Traits {
 public:
  constexpr Traits() = default;
  constexpr Traits(std::initializer_list<Trait> traits) {
    for (const Trait trait : traits) bits_ |= static_cast<unsigned>(trait);
  }
  [[nodiscard]] constexpr bool has(Trait trait) const {
    return (bits_ & static_cast<unsigned>(trait)) != 0;
  }

 private:
  unsigned bits_ = 0;
};

/// How to make a plan. The contract of make_plan:
///
/// It gets a training graph, what its tasks and copies cost, and a budget; all of them outlive the call. It returns a
/// Plan (plan.hpp) that validate_plan() accepts: every task runs once or more, its inputs are near when it starts, and
/// nothing is dropped that is needed again and not far. Or it returns OutOfMemory, with the smallest budget that would
/// do where it knows it: a plan with exactly that budget must then succeed and one byte less must not.
/// A step waits for what it reads, or for a later copy on the same queue: so copies can be made to wait as the framework's
/// do (simulator/plan/wait_as_framework.hpp), in the plan returned and in those that it tries.
/// It may assume that tasks are in an order that can run and that sizes and times can be summed without overflow. The
/// same problem gives the same plan, on any thread; it keeps nothing between calls. How time passes is the engine's
/// business: where a plan needs more than `budget` at once, the engine makes steps wait.
/// `options` that it cannot work with are a SpecError (option_error()).
struct Schedule {
  std::string_view name;
  std::string_view summary;  ///< one line, for `list schedules`
  std::string_view source;   ///< paper, section; where there is none, whose idea it is
  Traits traits = {};
  /// Names in option_table.hpp of what it reads ("--algorithms"); others are refused.
  std::span<const std::string_view> options = {};
  /// What its source estimates its time with on paper.
  ClosedForm closed_form = ClosedForm::kNone;
  PlanResult (*make_plan)(const PlanningProblem& problem);

  [[nodiscard]] constexpr bool is(Trait trait) const { return traits.has(trait); }
};

/// True where its plans are about a graph with tensors compressed (lms_compress.hpp): make_plan does not
/// make them.
[[nodiscard]] inline bool compresses(const Schedule& schedule, const ScheduleOptions& options) {
  return schedule.is(Trait::kCompresses) && options.lms_action != LmsAction::kSwap;
}

/// False where its plans run tasks again or change what is moved: bounds that follow from what memory
/// forces to move do not hold for it.
[[nodiscard]] inline bool only_moves_tensors(const Schedule& schedule,
                                             const ScheduleOptions& options) {
  return !schedule.is(Trait::kRecomputes) && !compresses(schedule, options);
}

/// All schedules, in the order of CMakeLists.txt.
[[nodiscard]] std::span<const Schedule* const> schedules();
/// The schedule of that name, or none.
[[nodiscard]] const Schedule* find_schedule(std::string_view name);

}  // namespace ooc
