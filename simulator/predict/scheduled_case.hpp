// Job under one schedule: the single path from a job to its run, for all commands. Unless a rule for
// algorithms is given, the job is planned with each room for workspaces (fitting_algorithms.hpp), and the
// fastest run is the answer. So a workspace never costs more than it gains.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "simulator/plan/bounds.hpp"
#include "simulator/predict/case.hpp"

namespace ooc {

class ScheduledCase {
 public:
  /// Refers to both. Between runs the case may get other prices of copies, nothing else. `most`: of the reports that will
  /// be asked for.
  ScheduledCase(const Case& which, const Schedule& schedule, Detail most = Detail::kSteps);

  /// Simulates at the case's present copy costs. Plans are made once, unless copy costs change
  /// them. The result is valid until the next run.
  const CaseRun& run();
  /// Adds lower bounds to the run.
  void bound();

  [[nodiscard]] RunReport report(Detail detail) const;
  /// Returns the totals of the run. Allocates nothing, once each plan has been reported.
  [[nodiscard]] const RunReport& totals();
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
    bool is_run = false;  ///< ran at the present copy costs
    CaseBuffers buffers = {};
    std::optional<RunReport> report = {};
  };

  /// True if plans are the same at all copy costs.
  [[nodiscard]] bool plans_stay() const;
  void plan_all();
  void try_all_of_memory();
  void plan(Candidate& candidate);
  void confirm_smallest(OutOfMemory& oom) const;
  [[nodiscard]] static const Timeline* timeline_of(const Candidate& candidate);
  [[nodiscard]] bool is_outdone(const Candidate& candidate) const;
  /// Unset: does not fit.
  std::optional<Duration> simulate(Candidate& candidate);
  void consider(std::size_t index);

  const Case& which_;
  const Schedule& schedule_;
  std::vector<Candidate> candidates_;  ///< candidates by ascending room
  bool is_trial_ = false;              ///< true if it only tests another case's smallest budget
  bool planned_ = false;               ///< plans need not be made again
  bool by_sizes_ = true;               ///< as ToBeat::by_sizes
  std::size_t best_ = 0;
  std::optional<Duration> time_;  ///< iteration time of the best
  LinkSpeed link_;                ///< fastest link at the present copy costs
};

}  // namespace ooc
