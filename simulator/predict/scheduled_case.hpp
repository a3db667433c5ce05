// A job under one schedule: the one way from a job to its run, behind every command. Where no rule for algorithms is
// asked for, the job is planned with each room for workspaces (fitting_algorithms.hpp) and the quickest run is the
// answer, so that a workspace never costs more than it gains.
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

  /// Simulates at the prices of copies that the case has now. Plans are made once, unless prices change them. The
  /// result stays until the next run.
  const CaseRun& run();
  /// Adds the lower bounds to the run.
  void bound();

  [[nodiscard]] RunReport report(Detail detail) const;
  /// The totals of the run: allocates nothing once each plan was reported.
  [[nodiscard]] const RunReport& totals();
  [[nodiscard]] CaseRun take() &&;

 private:
  /// The job with its algorithms chosen in one room.
  struct Candidate {
    std::optional<Bytes> room;  ///< unset: algorithms by --algorithms or by the schedule
    Duration least;             ///< no run of it is quicker
    Bytes out = {};             ///< copied to far memory by the plan; of plans that stay
    Bytes in = {};              ///< copied to near memory, likewise
    /// The nearest larger room whose plan is the same but for algorithms; of plans that stay.
    std::optional<std::size_t> quicker = {};
    std::optional<CaseRun> run = {};
    bool is_run = false;  ///< at the prices of this run
    CaseBuffers buffers = {};
    std::optional<RunReport> report = {};
  };

  /// Whether a plan is the same at all prices of copies.
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
  std::vector<Candidate> candidates_;  ///< by room, ascending
  bool is_trial_ = false;              ///< of another one's smallest budget
  bool planned_ = false;               ///< once and for all
  bool by_sizes_ = true;               ///< ToBeat
  std::size_t best_ = 0;
  std::optional<Duration> time_;  ///< of the best
  LinkSpeed link_;                ///< at the prices of this run
};

}  // namespace ooc
