// Schedule: a const struct with one function. One file a schedule; this folder's CMakeLists.txt
// generates the table. A schedule knows only the PlanningProblem, never how time passes.
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

/// Result of running a plan; unset time: blocked for memory.
struct Trial {
  std::optional<Duration> iteration_time = {};
  /// Plan as run, with copies that wait as the framework's do, and the times of its steps. Compute
  /// steps are those of the plan tried, in order. Valid until the next trial; null: not available.
  const Plan* plan = nullptr;
  const Timeline* timeline = nullptr;
  bool overflows_far = false;  ///< true: host memory overflows; false: GPU memory is short
};

struct PlanningProblem {
  const TrainingGraph& graph;
  const CostTable& costs;
  Bytes budget;                  ///< GPU memory, static bytes included
  ScheduleOptions options = {};  ///< as the user set them
  /// Runs a plan. Only for schedules that search by trial (Trait::kSearchesByTrial).
  std::function<Trial(const Plan&)> evaluate = {};

  /// Model states will be woven into the plan, so only schedules with Trait::kCarriesState may help to make it.
  bool carries_state = false;
  Duration least_time = {};  ///< lower bound on any plan's time, as far as others know one

  /// Alternatives by task, from a schedule that chooses them; null: by rule.
  const std::vector<AlternativeId>* by_task = nullptr;
  /// Fastest alternatives that fit, by task (fit_algorithms()), for other schedules; null: by --algorithms.
  std::shared_ptr<const std::vector<AlternativeId>> fitting = {};

  /// Returns the alternative for a task: the schedule's choice, else by --algorithms.
  [[nodiscard]] AlternativeId chosen(TaskId task) const {
    if (by_task != nullptr) return (*by_task)[task.at()];
    return fitting ? (*fitting)[task.at()] : costs.alternative(task, options.algorithms);
  }
};

/// Properties of schedules. Other code asks for these, never for names.
enum class Trait : unsigned {
  kMovesNothing = 1U << 0,  ///< no tensor ever leaves GPU memory
  /// The plan depends on copy times; a sweep plans anew for every link.
  kPlansForLink = 1U << 1,
  /// Chooses alternatives itself; others use --algorithms.
  kChoosesAlgorithms = 1U << 2,
  /// Without --sub-batch the schedule chooses the micro-batch itself.
  kSubBatches = 1U << 3,
  /// Plans rerun tasks, so bounds for schedules that only move tensors do not hold.
  kRecomputes = 1U << 4,
  /// Calls PlanningProblem::evaluate.
  kSearchesByTrial = 1U << 5,
  /// Moves pages: gets a graph with tensors cut into parts (model/rewrite/parts.hpp) and the copy
  /// costs of unified memory, whatever --mode says.
  kMovesPages = 1U << 6,
  /// Prefetches pages, so the profile's mode "unified_prefetch" is needed, too.
  kPrefetchesPages = 1U << 7,
  /// Compresses tensors by ScheduleOptions::lms_action. plan_with_compression() (lms_compress.hpp)
  /// then makes the plans, about another graph, not make_plan.
  kCompresses = 1U << 8,
  /// Moves and reruns nothing if everything fits, unless an option fixes how much moves
  /// (--keep-bytes, --max-swaps).
  kMovesOnlyWhatItMust = 1U << 9,
  /// Searches for the fastest plan of all. With --sub-batch auto it tries several micro-batches,
  /// and the plans of schedules with gradient accumulation. predict describes its plan in words.
  kOptimizes = 1U << 10,
  /// Memory near during a task is booked for that task, workspace included, and waits point back in
  /// sequence. So copies of model states can be woven in (simulator/plan/weave_state.hpp).
  kCarriesState = 1U << 11,
  /// Likewise, where it is asked for by name: searches do not try it.
  kCarriesStateIfAsked = 1U << 12,
};

/// Set of traits.
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

/// Schedule: how to make a plan. Contract of make_plan:
///
/// Input: a training graph, the costs of its tasks and copies, and a budget; all outlive the call.
/// Result: a Plan (plan.hpp) that validate_plan() accepts. Every task runs at least once, its
/// inputs are near when it starts, and nothing is dropped that is needed again and not in host
/// memory. Or OutOfMemory, with the smallest budget that suffices, if known: a plan must exist at
/// that budget and not one byte below. A step waits for what it reads, or for a later copy on the
/// same queue. So copies can be made to wait as a framework's do
/// (simulator/plan/wait_as_framework.hpp), in the plan returned and in plans tried. Tasks come in
/// an order that can run; sums of sizes and times do not overflow. The same problem gives the same
/// plan on any thread, and nothing is stored between calls. If a plan needs more than `budget` at
/// once, the engine makes steps wait. Invalid `options` throw SpecError (bad_value()).
struct Schedule {
  std::string_view name;
  std::string_view summary;  ///< one line, for `list schedules`
  std::string_view source;   ///< paper, section; else the author of the idea
  Traits traits = {};
  /// Options that it reads, by their names in option_table.hpp ("--algorithms"). Others are refused.
  std::span<const std::string_view> options = {};
  /// Closed form with which its paper estimates the time.
  ClosedForm closed_form = ClosedForm::kNone;
  PlanResult (*make_plan)(const PlanningProblem& problem);

  [[nodiscard]] constexpr bool is(Trait trait) const { return traits.has(trait); }
};

/// True if plans are about a graph with compressed tensors (lms_compress.hpp), which make_plan does
/// not make.
[[nodiscard]] inline bool compresses(const Schedule& schedule, const ScheduleOptions& options) {
  return schedule.is(Trait::kCompresses) && options.lms_action != LmsAction::kSwap;
}

/// False if plans rerun tasks or change what is moved. Bounds by what memory forces to move then do
/// not hold.
[[nodiscard]] inline bool only_moves_tensors(const Schedule& schedule,
                                             const ScheduleOptions& options) {
  return !schedule.is(Trait::kRecomputes) && !compresses(schedule, options);
}

/// Schedule::options of those that read no other.
inline constexpr std::string_view kAlgorithmsAlone[] = {"--algorithms"};

/// Returns all schedules in the order of CMakeLists.txt.
[[nodiscard]] std::span<const Schedule* const> schedules();
/// Returns the schedule called `name`; null if there is none.
[[nodiscard]] const Schedule* find_schedule(std::string_view name);

}  // namespace ooc
