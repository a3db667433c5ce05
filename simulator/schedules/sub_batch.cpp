// Source: Chen, Chen, Hu, "moDNN" (DATE 2018), section IV.A. Eq. 3 as printed, b = (M - S_W) / max_t M_min(t, b), has
// no unit: read as b <- floor(b (M - S_W) / max_t M_min(t, b)), M_min with the workspace of t's fastest algorithm, from
// the whole batch until it stays or comes back to a size seen before (then the smallest of that cycle).
//
// Deviations: as many rounds as eq. 3 gives are cut as evenly as may be: 256 samples by 197 are two rounds of 128, which
// take as long in less memory. Where plans can be tried out (best), other numbers of rounds are tried, the same for every
// budget: from those that eq. 3 gives to a sample a round, then down to the fewest that fit: the least time wins, of equals
// the one tried first (docs/notebook/0015-plans-by-trial.md). A schedule that needs more than its largest task (all but
// moDNN's) may not fit at that size; then the largest smaller one that fits is taken in its place, found by bisection. If
// not even one sample fits, the answer is that of one sample: for moDNN the theoretical lower bound, eq. 2.
#include "simulator/schedules/sub_batch.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/base/errors.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/plan/plan_rewriter.hpp"

namespace ooc {
namespace {

// Copies steps and blocks under new ids. Between rounds: a network input that a round's plan finds near at its start is
// near from the start only in the first; in the others it is copied in when the round before has ended, and the round's
// first task waits for it. So a round starts from the state that its plan was made for. What that hides: the input could
// come in earlier, beside the last tasks of the round before, where there is room; it is small against what a round moves.

/// Plan of a micro-batch with its costs.
struct RoundPlan {
  const Plan& plan;
  const CostTable& costs;
};

class RoundJoiner {
 public:
  RoundJoiner(const TrainingGraph& graph, const Iteration& all, const RoundPlan& full)
      : graph_(graph), all_(all), builder_(full.plan) {
    const auto count = static_cast<std::size_t>(all.rounds);
    builder_.reserve(full.plan.steps.size() * count, full.plan.blocks.size() * count);
  }

  void append(const RoundPlan& from, std::int64_t round) {
    round_ = round;
    PlanRewriter rewriter(from.plan, builder_);
    add_inputs(from.plan);
    const std::vector<bool> dropped = add_steps(from, rewriter);
    add_blocks(from.plan, rewriter, dropped);
    for (std::size_t i = 0; i < dropped.size(); ++i) {
      const StepId old = make_id<StepId>(i);
      if (!dropped[i]) rewriter.wait(old);
      rewriter.release(old);
      if (round > 0 && from.plan.steps[i].kind != StepKind::kCompute) {
        // A copy that waits for nothing in its round must not begin before it.
        builder_.wait(*rewriter.step(old), *last_compute_);
      }
    }
    last_compute_ = latest_;
  }

  [[nodiscard]] Plan finish() && { return std::move(builder_).finish(); }

 private:
  [[nodiscard]] TensorId tensor(std::int32_t index) const {
    return tensor_in_round(graph_, TensorId{index}, round_);
  }
  [[nodiscard]] TaskId task(std::int32_t index) const {
    return task_in_round(graph_, all_.rounds, TaskId{index}, round_);
  }

  /// Copies in for what the plan has near from the start.
  void add_inputs(const Plan& plan) {
    inputs_.clear();
    if (round_ == 0) return;
    for (const BlockId block : plan.initial_blocks) {
      inputs_.push_back(builder_.to_near(tensor(plan.blocks[block.at()].object)));
      builder_.wait(inputs_.back(), *last_compute_);
    }
  }

