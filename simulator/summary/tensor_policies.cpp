// One walk along the plan: what comes first behind a tensor's last use in forward decides, be it a use, a copy in
// or a task that writes it again. When is told by layers, not by times: software has its own.
#include "simulator/summary/tensor_policies.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ooc {
namespace {

/// Of a tensor, behind its last use in forward so far.
struct Course {
  bool decided = false;
  bool needed = false;
  bool copied = false;   ///< at all
  bool strayed = false;  ///< copied at a time that no policy has
  std::optional<StepId> out;
  TensorPolicy policy = {};
};

class PolicyFinder {
 public:
  PolicyFinder(const Plan& plan, const TrainingGraph& graph, const Timeline& timeline)
      : plan_(plan),
        graph_(graph),
        timeline_(timeline),
        compute_(plan.queue(StepKind::kCompute)),
        courses_(graph.tensors.size()) {}

  TensorPolicies run() {
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) follow(make_id<StepId>(i));
    TensorPolicies policies;
    for (std::size_t i = 0; i < courses_.size(); ++i) {
      Course& course = courses_[i];
      course.policy.tensor = make_id<TensorId>(i);
      if (course.needed) policies.needed.push_back(course.policy);
      if (course.copied &&
          (course.strayed || !course.needed || course.policy.action != TensorAction::kSwap)) {
        policies.left_out.push_back(course.policy.tensor);
      }
    }
    return policies;
  }

 private:
  void follow(StepId id) {
    const Step& step = plan_.steps[id.at()];
    if (step.kind == StepKind::kCompute) {
      follow_task(id, TaskId{step.object}, step.recompute);
      return;
    }
    Course& course = courses_[static_cast<std::size_t>(step.object)];
    course.copied = true;
    if (step.kind == StepKind::kToFar) {
      course.out = id;
    } else if (course.decided) {
      course.strayed = true;
    } else {
      decide(course, TensorAction::kSwap, id);
    }
  }

  void follow_task(StepId id, TaskId task, bool again) {
    const bool forward = task.at() < graph_.forward_tasks && !again;
    for (const auto& [tensors, writes] :
         {std::pair{graph_.reads[task], false}, std::pair{graph_.writes[task], true}}) {
      for (const TensorId tensor : tensors) {
        if (is_of_backward(tensor)) continue;
        Course& course = courses_[tensor.at()];
        if (forward) {
          const bool back_already = course.policy.action == TensorAction::kSwap;
          course = Course{.copied = course.copied,
                          .strayed = course.strayed || back_already,
                          .out = back_already ? std::nullopt : course.out};
          continue;
        }
        course.needed = course.needed || !writes;
        if (!course.decided) {
          decide(course, writes && again ? TensorAction::kRecompute : TensorAction::kKeep, id);
        }
      }
    }
  }

  void decide(Course& course, TensorAction action, StepId id) {
    course.decided = true;
    course.policy.action = action;
    if (action == TensorAction::kKeep) return;
    if (action == TensorAction::kSwap && course.out)
      course.policy.out_after = ended_before(*course.out);
    course.policy.back_at = backward_at(id);
  }

  [[nodiscard]] bool is_of_backward(TensorId tensor) const {
    const TensorRole role = graph_.tensors[tensor.at()].role;
    return role != TensorRole::kInput && role != TensorRole::kActivation &&
           role != TensorRole::kMask && role != TensorRole::kReserve;
  }

  [[nodiscard]] const Task& task_of(StepId step) const {
    return graph_.tasks[static_cast<std::size_t>(plan_.steps[step.at()].object)];
  }

  [[nodiscard]] std::optional<LayerId> ended_before(StepId copy) const {
    std::optional<LayerId> last;
    for (const StepId step : compute_) {
      if (timeline_.spans[step.at()].end > timeline_.spans[copy.at()].start) break;
      if (task_of(step).kind == TaskKind::kForward) last = task_of(step).layer;
    }
    return last;
  }

  /// The layer whose backward runs when the step starts, or ran last before a copy, or follows a task that is run again.
  [[nodiscard]] std::optional<LayerId> backward_at(StepId id) const {
    const bool copy = plan_.steps[id.at()].kind == StepKind::kToNear;
    std::optional<LayerId> found;
    for (const StepId step : compute_) {
      const bool later = timeline_.spans[step.at()].start > timeline_.spans[id.at()].start;
      if (copy && later) break;
      if (task_of(step).kind != TaskKind::kForward) found = task_of(step).layer;
      if (!copy && later && found && task_of(step).kind != TaskKind::kForward) break;
    }
    return found;
  }

  const Plan& plan_;
  const TrainingGraph& graph_;
  const Timeline& timeline_;
  const std::vector<StepId>& compute_;
  std::vector<Course> courses_;
};

}  // namespace

TensorPolicies tensor_policies(const Plan& plan, const TrainingGraph& graph,
                               const Timeline& timeline) {
  return PolicyFinder(plan, graph, timeline).run();
}

// A stay away is a copy out and the copy in behind it; either may be missing: a network input is in far memory
// anyway, so is what has been there before, and what nobody reads again does not come back. Waits are those
// whose end one of the two copies was.
//
// The rate that hides a stay: the copy back alone must not take longer than what is computed between the use
// before and the use after it. A slower link cannot hide it; a faster one may still be late, by other copies on
// the queue or by the copy out.

