// Copies steps and blocks under new ids, phase by phase: a phase is what every device does up to the end of
// one task of its last round, and what is exchanged then. Every wait between devices is for a step of the same
// or an earlier phase and comes behind it in sequence. So if no plan waits on itself, all of them together do
// not, however different the shares are; and as the exchange takes no memory, it always ends.
//
// Exchange::kOverlap places the pieces by an estimate: compute runs without stalls, and from the time at which a
// piece is complete (or the one before it has come) it takes the time to fetch
// it. A piece is added up behind the first task that would end after that. If it comes later, compute
// waits; if earlier, the piece does.
#include "simulator/plan/join_devices.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "model/base/errors.hpp"
#include "simulator/plan/plan_rewriter.hpp"

namespace ooc {

// Copies steps and blocks under new ids. Between rounds: a network input that a round's plan finds near
// at its start is near from the start only in the first; in the others it is copied in when the
// round before has ended, and the round's first task waits for it. So a round starts from the state
// that its plan was made for. What that hides: the input could come in earlier, beside the last
// tasks of the round before, where there is room; it is small against what a round moves.

namespace {

class RoundJoiner {
 public:
  RoundJoiner(const TrainingGraph& graph, const Iteration& all, const RoundPlan& full)
      : graph_(graph), all_(all), builder_(full.plan) {
    const auto count = static_cast<std::size_t>(all.rounds);
    builder_.reserve(full.plan.steps.size() * count, full.plan.blocks.size() * count);
  }