  /// True of each update that does not run in this round: the round's last task stands for it.
  std::vector<bool> add_steps(const RoundPlan& from, PlanRewriter& rewriter) {
    const std::vector<Step>& steps = from.plan.steps;
    std::vector<bool> dropped(steps.size());
    bool first = true;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const StepId old = make_id<StepId>(i);
      Step step = steps[i];
      if (step.kind != StepKind::kCompute) {
        step.object = tensor(step.object).index;
        rewriter.add(old, step);
        continue;
      }
      const bool update = static_cast<std::size_t>(step.object) >= graph_.backward_end;
      dropped[i] = update && round_ + 1 < all_.rounds;
      if (dropped[i]) continue;
      latest_ = rewriter.add(old, renamed(step, task(step.object), from.costs, all_.costs));
      for (std::size_t copy = 0; first && copy < inputs_.size(); ++copy) {
        builder_.wait(latest_, inputs_[copy]);
      }
      first = false;
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (dropped[i]) rewriter.replace(make_id<StepId>(i), latest_);
    }
    return dropped;
  }

  void add_blocks(const Plan& plan, PlanRewriter& rewriter, const std::vector<bool>& dropped) {
    const auto add = [&](BlockId id) {
      Block block = plan.blocks[id.at()];
      block.object =
          block.kind == BlockKind::kTensor ? tensor(block.object).index : task(block.object).index;
      return rewriter.add(id, block);
    };
    for (std::size_t i = 0; i < plan.initial_blocks.size(); ++i) {
      const BlockId block = add(plan.initial_blocks[i]);
      round_ == 0 ? builder_.initially_resident(block) : builder_.acquire(inputs_[i], block);
    }
    for (std::size_t i = 0; i < dropped.size(); ++i) {
      if (dropped[i]) continue;
      const StepId old = make_id<StepId>(i);
      for (const BlockId id : plan.acquires[old]) add(id);
      rewriter.acquire(old);
    }
  }

  const TrainingGraph& graph_;
  const Iteration& all_;
  PlanBuilder builder_;
  std::int64_t round_ = 0;              ///< the one that is added
  std::vector<StepId> inputs_;          ///< copies in at its start
  StepId latest_;                       ///< compute step
  std::optional<StepId> last_compute_;  ///< of the round before
};

Plan join_rounds(const TrainingGraph& graph, const RoundPlan& full, const RoundPlan& last,
                 const Iteration& all) {
  RoundJoiner joiner(graph, all, full);
  for (std::int64_t round = 0; round + 1 < all.rounds; ++round) joiner.append(full, round);
  joiner.append(last, all.rounds - 1);
  return std::move(joiner).finish();
}

constexpr int kIterations = 32;
/// Numbers of rounds that are tried: four from each power of two to the next. The same for any budget: what
/// more memory may choose from is what less memory may, and more.
constexpr std::int64_t kTriedInOctave = 4;
/// Tasks of a whole iteration.
constexpr std::int64_t kMostTasksOfRounds = std::int64_t{1} << 22;

/// max over tasks of M_min(t, b) with the fastest algorithm's workspace.
Bytes largest_task(const TrainingGraph& graph, const CostTable& costs) {
  const std::vector<Bytes> touched = touched_bytes(graph, costs);
  Bytes largest;
  for (std::size_t i = 0; i < touched.size(); ++i) {
    const AlternativeId id = costs.alternative(make_id<TaskId>(i), AlgorithmChoice::kPerformance);
    largest = std::max(largest, touched[i] + costs[id].workspace);
  }
  return largest;
}

class RoundsPlanner {
 public:
  explicit RoundsPlanner(const RoundsRequest& request)
      : request_(request), batch_(request.costs.batch) {}

  PlannedIteration run() {
    if (request_.sub_batch.kind == SubBatch::Kind::kSize) return fixed(request_.sub_batch.samples);
    // All at once gradients may be freed, which rounds add theirs up in: then it may fit where they do not.
    const bool alone_frees = !request_.costs.held.empty();
    const std::int64_t balanced =
        alone_frees && fits(batch_) ? batch_ : balanced_sub_batch(request_);
    if (fits(balanced)) return joined(even(request_.evaluate ? quickest(balanced) : balanced));
    if (balanced == 1 || !fits(1)) {
      const bool at_once = alone_frees && needs(batch_) < needs(1);
      return {std::move(plans_.at(at_once ? batch_ : 1)), nullptr};
    }
    const std::int64_t most = nearest_that_fits(
        balanced, std::int64_t{1}, [&](std::int64_t samples) { return fits(samples); });
    return joined(even(request_.evaluate ? quickest(most) : most));
  }

