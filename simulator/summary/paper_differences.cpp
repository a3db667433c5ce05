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
#include "simulator/summary/paper_differences.hpp"

#include <algorithm>
#include <functional>

namespace ooc {
namespace {

bool first_run(const Step& step) { return step.kind == StepKind::kCompute && !step.recompute; }

class Walk {
 public:
  explicit Walk(const DifferencesInput& input)
      : input_(input),
        copies_(queue(StepKind::kToNear)),
        phases_(phases_of(input.plan, input.graph, input.timeline)) {
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
    const Duration forward = input_.chain.forward;
    add("waits of the forward pass", phases_.turn - forward);
    Duration before = input_.estimate - forward;
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
        [&](StepId copy, Duration) { return after_turn(input_.timeline.spans[copy.at()].end); });
    const Duration again = run_again();
    add("tasks that run again", again);
    add("other waits of the backward pass", phases_.backward_end - phases_.turn - before - again);
    return rest();
  }

  std::vector<PaperEstimate::Difference> sections() {
    Duration backward;
    for (std::size_t place = 0; place < input_.chain.layers.size(); ++place) {
      backward += input_.chain.section(place).length();
    }
    add("forward sections and the turn", phases_.backward - (input_.estimate - backward));
    const Duration again = run_again();
    add("tasks that run again", again);
    add("backward sections", phases_.backward_end - phases_.backward - backward - again);
    return rest();
  }

 private:
  /// When a copy is there, from the turn on, if its queue is free at the second argument.
  using Ready = std::function<Duration(StepId, Duration)>;

  [[nodiscard]] const std::vector<StepId>& queue(StepKind kind) const {
    return input_.plan.queues[static_cast<std::size_t>(queue_index(0, kind))];
  }
  [[nodiscard]] std::size_t position(StepId step) const {
    return static_cast<std::size_t>(input_.plan.positions[step.at()]);
  }
  [[nodiscard]] bool is_forward(const Step& step) const {
    return static_cast<std::size_t>(step.object) < input_.graph.forward_tasks;
  }
  [[nodiscard]] Duration after_turn(Duration instant) const { return instant - phases_.turn; }
  [[nodiscard]] Duration length(StepId step) const {
    const Span& span = input_.timeline.spans[step.at()];
    return span.end - span.start;
  }
  [[nodiscard]] Duration at_the_links_rate(StepId copy) const {
    const auto tensor = static_cast<std::size_t>(input_.plan.steps[copy.at()].object);
    return transfer_time(input_.costs.tensor_bytes[tensor], input_.costs.transfers.to_near_peak);
  }
  /// End of the copy out that it waits for.
  [[nodiscard]] Duration copied_out(StepId copy) const {
    Duration end;
    for (const StepId wait : input_.plan.waits[copy]) {
      if (input_.plan.steps[wait.at()].kind != StepKind::kToFar) continue;
      end = std::max(end, after_turn(input_.timeline.spans[wait.at()].end));
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
      if (!first_run(step) || is_forward(step) || task >= input_.graph.backward_end) continue;
      for (const StepId wait : input_.plan.waits[id]) {
        if (input_.plan.steps[wait.at()].kind != StepKind::kToNear) continue;
        now = std::max(now, ready_[position(wait)]);
      }
      now += input_.costs[step.alternative].time;
    }
    return now;
  }

  [[nodiscard]] Duration run_again() const {
    Duration sum;
    for (const Stall& stall : input_.timeline.stalls) {
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
    add("updates of weights", input_.timeline.iteration_time - phases_.backward_end);
    return std::move(differences_);
  }

  const DifferencesInput& input_;
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
  for (const StepId id :
       plan.queues[static_cast<std::size_t>(queue_index(0, StepKind::kCompute))]) {
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

std::vector<PaperEstimate::Difference> paper_differences(const DifferencesInput& input) {
  Walk walk(input);
  return input.form == ClosedForm::kVdnnLike ? walk.sections() : walk.capacity();
}

}  // namespace ooc
