// Rebuilds the plan step by step, in another order of copies in, with the extra waits.
//
// Memory cannot run out by this. A copy in comes behind all that it waits for in the plan, which has room for it from
// there on, and nothing else moves. A copy in waits for the compute step before it: what takes memory starts in the new
// sequence's order. So when a step is the first one not ended, what is near is what the sequence has near
// there, beside blocks that wait for copies out; these take no memory and wait for earlier steps only, so they end.
#include "simulator/plan/wait_as_framework.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <tuple>
#include <utility>

#include "simulator/plan/plan_rewriter.hpp"

namespace ooc {
namespace {

/// Which steps get waits for what is before them in sequence.
struct ExtraWaits {
  bool copies_in = false;   ///< for the compute step before
  bool copies_out = false;  ///< likewise
  bool computes = false;    ///< for the copies since the one before
  std::size_t outs = 0;     ///< copies out that compute steps do not wait for; 0: all
};

/// By step: a copy of a tensor that has a place in near memory, so not of what devices exchange.
std::vector<bool> copies_of_tensors(const Plan& plan) {
  std::int32_t largest = -1;
  for (const Block& block : plan.blocks) largest = std::max(largest, block.object);
  std::vector<bool> placed(static_cast<std::size_t>(largest + 1));
  for (const Block& block : plan.blocks) {
    if (block.kind == BlockKind::kTensor) placed[static_cast<std::size_t>(block.object)] = true;
  }
  std::vector<bool> found;
  found.reserve(plan.steps.size());
  for (const Step& step : plan.steps) {
    found.push_back(!runs_task(step.kind) && step.object <= largest &&
                    placed[static_cast<std::size_t>(step.object)]);
  }
  return found;
}

std::vector<StepId> planned_order(const Plan& plan) {
  std::vector<StepId> order;
  order.reserve(plan.steps.size());
  for (std::size_t i = 0; i < plan.steps.size(); ++i) order.push_back(make_id<StepId>(i));
  return order;
}

/// By copy in: the step that it comes right before, the first that waits for it. Nobody waits for one that is not
/// the last of those that a step needs: then it is the next one's on the queue.
std::vector<StepId> first_waiters(const Plan& plan) {
  const std::vector<bool> copies = copies_of_tensors(plan);
  std::vector<std::optional<StepId>> found(plan.steps.size());
  std::optional<StepId> behind;
  std::vector<StepId> first = planned_order(plan);
  for (std::size_t i = plan.steps.size(); i-- > 0;) {
    const StepId step = make_id<StepId>(i);
    const bool comes_in = plan.steps[i].kind == StepKind::kToNear && copies[i];
    if (comes_in) {
      first[i] = found[i].value_or(behind.value_or(step));
      behind = first[i];
    }
    // A copy in that waits will itself come right before `first`.
    for (const StepId until : plan.waits[step]) {
      auto& waiter = found[until.at()];
      waiter = std::min(waiter.value_or(first[i]), first[i]);
    }
  }
  return first;
}

/// By copy in: the step that it comes right before. The host issues a copy when what the copy waits for has ended, and
/// has issued by then all tasks up to the first that waits for any copy in. Of copies in the order of
/// their first waiters, none comes before the one ahead of it.
std::vector<StepId> places(const Plan& plan, const std::vector<StepId>& first) {
  std::vector<StepId> place = planned_order(plan);
  std::vector<StepId> queue;
  for (const StepId step : place) {
    if (first[step.at()] != step) queue.push_back(step);
  }
  std::ranges::stable_sort(queue, {}, [&](StepId each) { return first[each.at()]; });
  StepId earliest{};
  for (const StepId copy : queue) {
    std::optional<StepId> issued;  // when what the copy waits for has ended
    for (const StepId waited : plan.waits[copy]) {
      issued = std::max(issued, std::optional(first[waited.at()]));
    }
    const auto blocked = std::ranges::partition_point(
        queue, [&](StepId other) { return issued && first[other.at()] <= *issued; });
    const StepId own = first[copy.at()];
    const StepId next = blocked == queue.end() ? own : std::min(own, first[blocked->at()]);
    earliest = std::max(earliest, next);
    place[copy.at()] = earliest;
  }
  return place;
}

/// Every copy in at its place, by first waiters, then as planned. Where all copies are in one row with the steps, that is
/// right before its first waiter.
std::vector<StepId> order_of_issue(const Plan& plan, CopyStreams streams) {
  const std::vector<StepId> first = first_waiters(plan);
  const std::vector<StepId> place = streams >= CopyStreams::kSerialIn ? first : places(plan, first);
  std::vector<StepId> order = planned_order(plan);
  std::ranges::stable_sort(order, {}, [&](StepId step) {
    return std::tuple(place[step.at()], place[step.at()] == step, first[step.at()]);
  });
  return order;
}

class Rebuilder {
 public:
  Rebuilder(const Plan& plan, const PlanHeader& header, ExtraWaits extra, const Stays& stays)
      : plan_(plan),
        extra_(extra),
        stays_(stays),
        builder_(header),
        rewriter_(plan, builder_),
        copies_(copies_of_tensors(plan)) {
    builder_.reserve(plan.steps.size(), plan.blocks.size());
  }