  void append(const RoundPlan& from, std::int64_t round) {
    OOC_CHECK(from.plan.devices == 1, "rounds are joined on one device");
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
      if (round_ == 0) {
        builder_.initially_resident(block);
      } else {
        builder_.acquire(inputs_[i], block);
      }
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

/// A part of the exchange, on all devices.
struct Event {
  std::size_t after = 0;  ///< task of a round
  std::size_t piece = 0;
  bool reduces = false;  ///< else: is fetched
};

std::vector<Event> events_of(const Iteration& all, const DevicePlan& device, Exchange exchange) {
  std::vector<Duration> times(device.of.graph->tasks.size());  // as the device runs them
  for (const Step& step : device.plan.steps) {
    if (step.kind != StepKind::kCompute) continue;
    times[static_cast<std::size_t>(step.object)] = device.of.costs[step.alternative].time;
  }
  const std::vector<std::size_t>& round = all.parallel.last_round[0];
  std::vector<Event> events;
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

/// One device's plan on its way into the joint one.
class DeviceJoiner {
 public:
  DeviceJoiner(const DevicePlan& from, const Iteration& all, std::size_t device,
               PlanBuilder& builder)
      : from_(from), all_(all), device_(device), builder_(builder), rewriter_(from.plan, builder) {
    OOC_CHECK(from.plan.devices == 1, "the plan of a device is one device's");
  }

  /// All steps up to the first run of `task` of the last round; the updates wait for the exchange.
  void advance(std::size_t task) {
    const auto last = static_cast<std::int32_t>(all_.parallel.last_round[device_][task]);
    while (next_ < from_.plan.steps.size() && ran_up_to_ < last) add_step();
  }
  void finish_round() {
    while (next_ < from_.plan.steps.size()) add_step();
  }

  /// Once all devices have come to the steps.
  StepId fetch(std::size_t piece, ExchangePart part, std::span<const StepId> behind) {
    const StepId fetched = builder_.to_near(exchanged_tensor(all_, device_, piece, part), number());
    for (const StepId step : behind) builder_.wait(fetched, step);
    return fetched;
  }
  StepId reduce(std::size_t piece, StepId fetched) {
    const TaskId task = reduce_task(all_, device_, piece);
    const StepId step = builder_.compute(task, all_.costs.default_alternative(task), number());
    builder_.wait(step, fetched);
    return step;
  }
  [[nodiscard]] StepId latest() const { return latest_; }

  /// The updates, each behind the pieces that it reads, then what ties all steps together.
  void finish(const std::vector<StepId>& gathered) {
    for (const StepId old : updates_) {
      const StepId update = add_compute(old);
      for (const TensorId tensor : all_.graph->reads[task(rewriter_.old(old).object)]) {
        const Tensor& it = all_.graph->tensors[tensor.at()];
        if (it.role == TensorRole::kExchanged) {
          builder_.wait(update, gathered[static_cast<std::size_t>(it.piece)]);
        }
      }
    }
    const Plan& plan = from_.plan;
    for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
      Block block = plan.blocks[i];
      block.device = number();
      block.object =
          block.kind == BlockKind::kTensor ? tensor(block.object).index : task(block.object).index;
      rewriter_.add(make_id<BlockId>(i), block);
    }
    for (const BlockId block : plan.initial_blocks) {
      builder_.initially_resident(*rewriter_.block(block));
    }
    for (std::size_t i = 0; i < plan.steps.size(); ++i) rewriter_.tie(make_id<StepId>(i));
  }

 private:
  [[nodiscard]] std::int16_t number() const { return static_cast<std::int16_t>(device_); }
  [[nodiscard]] TensorId tensor(std::int32_t index) const {
    return tensor_on_device(all_, device_, TensorId{index});
  }
  [[nodiscard]] TaskId task(std::int32_t index) const {
    return task_on_device(all_, device_, TaskId{index});
  }

  StepId add_compute(StepId old) {
    const Step& is = rewriter_.old(old);
    Step step = renamed(is, task(is.object), from_.of.costs, all_.costs);
    step.device = number();
    latest_ = rewriter_.add(old, step);
    return latest_;
  }

  void add_step() {
    const StepId old = make_id<StepId>(next_++);
    Step step = rewriter_.old(old);
    if (step.kind != StepKind::kCompute) {
      step.device = number();
      step.object = tensor(step.object).index;
      rewriter_.add(old, step);
    } else if (static_cast<std::size_t>(step.object) >= from_.of.graph->backward_end) {
      updates_.push_back(old);
    } else {
      add_compute(old);
      if (!step.recompute) ran_up_to_ = std::max(ran_up_to_, step.object);
    }
  }

  const DevicePlan& from_;
  const Iteration& all_;
  std::size_t device_;
  PlanBuilder& builder_;
  PlanRewriter rewriter_;
  std::vector<StepId> updates_;  ///< old
  std::size_t next_ = 0;         ///< step of the device's plan
  std::int32_t ran_up_to_ = -1;  ///< tasks run in their order
  StepId latest_;                ///< compute step of the device's plan
};

class DevicesJoiner {
 public:
  DevicesJoiner(std::span<const DevicePlan> devices, const Iteration& all)
      : all_(all),
        builder_(header_of(devices)),
        received_(devices.size(), std::vector<StepId>(all.parallel.pieces.size())),
        gathered_(received_) {
    std::size_t steps = 0;
    std::size_t blocks = 0;
    for (const DevicePlan& device : devices) {
      steps += device.plan.steps.size() + 3 * all.parallel.pieces.size();
      blocks += device.plan.blocks.size();
    }
    builder_.reserve(steps, blocks);
    joiners_.reserve(devices.size());
    for (std::size_t i = 0; i < devices.size(); ++i) {
      joiners_.emplace_back(devices[i], all, i, builder_);
    }
  }

  Plan run(const std::vector<Event>& events) {
    for (const Event& event : events) {
      for (DeviceJoiner& device : joiners_) device.advance(event.after);
      event.reduces ? reduce(event.piece) : send(event.piece);
    }
    for (DeviceJoiner& device : joiners_) device.finish_round();
    for (std::size_t i = 0; i < joiners_.size(); ++i) joiners_[i].finish(gathered_[i]);
    return std::move(builder_).finish();
  }

 private:
  static PlanHeader header_of(std::span<const DevicePlan> devices) {
    PlanHeader header = devices[0].plan;
    header.devices = static_cast<int>(devices.size());
    return header;
  }
  void send(std::size_t piece) {
    std::vector<StepId> ready;
    for (const DeviceJoiner& device : joiners_) ready.push_back(device.latest());
    for (std::size_t i = 0; i < joiners_.size(); ++i) {
      received_[i][piece] = joiners_[i].fetch(piece, ExchangePart::kReceived, ready);
    }
  }

  void reduce(std::size_t piece) {
    std::vector<StepId> added;
    for (std::size_t i = 0; i < joiners_.size(); ++i) {
      added.push_back(joiners_[i].reduce(piece, received_[i][piece]));
    }
    for (std::size_t i = 0; i < joiners_.size(); ++i) {
      gathered_[i][piece] = joiners_[i].fetch(piece, ExchangePart::kGathered, added);
    }
  }

  const Iteration& all_;
  PlanBuilder builder_;
  std::vector<DeviceJoiner> joiners_;
  std::vector<std::vector<StepId>> received_;  ///< by device and piece
  std::vector<std::vector<StepId>> gathered_;  ///< likewise
};

}  // namespace

Plan join_rounds(const TrainingGraph& graph, const RoundPlan& full, const RoundPlan& last,
                 const Iteration& all) {
  RoundJoiner joiner(graph, all, full);
  for (std::int64_t round = 0; round + 1 < all.rounds; ++round) joiner.append(full, round);
  joiner.append(last, all.rounds - 1);
  return std::move(joiner).finish();
}

// Nothing is fetched before every device has completed it: the first piece, or at the end all.
Duration exchange_bound(const Iteration& all, Exchange exchange, const MemoryPressure& first) {
  if (all.parallel.pieces.empty()) return Duration(0);
  const std::size_t task = exchange == Exchange::kEnd ? all.parallel.last_round[0].size() - 1
                                                      : all.parallel.pieces[0].ready;
  // The pressure is of the network's own tasks: kernels that compress are in none of its sums.
  std::size_t tasks = 0;
  for (std::size_t i = 0; i <= all.parallel.last_round[0][task]; ++i) {
    if (!is_overhead(all.graph->tasks[task_on_device(all, 0, make_id<TaskId>(i)).at()].kind)) {
      ++tasks;
    }
  }
  Duration bound = first.before[tasks];
  for (std::size_t piece = 0; piece < all.parallel.pieces.size(); ++piece) {
    bound += exchange_time(all, piece);  // one behind the other on a device's queue
  }
  return bound;
}

Plan join_devices(std::span<const DevicePlan> devices, const Iteration& all, Exchange exchange) {
  OOC_CHECK(devices.size() == all.parallel.backward_end.size(), "one plan for each device");
  return DevicesJoiner(devices, all).run(events_of(all, devices[0], exchange));
}

}  // namespace ooc
