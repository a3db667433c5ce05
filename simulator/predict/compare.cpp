// Unlike `predict`, which runs a schedule as its paper does, this gives all of them the same means: the
// quicker of the rules for algorithms, the whole batch at once, one reference for slowdowns and bounds.
// Rounds are another amount of work, so they get rows of their own: of schedules that run in rounds by
// themselves, and of in-core, against which those have to be seen.
#include "simulator/predict/compare.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/base/errors.hpp"
#include "simulator/predict/planning.hpp"

namespace ooc {
namespace {

/// One way to run a schedule, run.
struct Attempt {
  Case which;
  CaseRun run;
  CaseBuffers buffers;

  /// None: it does not fit.
  [[nodiscard]] std::optional<Duration> time() const {
    const auto* timeline = run.outcome ? std::get_if<Timeline>(&*run.outcome) : nullptr;
    if (timeline == nullptr) return std::nullopt;
    return timeline->iteration_time;
  }
};

/// Of equals the first.
bool is_quicker(const Attempt& attempt, const Attempt& best) {
  const auto time = attempt.time();
  return time && (!best.time() || *time < *best.time());
}

class Comparer {
 public:
  explicit Comparer(const CompareRequest& request) : request_(request) {
    ScheduleOptions options = request.which.schedule_options;
    add_rule(options);
    const CostTable& costs = request.which.costs;
    const bool choice = costs.alternatives.size() > request.which.workload.graph.tasks.size();
    if (request.algorithms == CompareAlgorithms::kAsGiven || !choice) return;
    options.algorithms = AlgorithmChoice::kPerformance;
    add_rule(options);
  }

  Comparison run() {
    use_one_reference();
    const bool rounds_asked_for = asked() != SubBatch::Kind::kUsual;
    for (const Schedule* schedule : request_.chosen) {
      const bool split = schedule->is(Trait::kSubBatches) && !rounds_asked_for;
      result_.rows.push_back(row(*schedule, split ? SubBatch::Kind::kOff : asked()));
    }
    const bool can_be_cut = request_.which.costs.batch > 1 &&
                            !is_footprint(request_.which.accounting) && !request_.which.moving;
    if (!rounds_asked_for && can_be_cut) add_rows_in_rounds();
    return std::move(result_);
  }

 private:
  [[nodiscard]] SubBatch::Kind asked() const {
    return request_.which.schedule_options.sub_batch.kind;
  }

  void add_rule(const ScheduleOptions& options) {
    rules_.push_back(with_schedule_options(request_.which, options));
  }

  /// The fastest algorithms, if any row may use them.
  void use_one_reference() {
    Alternatives reference = Alternatives::kFirst;
    for (const Schedule* schedule : request_.chosen) {
      reference =
          std::max(reference, alternatives_in_play(*schedule, rules_.back().schedule_options));
    }
    for (Case& rule : rules_) rule.reference = reference;
  }

  /// Of the rules the one that is quickest.
  RunReport row(const Schedule& schedule, SubBatch::Kind rounds) const {
    std::optional<Attempt> best;
    for (const Case& rule : rules_) {
      Attempt attempt{rule, {}, {}};
      attempt.which.schedule_options.sub_batch.kind = rounds;
      attempt.run = plan_case(attempt.which, schedule, attempt.buffers);
      simulate_case(attempt.which, attempt.run, attempt.buffers);
      if (!best || is_quicker(attempt, *best)) best.emplace(std::move(attempt));
      if (schedule.is(Trait::kChoosesAlgorithms)) break;
    }
    tighten_bounds(best->which, schedule, best->run, best->buffers);
    return report_case(best->which, schedule, best->run, Detail::kPeaks);
  }

  void add_rows_in_rounds() {
    bool in_core_too = false;
    for (const Schedule* schedule : request_.chosen) {
      if (schedule->is(Trait::kSubBatches)) add_in_rounds(*schedule, SubBatch::Kind::kUsual);
      in_core_too = in_core_too || schedule->is(Trait::kSubBatches);
    }
    const Schedule& in_core = *find_schedule("in-core");
    in_core_too =
        in_core_too ||
        std::any_of(result_.rows.begin(), result_.rows.end(), [&](const RunReport& report) {
          return report.inputs.schedule == in_core.name && !report.feasible;
        });
    if (in_core_too) add_in_rounds(in_core, SubBatch::Kind::kAuto);
  }

  /// Unless one round is best: that row is there.
  void add_in_rounds(const Schedule& schedule, SubBatch::Kind rounds) {
    const std::string name = std::string(schedule.name) + ", in rounds";
    try {
      RunReport report = row(schedule, rounds);
      if (report.feasible && report.rounds == 1) return;
      report.inputs.row = name;
      result_.rows.push_back(std::move(report));
    } catch (const SpecError& error) {  // more rounds than can be written out
      if (error.parts().place != "--sub-batch") throw;
      result_.left_out.push_back(name + ": " + error.what());
    }
  }

  const CompareRequest& request_;
  std::vector<Case> rules_;  ///< the job by each rule for algorithms
  Comparison result_;
};

}  // namespace

Comparison compare(const CompareRequest& request) { return Comparer(request).run(); }

}  // namespace ooc