  Plan run(const std::vector<StepId>& order) && {
    add_blocks();
    for (const StepId old : order) rewriter_.add(old, rewriter_.old(old));
    for (const StepId old : order) {
      const Step& is = rewriter_.old(old);
      const StepId step = *rewriter_.step(old);
      if (is.kind == StepKind::kCompute || copies_[old.at()]) wait_in_sequence(step, is);
      rewriter_.tie(old);
      if (!stays_.held.empty()) begin_gradients(step, is);
    }
    for (const BlockId block : held_) builder_.release(block, *last_compute_);
    return std::move(builder_).finish();
  }

 private:
  void add_blocks() {
    for (std::size_t i = 0; i < plan_.blocks.size(); ++i) {
      Block block = plan_.blocks[i];
      if (block.kind == BlockKind::kWorkspace) {
        if (!stays_.held.empty()) {
          block.bytes -= stays_.held[static_cast<std::size_t>(block.object)].held;
        }
        if (block.bytes.count() <= 0) continue;  // gradients only
      }
      rewriter_.add(make_id<BlockId>(i), block);
    }
    for (const BlockId id : plan_.initial_blocks) {
      builder_.initially_resident(*rewriter_.block(id));
      // An input stays where the program around has put it.
      const auto is = [&](TensorId input) { return input.index == plan_.blocks[id.at()].object; };
      if (!std::ranges::any_of(stays_.inputs, is)) continue;
      held_.push_back(*rewriter_.block(id));
      rewriter_.keep(id);
    }
  }

  void begin_gradients(StepId step, const Step& is) {
    if (is.kind != StepKind::kCompute) return;
    const Bytes begun = stays_.held[static_cast<std::size_t>(is.object)].begun;
    if (begun.count() == 0) return;
    held_.push_back(
        builder_.add(Block{.bytes = begun, .kind = BlockKind::kGradient, .object = is.object}));
    builder_.acquire(step, held_.back());
  }

  void wait_in_sequence(StepId step, const Step& is) {
    if (is.kind == StepKind::kFarCompute) return;
    if (is.kind == StepKind::kCompute) {
      for (const StepId copy : copies_since_) builder_.wait(step, copy);
      copies_since_.clear();
      for (; extra_.outs > 0 && outs_.size() > extra_.outs; outs_.pop_front()) {
        builder_.wait(step, outs_.front());
      }
      last_compute_ = step;
      return;
    }
    const bool waits = is.kind == StepKind::kToNear ? extra_.copies_in : extra_.copies_out;
    if (waits && last_compute_) builder_.wait(step, *last_compute_);
    if (extra_.computes) copies_since_.push_back(step);
    if (is.kind == StepKind::kToFar) outs_.push_back(step);
  }

  const Plan& plan_;
  ExtraWaits extra_;
  Stays stays_;
  PlanBuilder builder_;
  PlanRewriter rewriter_;
  std::vector<BlockId> held_ = {};  ///< to the end
  std::vector<bool> copies_;        ///< by step of `plan_`
  std::optional<StepId> last_compute_;
  std::vector<StepId> copies_since_;
  std::deque<StepId> outs_;  ///< copies out, the latest last
};

}  // namespace

Plan wait_as_framework(const Plan& plan, const CopyRules& rules, CopyMode mode,
                       const Stays& stays) {
  const bool waits = rules.streams != CopyStreams::kOverlap;
  const bool pageable = mode == CopyMode::kPageable;
  PlanHeader header = plan;
  header.far_powers_of_two = rules.far_powers_of_two;
  header.one_stream = rules.streams >= CopyStreams::kSerialIn || mode == CopyMode::kPageable;
  return Rebuilder(plan, header,
                   {.copies_in = waits || pageable,
                    .copies_out = waits || pageable || rules.pinned_cost > Duration(0),
                    .computes = rules.streams == CopyStreams::kSerial || pageable,
                    .outs = static_cast<std::size_t>(rules.outs_in_flight)},
                   stays)
      .run(waits ? order_of_issue(plan, rules.streams) : planned_order(plan));
}

void list_pinning(const Plan& plan, Duration each, std::vector<std::int64_t>& delays) {
  delays.assign(plan.steps.size(), 0);
  if (each == Duration(0)) return;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    if (step.kind == StepKind::kToFar) sum += each.count();
    if (step.kind == StepKind::kCompute) delays[i] = std::exchange(sum, 0);
  }
}

}  // namespace ooc
