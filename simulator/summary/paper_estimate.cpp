// A layer is a forward task and the backward tasks of the same layer, at the place where its forward task runs. It
// copies out what it was the last to write, and in what its backward tasks are the first to read: that is (7)'s
// "what layer l-1 needs", whether backward reads a layer's output, its input or a mask, and whether the layer before
// is the one that it reads. Tasks that run again are no part of the paper: what they write neither moves nor stays.
//
// Three layers of 50 us forward, 100 us backward, whose outputs of 1 GB backward reads; a copy takes 200 us:
//   (7)-(9):   50 + 200 + 200 + 200  +  200 + 200 + 200 + 100 = 1350 us
//   (10)-(12): all but the first layer's output kept: 3 x 50, then 100 + 100 without a wait; T_catch = 200 us,
//              by when the copy, at the link's rate from the turn on, has arrived: 100 more, 450 us in all.
#include "simulator/summary/paper_estimate.hpp"

#include <algorithm>
#include <functional>

namespace ooc {
namespace {

class ChainBuilder {
 public:
  ChainBuilder(const ChainInput& input, PaperChain& chain)
      : input_(input), chain_(chain), place_(input.about.graph->network->layers.size()) {
    chain_.layers.resize(input.about.graph->forward_tasks);
    chain_.backward.resize(input.about.graph->forward_tasks);
    chain_.order.resize(input.about.graph->forward_tasks);
    for (std::size_t i = 0; i < input.about.graph->forward_tasks; ++i) {
      chain_.order[i] = input.about.graph->tasks[i].layer;
      place_[chain_.order[i].at()] = i;
    }
  }

  void build() {
    const std::size_t tensors = input_.about.graph->tensors.size();
    std::vector<bool> moves(tensors);
    std::vector<bool> again(tensors);
    for (const Step& step : input_.plan.steps) {
      const auto object = static_cast<std::size_t>(step.object);
      if (!runs_task(step.kind)) {
        moves[object] = true;
      } else if (step.recompute) {
        for (const TensorId tensor : input_.about.graph->writes[TaskId{step.object}]) {
          again[tensor.at()] = true;
        }
      } else {
        add_task(object, input_.about.costs[step.alternative].time);
      }
    }
    for (std::size_t i = 0; i < tensors; ++i) {
      if (is_saved(*input_.about.graph, make_id<TensorId>(i)) && (moves[i] || !again[i])) {
        add_tensor(i, moves[i]);
      }
    }
    chain_.built = true;
  }

 private:
  [[nodiscard]] std::size_t place_of(std::size_t task) const {
    return place_[input_.about.graph->tasks[task].layer.at()];
  }
  [[nodiscard]] BackwardLayer& backward_of(std::size_t place) {
    return chain_.backward[chain_.backward.size() - 1 - place];
  }

  void add_task(std::size_t task, Duration time) {
    if (task < input_.about.graph->forward_tasks) {
      chain_.layers[task].forward += time;
      chain_.forward += time;
    } else if (task < input_.about.graph->backward_end) {
      chain_.layers[place_of(task)].backward += time;
      backward_of(place_of(task)).time += time;
    }
  }

  void add_tensor(std::size_t tensor, bool moves) {
    const Lifetime& life = input_.about.graph->lifetimes[tensor];
    const Bytes bytes = input_.about.costs.tensor_bytes[tensor];
    const std::size_t reader = place_of(life.first_backward_use->at());
    backward_of(reader).bytes += bytes;
    if (!moves) {
      chain_.retained += bytes;
      return;
    }
    std::optional<std::size_t> writer;
    if (life.last_writer) writer = place_of(life.last_writer->at());
    chain_.moves.push_back(
        {.tensor = make_id<TensorId>(tensor), .writer = writer, .reader = reader});
  }

