// Schedule: a const struct with one function. Each schedule is one file; this folder's CMakeLists.txt generates the
// table. A schedule knows only the PlanningProblem, not the simulated time.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <memory>
#include <numeric>
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

/// Result of running a plan.
struct Trial {
  std::optional<Duration> iteration_time = {};  ///< unset: does not run, see overflows_far
  /// Plan as run, with the waits that the framework adds. Compute steps are those of the plan tried,
  /// in order. Valid until the next trial; null: not available.
  const Plan* plan = nullptr;
  const Timeline* timeline = nullptr;  ///< times of the steps of `plan`; null if `plan` is
  bool overflows_far = false;  ///< without a time: true: host memory is short; false: GPU memory
};

struct PlanningProblem {
  const TrainingGraph& graph;
  const CostTable& costs;
  Bytes budget;                  ///< GPU memory, static bytes included
  ScheduleOptions options = {};  ///< as the user, or a search over schedules, has set them
  /// Runs a plan and returns its time. For schedules with Trait::kSearchesByTrial; may be null for others.
  std::function<Trial(const Plan&)> evaluate = {};

  /// True: copies of model states will be inserted into the plan, which kCarriesState allows.
  bool carries_state = false;
  Duration least_time = {};  ///< lower bound on any plan's time, if known; else 0

  /// Algorithms by task that a schedule has chosen itself; null: by `fitting` or --algorithms.
  const std::vector<AlternativeId>* by_task = nullptr;
  /// Fastest algorithms by task that fit (fit_algorithms() sets them); null: by --algorithms.
  std::shared_ptr<const std::vector<AlternativeId>> fitting = {};

  /// Returns the algorithm of a task: from by_task, else from `fitting`, else by --algorithms.
  [[nodiscard]] AlternativeId chosen(TaskId task) const {
    if (by_task != nullptr) return (*by_task)[task.at()];
    return fitting ? (*fitting)[task.at()] : costs.alternative(task, options.algorithms);
  }
};

/// Quickest of the plans that were tried; while none runs, the first.
struct Quickest {
  std::optional<Plan> plan = {};
  std::optional<Duration> time = {};

  /// Runs a plan; true if it is kept.
  bool offer(const PlanningProblem& problem, Plan tried);
};

/// Returns the number nearest to `no` that fits, by bisection from `yes`, which fits.
template <class Number, class Fits>
[[nodiscard]] Number nearest_that_fits(Number no, Number yes, const Fits& fits) {
  while (no + 1 < yes || yes + 1 < no) {
    const Number middle = std::midpoint(std::min(no, yes), std::max(no, yes));
    (fits(middle) ? yes : no) = middle;
  }
  return yes;
}

/// Properties of schedules. Other code tests traits, never names.
enum class Trait : unsigned {
  kMovesNothing = 1U << 0,  ///< no tensor ever leaves GPU memory
  /// The plan depends on the times of copies, so a sweep plans anew for every link.
  kPlansForLink = 1U << 1,
  /// Chooses algorithms itself; other schedules use --algorithms.
  kChoosesAlgorithms = 1U << 2,
  /// Without --sub-batch the schedule chooses the micro-batch itself.
  kSubBatches = 1U << 3,
  /// Plans rerun tasks, so bounds for schedules that only move tensors do not hold.
  kRecomputes = 1U << 4,
  /// Calls PlanningProblem::evaluate, so plans depend on the times of runs.
  kSearchesByTrial = 1U << 5,
  /// Moves pages: gets a graph with tensors cut into parts (model/rewrite/parts.hpp) and the copy
  /// costs of unified memory, whatever --mode says.
  kMovesPages = 1U << 6,
  /// Prefetches pages, so the profile's mode "unified_prefetch" is needed, too.
  kPrefetchesPages = 1U << 7,
  /// If ScheduleOptions::lms_action asks for compression, plan_with_compression() (lms_compress.hpp)
  /// makes the plans, for another graph; make_plan does not.
  kCompresses = 1U << 8,
  /// Moves and reruns nothing if everything fits, unless an option fixes how much
  /// (ScheduleOption::says_how_much).
  kMovesOnlyWhatItMust = 1U << 9,
  /// Searches for the fastest plan. With --sub-batch auto several sizes of micro-batches are tried,
  /// and the plans of schedules with kSubBatches. `predict` describes the plan in words.
  kOptimizes = 1U << 10,
  /// All memory used during a task is booked for that task, workspace included, and waits point
  /// back in sequence. So copies of model states can be inserted (simulator/plan/weave_state.hpp).
  kCarriesState = 1U << 11,
  /// As kCarriesState, but only if the user names the schedule: searches skip it.
  kCarriesStateIfAsked = 1U << 12,
};

