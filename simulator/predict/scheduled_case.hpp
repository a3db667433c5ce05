// A job under one schedule, from plan to run and report; all commands use it. Without --algorithms
// the job is planned with each workspace limit of algorithm_rooms() (footprint.hpp). The fastest
// run is the answer, so that a workspace never costs more than it gains.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "simulator/engine/simulate.hpp"
#include "simulator/plan/bounds.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/schedules/sub_batch.hpp"
#include "simulator/summary/memory_use.hpp"
#include "simulator/summary/paper_estimate.hpp"
#include "simulator/summary/summarize.hpp"

namespace ooc {

/// Plan of a case under one schedule, with its run.
struct CaseRun : PlannedIteration {
  /// OutOfMemory of host memory, if the plan runs but overflows it; unset: it does not.
  std::optional<PlanResult> far_overflow = {};
  /// Result of simulating the plan; unset: no plan, not simulated, or host memory overflows.
  std::optional<Outcome> outcome = {};
  std::optional<LowerBounds> bounds = {};  ///< unset: not asked for, or none is known
  /// True: `bounds` hold for schedules that move or recompute. False: for fewer or for all, see RunReport::bound_class.
  bool bounds_recomputing = false;
  std::optional<Bytes> peak_far = {};  ///< one device's peak of host memory; unset: did not run
  bool pages = false;                  ///< true if pages move; allocator() is then the ideal one
  /// Budget of the plan, if clearly below the job's, as a margin for the caching allocator; unset: no such margin.
  std::optional<Bytes> planned_for = {};
  /// Limit of the caching allocator, as set by PyTorch's set_per_process_memory_fraction. Unset: none.
  std::optional<Bytes> allocator_limit = {};
  /// True: weight gradients are static, though the framework would free them, because the plan then runs or is faster.
  bool keeps_gradients = false;

  /// Returns the iteration (graph and costs) to which plan, outcome and bounds refer.
  [[nodiscard]] const Iteration& about(const Case& which) const {
    return iteration ? *iteration : which;
  }
  [[nodiscard]] Allocator allocator(const Case& which) const {
    return pages ? Allocator::kIdeal : which.allocator;
  }
  /// Returns the bytes of GPU memory in which the plan is simulated.
  [[nodiscard]] Bytes allowed(const Case& which) const;
  [[nodiscard]] const PlanResult& verdict() const { return far_overflow ? *far_overflow : plan; }
  /// Returns the timeline; null if no plan ran to its end.
  [[nodiscard]] const Timeline* timeline() const {
    return outcome ? std::get_if<Timeline>(&*outcome) : nullptr;
  }
};

class ScheduledCase {
 public:
  /// Keeps references to `which` and `schedule`. Between runs only the copy costs of the case may
  /// change. `most`: the most detailed report that will be asked for.
  ScheduledCase(const Case& which, const Schedule& schedule, Detail most = Detail::kLayers);

  /// Simulates at the case's present copy costs. Plans are made once, unless copy costs change
  /// them. The result is valid until the next run.
  const CaseRun& run();
  /// Runs, and returns a report of totals (Detail::kTotals). Allocates nothing once each plan was reported.
  const RunReport& row();
  [[nodiscard]] CaseRun take() &&;

 private:
  struct Trial;

  /// Plan with the algorithms that one workspace limit allows.
  struct Candidate {
    /// Workspace limit; unset: each task takes its first algorithm, or the schedule chooses.
    std::optional<Bytes> room;
    Duration least;  ///< lower bound on the iteration time, whatever copies cost
    Bytes out = {};  ///< bytes copied out; set only if plans_stay()
    Bytes in = {};   ///< bytes copied in; set only if plans_stay()
    /// Index of the next candidate with the same plan and no slower algorithms; unset: none, or not plans_stay().
    std::optional<std::size_t> quicker = {};
    std::optional<CaseRun> run = {};
    bool is_run = false;  ///< true if simulated at the present copy costs
    SimulationBuffers buffers = {};
    std::optional<FarUse> far = {};  ///< use of host memory; unset: no plan, or far model states
    PaperChain paper = {};           ///< chain of the closed forms, kept between runs
    std::optional<RunReport> report = {};
  };