 private:
  /// The size of the rounds if there are so many and they are cut evenly.
  [[nodiscard]] std::int64_t size_of(std::int64_t rounds) const {
    return (batch_ - 1) / rounds + 1;
  }

  /// As many rounds, cut evenly.
  std::int64_t even(std::int64_t samples) {
    const std::int64_t size = size_of((batch_ - 1) / samples + 1);
    return fits(size) ? size : samples;
  }

  /// The size with which the rounds together take least time: from `first`, a size that fits, to the most rounds,
  /// then from there to the fewest that fit.
  std::int64_t quickest(std::int64_t first) {
    const std::vector<std::int64_t> numbers = numbers_of_rounds();
    const auto start = std::ranges::lower_bound(numbers, (batch_ - 1) / first + 1);
    for (auto rounds = start; rounds != numbers.end(); ++rounds) try_rounds(*rounds);
    for (auto rounds = start; rounds != numbers.begin();) {
      if (!fits(size_of(*--rounds))) break;
      try_rounds(*rounds);
    }
    return best_ ? best_->size : first;
  }

  /// Those tried, the fewest first.
  [[nodiscard]] std::vector<std::int64_t> numbers_of_rounds() const {
    std::vector<std::int64_t> numbers;
    for (std::int64_t step = 1, rounds = 1; rounds < batch_; rounds += step) {
      numbers.push_back(rounds);
      if (rounds == 2 * kTriedInOctave * step) step *= 2;
    }
    numbers.push_back(batch_);
    return numbers;
  }

  /// The best so far is improved if so many rounds take less.
  void try_rounds(std::int64_t rounds) {
    const std::int64_t size = size_of(rounds);
    if (!tried_.insert(size).second) return;
    const Duration floor = least_time(size);
    if (best_ && best_->time <= floor) return;
    const std::optional<Duration> time = time_of(size);
    if (time && (!best_ || *time < best_->time)) best_ = Tried{rounds, size, *time, floor};
  }

  /// What the tasks of all rounds take at least.
  Duration least_time(std::int64_t samples) {
    return in_all_rounds(samples, [&](std::int64_t size) {
      const CostTable& costs = costs_at(size);
      Duration sum;
      for (std::size_t i = 0; i < request_.graph.tasks.size(); ++i) {
        sum += costs[costs.alternative(make_id<TaskId>(i), AlgorithmChoice::kPerformance)].time;
      }
      return sum;
    });
  }

  /// What the rounds take one after another; none: one of them does not run.
  std::optional<Duration> time_of(std::int64_t samples) {
    bool runs = true;
    const Duration time = in_all_rounds(samples, [&](std::int64_t size) {
      const auto* plan = std::get_if<Plan>(&plan_at(size));
      const Trial trial = plan == nullptr ? Trial{} : request_.evaluate(*plan, costs_at(size));
      runs = runs && trial.iteration_time;
      return trial.iteration_time.value_or(Duration(0));
    });
    if (!runs) return std::nullopt;
    return time;
  }

  /// Sum over the rounds of the time of one; only the last one updates.
  template <typename TimeOfRound>
  Duration in_all_rounds(std::int64_t samples, TimeOfRound&& time_of_round) {
    const std::int64_t full = (batch_ - 1) / samples;
    const Duration last = time_of_round(last_round(batch_, samples));
    if (full == 0) return last;
    Duration updates;
    const CostTable& costs = costs_at(samples);
    for (std::size_t i = request_.graph.backward_end; i < request_.graph.tasks.size(); ++i) {
      updates += costs[costs.default_alternative(make_id<TaskId>(i))].time;
    }
    return last + Duration((time_of_round(samples) - updates).count() * full);
  }

