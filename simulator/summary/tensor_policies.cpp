// One walk along the plan: what comes first behind a tensor's last use in forward decides, be it a use, a copy in
// or a task that writes it again. When is told by layers, not by times: software has its own.
#include "simulator/summary/tensor_policies.hpp"

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
  TensorPolicy policy;
};

class PolicyFinder {
 public:
  PolicyFinder(const Plan& plan, const TrainingGraph& graph, const Timeline& timeline)
      : plan_(plan),
        graph_(graph),
        timeline_(timeline),
        compute_(plan.queues[static_cast<std::size_t>(queue_index(0, StepKind::kCompute))]),
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
                          .out = back_already ? std::nullopt : course.out,
                          .policy = {}};
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

  /// The layer whose backward runs when the step starts, or ran last before a copy, or follows a task that is
  /// run again.
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

}  // namespace ooc