class Traits {
 public:
  constexpr Traits() = default;
  constexpr Traits(std::initializer_list<Trait> traits) {
    for (const Trait trait : traits) bits_ |= static_cast<unsigned>(trait);
  }
  [[nodiscard]] constexpr bool has(Trait trait) const {
    return (bits_ & static_cast<unsigned>(trait)) != 0;
  }
  [[nodiscard]] constexpr bool has_any(Traits of) const { return (bits_ & of.bits_) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }

 private:
  unsigned bits_ = 0;
};

/// Rule that makes plans, with its name and properties. Contract of make_plan:
///
/// Input: a training graph, the costs of its tasks and copies, and a budget; all outlive the call.
/// Result: a Plan (plan.hpp) that validate_plan() accepts, or OutOfMemory. Every task runs at least
/// once, its inputs are near when it starts, and nothing is dropped that is needed again and not in
/// host memory. OutOfMemory has the smallest budget that suffices, if known: a plan must exist at
/// that budget and not one byte below. A step waits for what it reads, or for a later copy on the
/// same queue, so that the framework's waits can be added (simulator/plan/wait_as_framework.hpp),
/// in the plan returned and in plans tried. Tasks come in an order that can run; sums of sizes and
/// times do not overflow. The same problem gives the same plan on any thread, and nothing is stored
/// between calls. If a plan needs more than `budget` at once, the engine makes steps wait. Invalid
/// `options` throw SpecError (bad_value()).
struct Schedule {
  std::string_view name;
  std::string_view summary;  ///< one line, for `list schedules`
  std::string_view source;   ///< paper and section; without one, the author of the idea
  Traits traits = {};
  /// Names of the options that the schedule reads, such as "--algorithms". All others but --sub-batch are refused.
  std::span<const std::string_view> options = {};
  /// Formula with which the schedule's paper estimates the time; kNone: none.
  ClosedForm closed_form = ClosedForm::kNone;
  PlanResult (*make_plan)(const PlanningProblem& problem);

  [[nodiscard]] constexpr bool is(Trait trait) const { return traits.has(trait); }
};

/// True if the schedule compresses tensors. Then plan_with_compression() (lms_compress.hpp) makes
/// the plans, not make_plan.
[[nodiscard]] inline bool compresses(const Schedule& schedule, const ScheduleOptions& options) {
  return schedule.is(Trait::kCompresses) && options.lms_action != LmsAction::kSwap;
}

/// True if plans only move tensors. False: plans rerun tasks or compress tensors, so that lower
/// bounds from forced copies (plan/bounds.hpp) do not hold.
[[nodiscard]] inline bool only_moves_tensors(const Schedule& schedule,
                                             const ScheduleOptions& options) {
  return !schedule.is(Trait::kRecomputes) && !compresses(schedule, options);
}

/// Schedule::options of schedules that read no other option.
inline constexpr std::string_view kAlgorithmsAlone[] = {"--algorithms"};

/// Returns all schedules in the order of CMakeLists.txt.
[[nodiscard]] std::span<const Schedule* const> schedules();
/// Returns the schedule called `name`; null if there is none.
[[nodiscard]] const Schedule* find_schedule(std::string_view name);

/// Candidate schedule, with the options to try.
struct Contender {
  const Schedule* schedule;
  ScheduleOptions options;
};
/// Returns the schedules with any trait of `with` (empty: all) and none of `without`, in the order of schedules(). One
/// that reads --algorithms comes once for each of `rooms`, others come once.
[[nodiscard]] std::vector<Contender> contenders(Traits with, Traits without,
                                                std::span<const Bytes> rooms);

}  // namespace ooc