  PlannedIteration fixed(std::int64_t samples) {
    if (samples > batch_) {
      bad_value("--sub-batch", std::to_string(samples),
                "a number from 1 to the batch, " + std::to_string(batch_));
    }
    if (!fits(samples)) return {std::move(plans_.at(samples)), nullptr};
    return joined(samples);
  }

  const CostTable& costs_at(std::int64_t batch) {
    if (batch == batch_) return request_.costs;
    auto found = costs_.find(batch);
    if (found == costs_.end()) found = costs_.emplace(batch, request_.costs_at(batch)).first;
    return found->second;
  }

  const PlanResult& plan_at(std::int64_t batch) {
    auto found = plans_.find(batch);
    if (found == plans_.end()) found = plans_.emplace(batch, request_.plan(costs_at(batch))).first;
    return found->second;
  }

  bool fits(std::int64_t batch) { return std::holds_alternative<Plan>(plan_at(batch)); }

  /// The smallest budget. Precondition: planned, and does not fit.
  [[nodiscard]] Bytes needs(std::int64_t batch) const {
    return std::get<OutOfMemory>(plans_.at(batch)).smallest_budget.value_or(Bytes(kMaxTotalBytes));
  }

  /// Precondition: fits(samples).
  PlannedIteration joined(std::int64_t samples) {
    if (samples == batch_) return {std::move(plans_.at(samples)), nullptr};
    const std::int64_t rounds = (batch_ - 1) / samples + 1;
    const auto tasks = static_cast<std::int64_t>(request_.graph.tasks.size());
    if (rounds > kMostTasksOfRounds / std::max<std::int64_t>(1, tasks)) {
      bad_value("--sub-batch",
                std::to_string(samples) + ", which takes " + std::to_string(rounds) + " rounds",
                "at most " + std::to_string(kMostTasksOfRounds) + " tasks in all rounds",
                "give more memory or a smaller batch");
    }
    const std::int64_t rest = last_round(batch_, samples);
    const PlanResult& last = plan_at(rest);
    if (!std::holds_alternative<Plan>(last)) return {last, nullptr};
    const RoundPlan full{std::get<Plan>(plan_at(samples)), costs_at(samples)};
    const RoundPlan short_one{std::get<Plan>(last), costs_at(rest)};
    auto written = std::make_shared<const Iteration>(
        write_out_rounds(request_.graph, full.costs, short_one.costs, batch_));
    Plan plan = join_rounds(request_.graph, full, short_one, *written);
    return {std::move(plan), std::move(written)};
  }

  struct Tried {
    std::int64_t rounds;
    std::int64_t size;
    Duration time;
    Duration floor;  ///< what the tasks take at least
  };

  const RoundsRequest& request_;
  std::int64_t batch_;
  std::set<std::int64_t> tried_;  ///< sizes
  std::optional<Tried> best_;
  std::map<std::int64_t, CostTable> costs_;
  std::map<std::int64_t, PlanResult> plans_;
};

}  // namespace

std::int64_t balanced_sub_batch(const RoundsRequest& request) {
  const std::int64_t batch = request.costs.batch;
  std::vector<std::int64_t> seen{batch};
  for (int i = 0; i < kIterations; ++i) {
    const std::int64_t b = seen.back();
    std::optional<CostTable> of_round;
    if (b != batch) of_round = request.costs_at(b);
    const CostTable& costs = of_round ? *of_round : request.costs;
    const Bytes largest = largest_task(request.graph, costs);
    if (largest.count() == 0) return batch;
    const Bytes available = request.budget - costs.static_bytes;
    const Int128 next =
        available.count() <= 0 ? 0 : Int128{b} * available.count() / largest.count();
    const auto clamped = static_cast<std::int64_t>(std::clamp<Int128>(next, 1, batch));
    if (clamped == b) return b;
    const auto again = std::ranges::find(seen, clamped);
    if (again != seen.end()) return *std::min_element(again, seen.end());
    seen.push_back(clamped);
  }
  return *std::ranges::min_element(seen);
}

PlannedIteration plan_in_rounds(const RoundsRequest& request) {
  return RoundsPlanner(request).run();
}

}  // namespace ooc
