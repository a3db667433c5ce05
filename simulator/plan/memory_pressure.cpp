// Where memory forces copies. While task k runs, live(k) bytes are alive (touched by k, or defined
// before and used again after it) and it needs its workspace; what exceeds the budget has no near copy,
// and it can only be bytes that k does not touch. Those were copied out before and are copied in after.
//
// Two walks with one linked list each. Forwards the list holds the live tensors in order of definition,
// so the earliest defined one that k does not touch is found past a few touched ones; backwards it holds
// them in order of next use. Linear in uses.
//
// In-place tensors count as defined by their first writer, though a copy out before the last one is of
// no use: that only makes the bound weaker.
#include <algorithm>

#include "simulator/plan/bounds.hpp"

namespace ooc {
namespace {

/// Sums of task times stay below this, so that they and copy times add up without overflow.
constexpr Duration kLongest{std::int64_t{1} << 61};

/// Doubly linked over tensors; the place after the last tensor is the ring's anchor.
class TensorRing {
 public:
  TensorRing(MemoryPressure& scratch, std::size_t tensors)
      : previous_(scratch.previous),
        next_(scratch.next),
        anchor_(static_cast<std::int32_t>(tensors)) {
    previous_.assign(tensors + 1, kOutside);
    next_.assign(tensors + 1, kOutside);
    next_[tensors] = previous_[tensors] = anchor_;
  }
  [[nodiscard]] bool contains(std::int32_t tensor) const { return next_[at(tensor)] != kOutside; }
  [[nodiscard]] std::int32_t front() const { return next_[at(anchor_)]; }
  [[nodiscard]] std::int32_t back() const { return previous_[at(anchor_)]; }
  [[nodiscard]] std::int32_t after(std::int32_t tensor) const { return next_[at(tensor)]; }
  [[nodiscard]] std::int32_t before(std::int32_t tensor) const { return previous_[at(tensor)]; }
  [[nodiscard]] std::int32_t anchor() const { return anchor_; }

  void push_back(std::int32_t tensor) { insert(tensor, back(), anchor_); }
  void push_front(std::int32_t tensor) { insert(tensor, anchor_, front()); }
  void remove(std::int32_t tensor) {
    next_[at(previous_[at(tensor)])] = next_[at(tensor)];
    previous_[at(next_[at(tensor)])] = previous_[at(tensor)];
    next_[at(tensor)] = kOutside;
  }

 private:
  static constexpr std::int32_t kOutside = -1;
  static std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }
  void insert(std::int32_t tensor, std::int32_t left, std::int32_t right) {
    previous_[at(tensor)] = left;
    next_[at(tensor)] = right;
    next_[at(left)] = tensor;
    previous_[at(right)] = tensor;
  }

  std::vector<std::int32_t>& previous_;
  std::vector<std::int32_t>& next_;
  std::int32_t anchor_;
};

/// The least time and the least workspace over a task's alternatives, each for itself.
TaskAlternative least(const CostTable& costs, TaskId task) {
  const auto alternatives = costs.alternatives_of(task);
  TaskAlternative result = alternatives.front();
  for (const TaskAlternative& alternative : alternatives) {
    result.time = std::min(result.time, alternative.time);
    result.workspace = std::min(result.workspace, alternative.workspace);
  }
  return result;
}

/// Calls `visit` once for every tensor that the task reads or writes.
template <class Visit>
void for_each_touched(const TrainingGraph& graph, MemoryPressure& scratch, TaskId task,
                      Visit visit) {
  for (const auto tensors : {graph.reads[task], graph.writes[task]}) {
    for (const TensorId tensor : tensors) {
      if (scratch.touched_by[tensor.at()] == task.index) continue;
      scratch.touched_by[tensor.at()] = task.index;
      visit(tensor);
    }
  }
}

class PressureWalk {
 public:
  PressureWalk(const TrainingGraph& graph, const CostTable& costs, Bytes budget,
               MemoryPressure& pressure)
      : graph_(graph),
        costs_(costs),
        available_(budget - costs.static_bytes),
        pressure_(pressure) {}

  void forwards() {
    TensorRing live(pressure_, graph_.tensors.size());
    pressure_.touched_by.assign(graph_.tensors.size(), -1);
    pressure_.cuts.clear();
    pressure_.before.assign(1, Duration(0));
    pressure_.feasible = available_.count() >= 0;
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      const Lifetime& life = graph_.lifetimes[i];
      if (!life.first_writer && life.last_use) clean_ += costs_.tensor_bytes[i];
    }
    live_ = clean_;
    for (std::size_t i = 0; i < graph_.tasks.size(); ++i) visit_forwards(make_id<TaskId>(i), live);
  }

