// Copies the plan's steps and blocks, and puts in pieces as soon as the task of the last round that completes them has run.
// All devices do the same at the same time, so what a piece of the others' waits for has ended when the device's own has.
//
// Exchange::kOverlap places the pieces by an estimate: compute runs without stalls, and from the time at which a
// piece is complete (or the one before it has come) it takes the time to fetch
// it. A piece is added up behind the first task that would end after that. If it comes later, compute
// waits; if earlier, the piece does.
#include "simulator/plan/weave_exchange.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/base/errors.hpp"
#include "simulator/plan/plan_rewriter.hpp"

namespace ooc {
namespace {

/// A part of the exchange.
struct ExchangeEvent {
  std::size_t after = 0;  ///< task of a round
  std::size_t piece = 0;
  bool reduces = false;  ///< else: is fetched
};

std::vector<ExchangeEvent> events_of(const Plan& plan, const Iteration& all, Exchange exchange) {
  std::vector<Duration> times(all.share->graph->tasks.size());  // as the device runs them
  for (const Step& step : plan.steps) {
    if (step.kind != StepKind::kCompute) continue;
    times[static_cast<std::size_t>(step.object)] = all.share->costs[step.alternative].time;
  }
  const std::vector<std::size_t>& round = all.parallel.last_round;
  std::vector<ExchangeEvent> events;
  std::size_t sent = 0;
  std::size_t reduced = 0;
  Duration clock;
  Duration fetched;  // when the link has brought all pieces sent so far
  std::vector<Duration> arrival(all.parallel.pieces.size());
  for (std::size_t task = 0, next = round.front(); task < round.size(); ++task) {
    while (next <= round[task]) clock += times[next++];
    const bool sends = exchange == Exchange::kOverlap || task + 1 == round.size();
    for (; sends && sent < all.parallel.pieces.size() && all.parallel.pieces[sent].ready <= task;
         ++sent) {
      events.push_back({task, sent, false});
      // Its sums are half of what a piece brings.
      fetched = std::max(fetched, clock) + Duration(exchange_time(all, sent).count() / 2);
      arrival[sent] = fetched;
    }
    for (; reduced < sent && arrival[reduced] <= clock; ++reduced) {
      events.push_back({task, reduced, true});
    }
  }
  for (; reduced < sent; ++reduced) events.push_back({round.size() - 1, reduced, true});
  return events;
}

class ExchangeWeaver {
 public:
  ExchangeWeaver(const Plan& plan, const Iteration& all)
      : plan_(plan),
        all_(all),
        builder_(plan),
        rewriter_(plan, builder_),
        received_(all.parallel.pieces.size()),
        gathered_(received_) {
    builder_.reserve(plan.steps.size() + 3 * received_.size(), plan.blocks.size());
  }

  Plan run(const std::vector<ExchangeEvent>& events) && {
    for (const ExchangeEvent& event : events) {
      advance(event.after);
      event.reduces ? reduce(event.piece) : send(event.piece);
    }
    while (next_ < plan_.steps.size()) add_step();
    for (const StepId old : updates_) add_update(old);
    for (std::size_t i = 0; i < plan_.blocks.size(); ++i) {
      Block block = plan_.blocks[i];
      if (block.kind != BlockKind::kTensor) block.object = task(block.object).index;
      rewriter_.add(make_id<BlockId>(i), block);
    }
    for (const BlockId block : plan_.initial_blocks) {
      builder_.initially_resident(*rewriter_.block(block));
    }
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) rewriter_.tie(make_id<StepId>(i));
    return std::move(builder_).finish();
  }

 private:
  [[nodiscard]] TaskId task(std::int32_t index) const {
    return task_beside_exchange(all_, TaskId{index});
  }

  /// Adds all steps up to the first run of `task` of the last round; the updates wait for the exchange.
  void advance(std::size_t task) {
    const auto last = static_cast<std::int32_t>(all_.parallel.last_round[task]);
    while (next_ < plan_.steps.size() && ran_up_to_ < last) add_step();
  }

  void send(std::size_t piece) {
    received_[piece] = builder_.to_near(exchanged_tensor(all_, piece, ExchangePart::kReceived));
    builder_.wait(received_[piece], latest_);
  }

  void reduce(std::size_t piece) {
    const TaskId task = reduce_task(all_, piece);
    const StepId step = builder_.compute(task, all_.costs.default_alternative(task));
    builder_.wait(step, received_[piece]);
    gathered_[piece] = builder_.to_near(exchanged_tensor(all_, piece, ExchangePart::kGathered));
    builder_.wait(gathered_[piece], step);
  }

  /// Adds the update behind the pieces that it reads.
  void add_update(StepId old) {
    const StepId update = add_compute(old);
    for (const TensorId tensor : all_.graph->reads[task(rewriter_.old(old).object)]) {
      const Tensor& it = all_.graph->tensors[tensor.at()];
      if (it.role != TensorRole::kExchanged) continue;
      builder_.wait(update, gathered_[static_cast<std::size_t>(it.piece)]);
    }
  }

  StepId add_compute(StepId old) {
    const Step& step = rewriter_.old(old);
    return rewriter_.add(old, renamed(step, task(step.object), all_.share->costs, all_.costs));
  }

  void add_step() {
    const StepId old = make_id<StepId>(next_++);
    const Step& step = rewriter_.old(old);
    if (step.kind != StepKind::kCompute) {
      rewriter_.add(old, step);
    } else if (static_cast<std::size_t>(step.object) >= all_.share->graph->backward_end) {
      updates_.push_back(old);
    } else {
      latest_ = add_compute(old);
      if (!step.recompute) ran_up_to_ = std::max(ran_up_to_, step.object);
    }
  }

  const Plan& plan_;
  const Iteration& all_;
  PlanBuilder builder_;
  PlanRewriter rewriter_;
  std::vector<StepId> received_;  ///< by piece
  std::vector<StepId> gathered_;  ///< by piece
  std::vector<StepId> updates_;   ///< old
  std::size_t next_ = 0;          ///< old step
  std::int32_t ran_up_to_ = -1;   ///< tasks run in their order
  StepId latest_;                 ///< compute step
};

}  // namespace

Plan weave_exchange(const Plan& plan, const Iteration& all, Exchange exchange) {
  return ExchangeWeaver(plan, all).run(events_of(plan, all, exchange));
}

// Nothing is fetched before every device has completed it: the first piece, or at the end all.
Duration exchange_bound(const Iteration& all, Exchange exchange, const MemoryPressure& share) {
  if (all.parallel.pieces.empty()) return Duration(0);
  const std::size_t task = exchange == Exchange::kEnd ? all.parallel.last_round.size() - 1
                                                      : all.parallel.pieces[0].ready;
  // The pressure is of the network's own tasks: kernels that compress are in none of its sums.
  std::size_t tasks = 0;
  for (std::size_t i = 0; i <= all.parallel.last_round[task]; ++i) {
    if (!is_overhead(all.graph->tasks[i].kind)) ++tasks;
  }
  Duration bound = share.before[tasks];
  for (std::size_t piece = 0; piece < all.parallel.pieces.size(); ++piece) {
    bound += exchange_time(all, piece);  // one behind the other on a device's queue
  }
  return bound;
}

}  // namespace ooc