  const ChainInput& input_;
  PaperChain& chain_;
  std::vector<std::size_t> place_;  ///< by layer: its forward task
};

void add_copies(const TransferCosts& copies, PaperChain& chain) {
  for (ChainLayer& layer : chain.layers) layer.copy_out = layer.copy_in = Duration(0);
  for (const PaperChain::Move& move : chain.moves) {
    const std::size_t tensor = move.tensor.at();
    if (move.writer) chain.layers[*move.writer].copy_out += copies.to_far[tensor].alone;
    chain.layers[move.reader].copy_in += copies.to_near[tensor].alone;
  }
}

}  // namespace

PaperChain paper_chain(const ChainInput& input) {
  PaperChain chain;
  ChainBuilder(input, chain).build();
  add_copies(input.about.costs.transfers, chain);
  return chain;
}

std::string unfit_for_paper(const Iteration& about) {
  if (about.moving) return "they are about one device";
  return about.rounds > 1 ? "they are about a batch in one round" : "";
}

// (10)-(12) are walked over to the run one assumption at a time, and what each step changes is that assumption's.
// The copies in of the backward pass, in the plan's order, become ready
//   at the link's rate, one behind the other from the turn on: what (12) forgets from section to section;
//   in the time that each took: latency, and copies that slow each other;
//   no earlier than their own copy out has ended;
//   when they were: a copy in waits for room, or until its schedule has it start;
// and each time the backward tasks run behind one another, each behind the copies that it waits for. What is left of
// the run's backward pass are tasks that run again, and tasks that wait for other things than copies in.
//
// In the chain of paper_estimate.cpp the copy out of the first output runs from 50 to 250 us, and the turn is at 150.
// So the copy in comes at 450 instead of 350 us. (10)-(12) say 450 us, the run takes 550: 100 us are for a copy out
// still under way at the turn.

namespace {

bool first_run(const Step& step) { return step.kind == StepKind::kCompute && !step.recompute; }

/// Differences that are not 0, in time order; their sum is simulated time - estimate.
class Walk {
 public:
  Walk(const PaperEstimateInput& input, const PaperChain& chain, Duration estimate)
      : input_(input),
        chain_(chain),
        estimate_(estimate),
        copies_(queue(StepKind::kToNear)),
        phases_(phases_of(input.plan, *input.about.graph, *input.timeline)) {
    for (std::size_t i = 0; i < copies_.size(); ++i) ready_.emplace_back();
    for (const StepId id : queue(StepKind::kCompute)) {
      const Step& step = input.plan.steps[id.at()];
      if (step.recompute || !is_forward(step)) continue;
      for (const StepId wait : input.plan.waits[id]) {
        if (input.plan.steps[wait.at()].kind == StepKind::kToNear) {
          first_ = std::max(first_, position(wait) + 1);
        }
      }
    }
  }

  std::vector<PaperEstimate::Difference> capacity() {
    const Duration forward = chain_.forward;
    add("waits of the forward pass", phases_.turn - forward);
    Duration before = estimate_ - forward;
    const auto walk_to = [&](std::string_view longer, std::string_view shorter,
                             const Ready& ready) {
      const Duration now = backward(ready);
      add(now > before ? longer : shorter, now - before);
      before = now;
    };
    constexpr std::string_view kAhead = "copies in that run ahead of their sections";
    walk_to("tensors that stay near and are not those nearest the loss", kAhead,
            [&](StepId copy, Duration free) { return free + at_the_links_rate(copy); });
    walk_to("latency, and copies that slow each other", "copies quicker than the link",
            [&](StepId copy, Duration free) { return free + length(copy); });
    walk_to("copies out still under way at the turn", kAhead, [&](StepId copy, Duration free) {
      return std::max(free, copied_out(copy)) + length(copy);
    });
    walk_to(
        "copies in held back for room, or by the schedule", "copies in that start before the turn",
        [&](StepId copy, Duration) { return after_turn(input_.timeline->spans[copy.at()].end); });
    const Duration again = run_again();
    add("tasks that run again", again);
    add("other waits of the backward pass", phases_.backward_end - phases_.turn - before - again);
    return rest();
  }

  std::vector<PaperEstimate::Difference> sections() {
    Duration backward;
    for (std::size_t place = 0; place < chain_.layers.size(); ++place) {
      backward += chain_.section(place).length();
    }
    add("forward sections and the turn", phases_.backward - (estimate_ - backward));
    const Duration again = run_again();
    add("tasks that run again", again);
    add("backward sections", phases_.backward_end - phases_.backward - backward - again);
    return rest();
  }

 private:
  /// When a copy is there, from the turn on, if its queue is free at the second argument.
  using Ready = std::function<Duration(StepId, Duration)>;

