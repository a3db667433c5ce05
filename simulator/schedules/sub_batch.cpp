// Source: Chen, Chen, Hu, "moDNN" (DATE 2018), section IV.A. Eq. 3 as printed, b = (M - S_W) / max_t
// M_min(t, b), has no unit: read as b <- floor(b (M - S_W) / max_t M_min(t, b)), M_min with the
// workspace of t's fastest algorithm, from the whole batch until it stays or comes back to a size seen
// before (then the smallest of that cycle).
//
// Deviation: a schedule that needs more than its largest task (all but moDNN's) may not fit at that size;
// then the largest smaller one that fits is taken, found by bisection. If not even one sample fits,
// the answer is that of one sample: for moDNN the theoretical lower bound, eq. 2.
#include "simulator/schedules/sub_batch.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simulator/plan/join_rounds.hpp"

namespace ooc {
namespace {

constexpr int kIterations = 32;
/// Tasks of a whole iteration.
constexpr std::int64_t kMostTasks = std::int64_t{1} << 22;

/// max over tasks of M_min(t, b) with the fastest algorithm's workspace.
Bytes largest_task(const TrainingGraph& graph, const CostTable& costs) {
  std::vector<std::int32_t> seen_by(graph.tensors.size(), -1);
  Bytes largest;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const TaskId task = make_id<TaskId>(i);
    Bytes bytes = costs[costs.alternative(task, AlgorithmChoice::kPerformance)].workspace;
    for (const auto tensors : {graph.reads[task], graph.writes[task]}) {
      for (const TensorId tensor : tensors) {
        if (seen_by[tensor.at()] == task.index) continue;
        seen_by[tensor.at()] = task.index;
        bytes += costs.tensor_bytes[tensor.at()];
      }
    }
    largest = std::max(largest, bytes);
  }
  return largest;
}

class RoundsPlanner {
 public:
  explicit RoundsPlanner(const RoundsRequest& request)
      : request_(request), batch_(request.costs.batch) {}

  RoundsResult run() {
    if (request_.sub_batch.kind == SubBatch::Kind::kSize) return fixed(request_.sub_batch.samples);
    const std::int64_t balanced = balanced_sub_batch(request_);
    if (fits(balanced)) return joined(balanced);
    if (balanced == 1 || !fits(1)) return {std::move(plans_.at(1)), nullptr};
    std::int64_t most = 1;
    for (std::int64_t too_many = balanced; too_many - most > 1;) {
      const std::int64_t middle = most + (too_many - most) / 2;
      (fits(middle) ? most : too_many) = middle;
    }
    return joined(most);
  }

 private:
  RoundsResult fixed(std::int64_t samples) {
    if (samples > batch_) {
      option_error("--sub-batch", std::to_string(samples),
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
    if (found == plans_.end()) {
      found = plans_.emplace(batch, request_.plan(costs_at(batch))).first;
    }
    return found->second;
  }

  bool fits(std::int64_t batch) { return std::holds_alternative<Plan>(plan_at(batch)); }

  /// Precondition: fits(samples).
  RoundsResult joined(std::int64_t samples) {
    if (samples == batch_) return {std::move(plans_.at(samples)), nullptr};
    const std::int64_t rounds = (batch_ - 1) / samples + 1;
    const auto tasks = static_cast<std::int64_t>(request_.graph.tasks.size());
    if (rounds > kMostTasks / std::max<std::int64_t>(1, tasks)) {
      option_error("--sub-batch",
                   std::to_string(samples) + ", which takes " + std::to_string(rounds) + " rounds",
                   "at most " + std::to_string(kMostTasks) + " tasks in all rounds",
                   "give more memory or a smaller batch");
    }
    const std::int64_t rest = last_round(batch_, samples);
    const PlanResult& last = plan_at(rest);
    if (!std::holds_alternative<Plan>(last)) return {last, nullptr};
    const RoundPlan full{std::get<Plan>(plan_at(samples)), costs_at(samples)};
    const RoundPlan short_one{std::get<Plan>(last), costs_at(rest)};
    auto written = std::make_shared<const Rounds>(
        write_out_rounds(request_.graph, full.costs, short_one.costs, batch_));
    Plan plan = join_rounds(request_.graph, full, short_one, *written);
    return {std::move(plan), std::move(written)};
  }

  const RoundsRequest& request_;
  std::int64_t batch_;
  std::map<std::int64_t, CostTable> costs_;
  std::map<std::int64_t, PlanResult> plans_;
};

}  // namespace

std::int64_t balanced_sub_batch(const RoundsRequest& request) {
  const std::int64_t batch = request.costs.batch;
  const Bytes available = request.budget - request.costs.static_bytes;
  std::vector<std::int64_t> seen{batch};
  for (int i = 0; i < kIterations; ++i) {
    const std::int64_t b = seen.back();
    const Bytes largest =
        largest_task(request.graph, b == batch ? request.costs : request.costs_at(b));
    if (largest.count() == 0) return batch;
    const Int128 next =
        available.count() <= 0 ? 0 : Int128{b} * available.count() / largest.count();
    const auto clamped = static_cast<std::int64_t>(std::clamp<Int128>(next, 1, batch));
    if (clamped == b) return b;
    const auto again = std::find(seen.begin(), seen.end(), clamped);
    if (again != seen.end()) return *std::min_element(again, seen.end());
    seen.push_back(clamped);
  }
  return *std::min_element(seen.begin(), seen.end());
}

RoundsResult plan_in_rounds(const RoundsRequest& request) { return RoundsPlanner(request).run(); }

}  // namespace ooc