  void backwards() {
    TensorRing live(pressure_, graph_.tensors.size());
    pressure_.touched_by.assign(graph_.tensors.size(), -1);
    pressure_.next_use.resize(graph_.tensors.size());
    const Duration total = pressure_.before.back();
    auto cut = pressure_.cuts.rbegin();
    for (std::size_t i = graph_.tasks.size(); i-- > 0 && cut != pressure_.cuts.rend();) {
      const TaskId task = make_id<TaskId>(i);
      for_each_touched(graph_, pressure_, task, [&](TensorId tensor) {
        if (live.contains(tensor.index)) live.remove(tensor.index);
      });
      if (cut->task == task) {
        // What is left in the ring is defined before and used after this task, and not by it.
        const auto latest = static_cast<std::size_t>(live.back());
        const auto use = static_cast<std::size_t>(pressure_.next_use[latest]);
        cut->compute_after = total - pressure_.before[use];
        ++cut;
      }
      for (const auto tensors : {graph_.reads[task], graph_.writes[task]}) {
        for (const TensorId tensor : tensors) {
          if (graph_.lifetimes[tensor.at()].first_writer == task) continue;
          if (live.contains(tensor.index)) continue;
          pressure_.next_use[tensor.at()] = task.index;
          live.push_front(tensor.index);
        }
      }
    }
  }

 private:
  [[nodiscard]] Bytes bytes(TensorId tensor) const { return costs_.tensor_bytes[tensor.at()]; }

  void visit_forwards(TaskId task, TensorRing& live) {
    const TaskAlternative cost = least(costs_, task);
    Bytes needed = cost.workspace;
    Bytes clean_elsewhere = clean_;
    for_each_touched(graph_, pressure_, task, [&](TensorId tensor) {
      needed += bytes(tensor);
      const auto& writer = graph_.lifetimes[tensor.at()].first_writer;
      if (!writer) clean_elsewhere -= bytes(tensor);
      if (writer == task) {
        live_ += bytes(tensor);
        live.push_back(tensor.index);
      }
    });
    if (needed > available_) pressure_.feasible = false;
    const Bytes excess = live_ + cost.workspace - available_;
    if (excess.count() > 0) add_cut(task, excess, clean_elsewhere, live);
    end_lives(task, live);
    pressure_.before.push_back(std::min(pressure_.before.back() + cost.time, kLongest));
  }

  void add_cut(TaskId task, Bytes excess, Bytes clean_elsewhere, const TensorRing& live) {
    Cut cut{.task = task,
            .in = excess,
            .out = std::max(Bytes(0), excess - clean_elsewhere),
            .defined_from = Duration(0),
            .compute_after = Duration(0)};
    if (cut.out.count() > 0) {
      std::int32_t first = live.front();
      while (first != live.anchor() &&
             pressure_.touched_by[static_cast<std::size_t>(first)] == task.index) {
        first = live.after(first);
      }
      if (first != live.anchor()) {
        const Lifetime& life = graph_.lifetimes[static_cast<std::size_t>(first)];
        cut.defined_from = pressure_.before[life.first_writer->at() + 1];
      }
    }
    pressure_.cuts.push_back(cut);
  }

  void end_lives(TaskId task, TensorRing& live) {
    for (const auto tensors : {graph_.reads[task], graph_.writes[task]}) {
      for (const TensorId tensor : tensors) {
        const Lifetime& life = graph_.lifetimes[tensor.at()];
        if (life.last_use != task) continue;
        if (!life.first_writer) {
          // A reader only: inputs have no writer, so each is met once.
          live_ -= bytes(tensor);
          clean_ -= bytes(tensor);
        } else if (live.contains(tensor.index)) {
          live_ -= bytes(tensor);
          live.remove(tensor.index);
        }
      }
    }
  }

  const TrainingGraph& graph_;
  const CostTable& costs_;
  Bytes available_;
  MemoryPressure& pressure_;
  Bytes live_;   ///< of all tensors alive at the task at hand
  Bytes clean_;  ///< of the network inputs among them
};

}  // namespace

void find_memory_pressure(const TrainingGraph& graph, const CostTable& costs, Bytes budget,
                          MemoryPressure& pressure) {
  PressureWalk walk(graph, costs, budget, pressure);
  walk.forwards();
  if (pressure.feasible) walk.backwards();
}

}  // namespace ooc