  [[nodiscard]] const std::vector<StepId>& queue(StepKind kind) const {
    return input_.plan.queue(kind);
  }
  [[nodiscard]] std::size_t position(StepId step) const {
    return static_cast<std::size_t>(input_.plan.positions[step.at()]);
  }
  [[nodiscard]] bool is_forward(const Step& step) const {
    return static_cast<std::size_t>(step.object) < input_.about.graph->forward_tasks;
  }
  [[nodiscard]] Duration after_turn(Duration instant) const { return instant - phases_.turn; }
  [[nodiscard]] Duration length(StepId step) const {
    const Span& span = input_.timeline->spans[step.at()];
    return span.end - span.start;
  }
  [[nodiscard]] Duration at_the_links_rate(StepId copy) const {
    const auto tensor = static_cast<std::size_t>(input_.plan.steps[copy.at()].object);
    return transfer_time(input_.about.costs.tensor_bytes[tensor],
                         input_.about.costs.transfers.to_near_peak);
  }
  /// End of the copy out that it waits for.
  [[nodiscard]] Duration copied_out(StepId copy) const {
    Duration end;
    for (const StepId wait : input_.plan.waits[copy]) {
      if (input_.plan.steps[wait.at()].kind != StepKind::kToFar) continue;
      end = std::max(end, after_turn(input_.timeline->spans[wait.at()].end));
    }
    return end;
  }

  /// Length of the backward pass where nothing but copies in delays its tasks.
  Duration backward(const Ready& ready) {
    Duration free;
    for (std::size_t i = first_; i < copies_.size(); ++i) {
      free = ready_[i] = ready(copies_[i], free);
    }
    Duration now;
    for (const StepId id : queue(StepKind::kCompute)) {
      const Step& step = input_.plan.steps[id.at()];
      const auto task = static_cast<std::size_t>(step.object);
      if (!first_run(step) || is_forward(step) || task >= input_.about.graph->backward_end)
        continue;
      for (const StepId wait : input_.plan.waits[id]) {
        if (input_.plan.steps[wait.at()].kind != StepKind::kToNear) continue;
        now = std::max(now, ready_[position(wait)]);
      }
      now += input_.about.costs[step.alternative].time;
    }
    return now;
  }

  [[nodiscard]] Duration run_again() const {
    Duration sum;
    for (const Stall& stall : input_.timeline->stalls) {
      if (stall.cause == StallCause::kRecompute && stall.start >= phases_.turn &&
          stall.end <= phases_.backward_end) {
        sum += stall.end - stall.start;
      }
    }
    return sum;
  }

  void add(std::string_view cause, Duration time) {
    if (time != Duration(0)) differences_.push_back({.cause = cause, .time = time});
  }
  std::vector<PaperEstimate::Difference> rest() {
    add("updates of weights", input_.timeline->iteration_time - phases_.backward_end);
    return std::move(differences_);
  }

  const PaperEstimateInput& input_;  ///< with a timeline
  const PaperChain& chain_;
  Duration estimate_;  ///< time by the form
  const std::vector<StepId>& copies_;
  Phases phases_;
  std::size_t first_ = 0;        ///< of `copies_`: the first that is for backward tasks alone
  std::vector<Duration> ready_;  ///< by copy, from the turn on
  std::vector<PaperEstimate::Difference> differences_;
};

}  // namespace

Phases phases_of(const Plan& plan, const TrainingGraph& graph, const Timeline& timeline) {
  Phases phases;
  bool begun = false;
  for (const StepId id : plan.queue(StepKind::kCompute)) {
    const Step& step = plan.steps[id.at()];
    const auto task = static_cast<std::size_t>(step.object);
    if (!first_run(step) || task >= graph.backward_end) continue;
    const Span& span = timeline.spans[id.at()];
    if (task < graph.forward_tasks) {
      phases.turn = std::max(phases.turn, span.end);
      continue;
    }
    if (!begun) phases.backward = span.start;
    begun = true;
    phases.backward_end = std::max(phases.backward_end, span.end);
  }
  if (!begun) phases.backward = phases.backward_end = phases.turn;
  return phases;
}

std::optional<PaperEstimate> paper_estimate(const PaperEstimateInput& input) {
  if (input.form == ClosedForm::kNone) return std::nullopt;
  PaperEstimate estimate;
  const bool sections = input.form == ClosedForm::kVdnnLike;
  estimate.equations = sections ? "7-9" : "10-12";
  estimate.unfit = unfit_for_paper(input.about);
  if (!estimate.unfit.empty()) return estimate;
  PaperChain own;
  PaperChain& chain = input.kept != nullptr ? *input.kept : own;
  if (!chain.built) ChainBuilder({input.about, input.plan}, chain).build();
  // Those of `capacity` ask for the link's rate alone.
  if (sections) add_copies(input.about.costs.transfers, chain);
  const CapacityBackward capacity = chain.capacity(input.about.costs.transfers.to_near_peak);
  estimate.time =
      sections ? vdnn_like_time(chain.layers) : chain.forward + capacity_backward_time(capacity);
  if (input.timeline != nullptr) {
    Walk walk(input, chain, *estimate.time);
    estimate.differences = sections ? walk.sections() : walk.capacity();
  }
  return estimate;
}

}  // namespace ooc
