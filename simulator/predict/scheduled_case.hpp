// A job under one schedule, from plan to run and report; all commands use it. Without --algorithms
// the job is planned with each workspace limit of algorithm_rooms() (footprint.hpp). The fastest
// run is the answer, so that a workspace never costs more than it gains.
#pragma once

#include <cstddef>
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
  std::optional<PlanResult> far_overflow =
      {};  ///< an OutOfMemory if the plan runs but host memory is too small
  std::optional<Outcome> outcome =
      {};  ///< run of the plan; unset: no plan, or host memory overflows
  std::optional<LowerBounds> bounds = {};  ///< unset: not asked for, or none holds
  bool bounds_recomputing =
      false;  ///< they hold for schedules that move and recompute, not just of any kind
  std::optional<Bytes> peak_far = {};  ///< peak of host memory in bytes
  bool pages = false;  ///< true if pages move: any free memory will do, at any address
  /// Budget of the plan, if a plan for the whole budget would block in the caching allocator; unset: the whole budget.
  std::optional<Bytes> planned_for = {};
  /// Limit of the caching allocator, as set by PyTorch's set_per_process_memory_fraction. Unset: none.
  std::optional<Bytes> allocator_limit = {};
  bool keeps_gradients =
      false;  ///< they are static, though the framework's are not: what is left between them is of no use

  /// Returns the iteration (graph and costs) to which plan, outcome and bounds refer.
  [[nodiscard]] const Iteration& about(const Case& which) const {
    return iteration ? *iteration : which;
  }
  [[nodiscard]] Allocator allocator(const Case& which) const {
    return pages ? Allocator::kIdeal : which.allocator;
  }
  /// Returns the bytes of GPU memory in which the plan runs.
  [[nodiscard]] Bytes allowed(const Case& which) const;
  [[nodiscard]] const PlanResult& verdict() const { return far_overflow ? *far_overflow : plan; }
  /// Returns the timeline; null if no plan ran.
  [[nodiscard]] const Timeline* timeline() const {
    return outcome ? std::get_if<Timeline>(&*outcome) : nullptr;
  }
};

class ScheduledCase {
 public:
  /// Keeps references to `which` and `schedule`. Between runs only the copy costs of the case may
  /// change. `most`: largest extent of the reports that will be asked for.
  ScheduledCase(const Case& which, const Schedule& schedule, Detail most = Detail::kLayers);

  /// Simulates at the case's present copy costs. Plans are made once, unless copy costs change
  /// them. The result is valid until the next run.
  const CaseRun& run();
  /// Runs, and returns a report of totals. Allocates nothing once each plan was reported.
  const RunReport& row();
  [[nodiscard]] CaseRun take() &&;

 private:
  /// Plan with the algorithms that one workspace limit allows.
  struct Candidate {
    std::optional<Bytes> room;  ///< workspace limit; unset: --algorithms or the schedule decides
    Duration least;             ///< lower bound on the time of its runs
    Bytes out = {};             ///< bytes copied out; set only if plans_stay()
    Bytes in = {};              ///< bytes copied in; set only if plans_stay()
    /// Index of the next larger limit whose plan is equal except for faster algorithms; only if plans_stay().
    std::optional<std::size_t> quicker = {};
    std::optional<CaseRun> run = {};
    bool is_run = false;  ///< true if run at the present copy costs
    SimulationBuffers buffers = {};
    std::optional<FarUse> far = {};  ///< host memory use of the plan
    PaperChain paper = {};           ///< chain for closed forms, kept between runs
    std::optional<RunReport> report = {};
  };

  /// True if plans are the same at all copy costs.
  [[nodiscard]] bool plans_stay() const;
  void plan_all();
  void try_all_of_memory();
  void plan(Candidate& candidate);
  void confirm_smallest(OutOfMemory& oom) const;
  [[nodiscard]] bool is_outdone(const Candidate& candidate) const;
  /// Returns the iteration time; unset: the plan does not run.
  std::optional<Duration> simulate(Candidate& candidate);
  void consider(std::size_t index);

  const Case& which_;
  const Schedule& asked_;     ///< schedule named in reports
  const Schedule& schedule_;  ///< schedule that runs; in-core if moving gains nothing
  bool records_;              ///< true: outcomes have Timeline::events, for more than totals
  std::vector<Candidate> candidates_;  ///< candidates by limit, ascending
  bool is_trial_ = false;              ///< true if this object tries another one's smallest budget
  bool planned_ = false;               ///< true once all candidates have plans
  bool by_sizes_ = true;               ///< ToBeat::by_sizes
  std::size_t best_ = 0;
  std::optional<Duration> time_;  ///< iteration time of the fastest candidate
  LinkSpeed link_;                ///< fastest link at the present copy costs
};

/// Extent of the bounds. They take longer to compute than the run, so sweeps have none.
enum class Bounds { kNone, kAll };

/// Plans and simulates; with kAll computes lower bounds. A job that does not fit is an OutOfMemory in the result.
[[nodiscard]] CaseRun run_case(const Case& which, const Schedule& schedule, Bounds bounds);

/// Returns the report of a run, without `what_if` (compare.hpp), which needs further runs. A job
/// that does not fit is a report, not an error.
[[nodiscard]] RunReport report_case(const Case& which, const Schedule& schedule, const CaseRun& run,
                                    Detail detail);

/// Plans, simulates, computes bounds and returns the report.
[[nodiscard]] RunReport predict(const Case& which, const Schedule& schedule,
                                Detail detail = Detail::kLayers, Bounds bounds = Bounds::kAll);

// Margins in GPU memory. Plans fill memory to the byte. A caching allocator cannot hand out all of
// it, so users leave a margin (docs/notebook/0051-margins-of-caching-allocators.md).

/// Result that a plan under a caching allocator must beat to be of interest.
struct ToBeat {
  std::optional<Duration> time = {};  ///< time with other algorithms; unset: none
  bool by_sizes = false;              ///< true: only plans for less than all of memory count
};

/// Returns the run of the schedule's plan. Under a caching allocator also plans for smaller budgets, down to two
/// thirds, are run and the fastest that runs is returned. If none runs, the plan for the whole budget is returned as it
/// is. OutOfMemory if no plan exists. Unset: no plan is faster than `to_beat`, or by_sizes is set and none runs.
[[nodiscard]] std::optional<CaseRun> plan_with_margins(const Case& which, const Schedule& schedule,
                                                       ToBeat to_beat, SimulationBuffers& buffers);

}  // namespace ooc
