// A job under one schedule: the one way from a job to its run and its report, behind every command. Where no rule for
// algorithms is asked for, the job is planned with each room for workspaces (fitting_algorithms.hpp) and the quickest run
// is the answer, so that a workspace never costs more than it gains.
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

/// What became of one schedule: what it made of the case, and that run.
struct CaseRun : PlannedIteration {
  std::optional<PlanResult> far_overflow =
      {};  ///< an OutOfMemory if the plan runs but host memory is too small
  std::optional<Outcome> outcome =
      {};  ///< run of the plan; unset: no plan, or host memory overflows
  std::optional<LowerBounds> bounds = {};
  bool bounds_recomputing =
      false;  ///< they hold for schedules that move and recompute, not just of any kind
  std::optional<Bytes> peak_far = {};  ///< peak of host memory in bytes
  bool pages = false;                  ///< pages move, so any free memory will do, at any address
  /// Bytes less than the budget, if a plan for the whole budget would block in the allocator; unset: all.
  std::optional<Bytes> planned_for = {};
  /// Limit of the allocator, as by PyTorch's set_per_process_memory_fraction; with more it keeps other blocks. Unset: none.
  std::optional<Bytes> allocator_limit = {};
  bool keeps_gradients =
      false;  ///< they are static, though the framework's are not: what is left between them is of no use

  /// What plan, outcome and bounds are about.
  [[nodiscard]] const Iteration& about(const Case& which) const {
    return iteration ? *iteration : which;
  }
  [[nodiscard]] Allocator allocator(const Case& which) const {
    return pages ? Allocator::kIdeal : which.allocator;
  }
  /// GPU memory in which the plan runs.
  [[nodiscard]] Bytes allowed(const Case& which) const;
  [[nodiscard]] const PlanResult& verdict() const { return far_overflow ? *far_overflow : plan; }
  /// Of a plan that ran.
  [[nodiscard]] const Timeline* timeline() const {
    return outcome ? std::get_if<Timeline>(&*outcome) : nullptr;
  }
};

class ScheduledCase {
 public:
  /// Refers to both. Between runs the case may get other prices of copies, nothing else. `most`: of the reports that will
  /// be asked for.
  ScheduledCase(const Case& which, const Schedule& schedule, Detail most = Detail::kLayers);

  /// Simulates at the case's present copy costs. Plans are made once, unless copy costs change
  /// them. The result is valid until the next run.
  const CaseRun& run();
  /// The totals of a run: allocates nothing once each plan was reported.
  const RunReport& row();
  [[nodiscard]] CaseRun take() &&;

 private:
  /// Job with algorithms chosen in one room.
  struct Candidate {
    std::optional<Bytes> room;  ///< unset: algorithms by --algorithms or by the schedule
    Duration least;             ///< lower bound on the time of its runs
    Bytes out = {};             ///< bytes copied out; only for plans that no link changes
    Bytes in = {};              ///< bytes copied in; only for plans that no link changes
    /// Index of the nearest larger room with the same plan but for algorithms; only for plans that no link changes.
    std::optional<std::size_t> quicker = {};
    std::optional<CaseRun> run = {};
    bool is_run = false;  ///< at the prices of this run
    SimulationBuffers buffers = {};
    std::optional<FarUse> far = {};  ///< of the plan
    PaperChain paper = {};           ///< likewise
    std::optional<RunReport> report = {};
  };

  /// True if plans are the same at all copy costs.
  [[nodiscard]] bool plans_stay() const;
  void plan_all();
  void try_all_of_memory();
  void plan(Candidate& candidate);
  void confirm_smallest(OutOfMemory& oom) const;
  [[nodiscard]] bool is_outdone(const Candidate& candidate) const;
  /// Unset: does not fit.
  std::optional<Duration> simulate(Candidate& candidate);
  void consider(std::size_t index);

  const Case& which_;
  const Schedule& asked_;     ///< by which rows are called
  const Schedule& schedule_;  ///< that runs: with one pool of memory one that moves nothing
  bool records_;              ///< Timeline::events of outcomes, for more than totals
  std::vector<Candidate> candidates_;  ///< by room, ascending
  bool is_trial_ = false;              ///< of another one's smallest budget
  bool planned_ = false;               ///< once and for all
  bool by_sizes_ = true;               ///< ToBeat
  std::size_t best_ = 0;
  std::optional<Duration> time_;  ///< iteration time of the best
  LinkSpeed link_;                ///< fastest link at the present copy costs
};

/// Lower bounds take longer than the run: sweeps have none.
enum class Bounds { kNone, kAll };

/// Plans, simulates and bounds.
[[nodiscard]] CaseRun run_case(const Case& which, const Schedule& schedule, Bounds bounds);

/// The report of a run, without `what_if`, which runs the job again (compare.hpp). A job that
/// does not fit is a report that says so.
[[nodiscard]] RunReport report_case(const Case& which, const Schedule& schedule, const CaseRun& run,
                                    Detail detail);

/// All of it.
[[nodiscard]] RunReport predict(const Case& which, const Schedule& schedule,
                                Detail detail = Detail::kLayers, Bounds bounds = Bounds::kAll);

}  // namespace ooc