namespace {

struct AwayTime {
  std::size_t tensor;
  std::optional<StepId> out;
  std::optional<StepId> back;
};

class MoveFinder {
 public:
  MoveFinder(const Plan& plan, const TrainingGraph& graph, const CostTable& costs,
             const Timeline& timeline)
      : plan_(plan),
        graph_(graph),
        costs_(costs),
        timeline_(timeline),
        copies_(graph.tensors.size()),
        uses_(graph.tensors.size()),
        waits_(plan.steps.size()) {
    find_copies();
    find_uses();
    for (const Stall& stall : timeline.stalls) {
      if (!stall.culprit) continue;
      waits_[stall.culprit->at()][static_cast<std::size_t>(stall.cause)] += stall.end - stall.start;
    }
  }

  std::vector<MovedTensor> run() const {
    std::vector<AwayTime> stays;
    for (std::size_t tensor = 0; tensor < copies_.size(); ++tensor) add_stays(stays, tensor);
    std::ranges::stable_sort(stays, {},
                             [this](const AwayTime& each) { return span(first_of(each)).start; });
    std::vector<MovedTensor> moved;
    moved.reserve(stays.size());
    for (const AwayTime& stay : stays) moved.push_back(describe(stay));
    return moved;
  }

 private:
  void find_copies() {
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const Step& step = plan_.steps[i];
      if (runs_task(step.kind)) continue;
      copies_[static_cast<std::size_t>(step.object)].push_back(make_id<StepId>(i));
    }
    for (std::vector<StepId>& copies : copies_) {
      std::ranges::stable_sort(copies, {}, [this](StepId each) { return span(each).start; });
    }
  }

  /// Where in the queue each tensor that moves is used, and what is computed before.
  void find_uses() {
    const std::vector<StepId>& queue = plan_.queue(StepKind::kCompute);
    Duration computed;
    for (std::size_t place = 0; place < queue.size(); ++place) {
      const TaskId task{plan_.steps[queue[place].at()].object};
      const Duration before = computed;
      computed += span(queue[place]).end - span(queue[place]).start;
      for (const auto tensors : {graph_.reads[task], graph_.writes[task]}) {
        for (const TensorId tensor : tensors) {
          if (copies_[tensor.at()].empty()) continue;
          uses_[tensor.at()].push_back({queue[place], before, computed});
        }
      }
    }
  }

  void add_stays(std::vector<AwayTime>& stays, std::size_t tensor) const {
    std::optional<StepId> out;
    for (const StepId copy : copies_[tensor]) {
      if (plan_.steps[copy.at()].kind == StepKind::kToNear) {
        stays.push_back({tensor, out, copy});
        out.reset();
        continue;
      }
      if (out) stays.push_back({tensor, out, std::nullopt});
      out = copy;
    }
    if (out) stays.push_back({tensor, out, std::nullopt});
  }

  [[nodiscard]] const Span& span(StepId step) const { return timeline_.spans[step.at()]; }
  static StepId first_of(const AwayTime& stay) { return stay.out ? *stay.out : *stay.back; }

  MovedTensor describe(const AwayTime& stay) const {
    MovedTensor moved;
    moved.tensor = tensor_name(graph_, make_id<TensorId>(stay.tensor));
    moved.bytes = costs_.tensor_bytes[stay.tensor];
    if (stay.out) moved.out = span(*stay.out).start;
    if (stay.back) moved.back = span(*stay.back).end;
    Waits waits{};
    for (const auto& copy : {stay.out, stay.back}) {
      for (std::size_t cause = 0; copy && cause < kStallCauses; ++cause) {
        waits[cause] += waits_[copy->at()][cause];
      }
    }
    for (const Duration wait : waits) moved.wait += wait;
    if (moved.wait.count() > 0) {
      moved.cause = static_cast<StallCause>(std::ranges::max_element(waits) - waits.begin());
    }
    if (stay.back) moved.hides_at = hiding_rate(stay.tensor, *stay.back);
    return moved;
  }

  /// None: whatever the rate, it is late.
  [[nodiscard]] std::optional<BytesPerSecond> hiding_rate(std::size_t tensor, StepId back) const {
    const std::vector<Use>& uses = uses_[tensor];
    const auto next = std::ranges::find_if(uses, [&](const Use& use) {
      return span(use.step).start >= span(back).end && span(use.step).end > span(back).start;
    });
    if (next == uses.end()) return std::nullopt;
    const Duration since = next == uses.begin() ? Duration(0) : std::prev(next)->computed;
    const Duration room = next->before - since - costs_.transfers.to_near[tensor].latency;
    if (room.count() <= 0) return std::nullopt;
    const Int128 rate =
        (Int128{costs_.tensor_bytes[tensor].count()} * 1'000'000'000 + room.count() - 1) /
        room.count();
    if (rate > Int128{kInfiniteRate.count()}) return std::nullopt;
    return BytesPerSecond(static_cast<std::int64_t>(rate));
  }

  using Waits = std::array<Duration, kStallCauses>;
  struct Use {
    StepId step;
    Duration before;    ///< all that is computed before it
    Duration computed;  ///< and with it
  };

  const Plan& plan_;
  const TrainingGraph& graph_;
  const CostTable& costs_;
  const Timeline& timeline_;
  std::vector<std::vector<StepId>> copies_;  ///< by tensor, in the order of time
  std::vector<std::vector<Use>> uses_;       ///< by tensor, in the order of the queue
  std::vector<Waits> waits_;                 ///< by step, for its end
};

}  // namespace

std::vector<MovedTensor> moved_tensors(const Plan& plan, const TrainingGraph& graph,
                                       const CostTable& costs, const Timeline& timeline) {
  return MoveFinder(plan, graph, costs, timeline).run();
}

}  // namespace ooc