  /// True if plans are known to be the same at all copy costs.
  [[nodiscard]] bool plans_stay() const;
  void plan_all();
  void try_all_of_memory();
  void plan(Candidate& candidate);
  [[nodiscard]] Candidate& answer() { return refused_ ? *refused_ : candidates_[best_]; }
  void explain_refusal();
  [[nodiscard]] const CaseRun* run_within(Bytes budget, Bytes far);
  [[nodiscard]] std::optional<Bytes> smallest_far(Bytes needed);
  void confirm_smallest();
  [[nodiscard]] bool is_outdone(const Candidate& candidate) const;
  /// Returns the iteration time; unset: no plan, or the plan does not run in GPU and host memory.
  std::optional<Duration> simulate(Candidate& candidate);
  void consider(std::size_t index);

  const Case& which_;
  const Schedule& asked_;     ///< schedule named in reports
  const Schedule& schedule_;  ///< schedule that runs; in-core if moving gains nothing (one pool)
  bool records_;              ///< true: outcomes have Timeline::events, for more than totals
  std::vector<Candidate> candidates_;      ///< candidates by limit, ascending
  std::optional<Candidate> refused_ = {};  ///< run that lacks far memory alone; unset: none
  std::shared_ptr<Trial> trial_ = {};      ///< last trial of other memory; null: none yet
  bool is_trial_ = false;  ///< true if this object tries another one's smallest budget
  bool planned_ = false;   ///< true once all candidates have plans
  bool by_sizes_ = true;   ///< ToBeat::by_sizes
  std::size_t best_ = 0;
  std::optional<Duration> time_;  ///< iteration time of the fastest candidate; unset: none
  LinkSpeed link_;                ///< fastest link at the present copy costs
};

/// Lower bounds to compute. Computing all takes longer than the run, so sweeps have none.
enum class Bounds { kNone, kAll };

/// Plans and simulates; with kAll computes lower bounds too. A job that does not fit is no error: the result says so.
[[nodiscard]] CaseRun run_case(const Case& which, const Schedule& schedule, Bounds bounds);

/// Returns the report of a run, without what the command `predict` adds: `what_if`, `moved`, `equations`,
/// `in_core_by_category`. A job that does not fit is a report, not an error.
[[nodiscard]] RunReport report_case(const Case& which, const Schedule& schedule, const CaseRun& run,
                                    Detail detail);

/// Returns report_case() of run_case().
[[nodiscard]] RunReport predict(const Case& which, const Schedule& schedule,
                                Detail detail = Detail::kLayers, Bounds bounds = Bounds::kAll);

// Margins in GPU memory. Plans fill memory to the byte. A caching allocator cannot hand out all of
// it, so users leave a margin (docs/notebook/0051-margins-of-caching-allocators.md).

/// Result that a plan under a caching allocator must beat, so that slower plans need no trial.
struct ToBeat {
  std::optional<Duration> time = {};  ///< iteration time reached with other algorithms; unset: none
  bool by_sizes = false;              ///< true: only plans for less than all of memory count
};

/// Returns the schedule's plan, or OutOfMemory, without `outcome`. Under a caching allocator tries smaller budgets
/// too, down to two thirds, and returns the fastest plan that runs; for in-core and searches the first, from the whole
/// budget down. If none runs: the whole budget's plan. Unset only with by_sizes, if no smaller budget's beats `time`.
[[nodiscard]] std::optional<CaseRun> plan_with_margins(const Case& which, const Schedule& schedule,
                                                       ToBeat to_beat, SimulationBuffers& buffers);

}  // namespace ooc
