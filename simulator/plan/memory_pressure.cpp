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
    pressure_.live.clear(graph_.tensors.size());
    pressure_.touched_by.assign(graph_.tensors.size(), -1);
    pressure_.cuts.clear();
    pressure_.before.assign(1, Duration(0));
    pressure_.feasible = available_.count() >= 0;
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      const Lifetime& life = graph_.lifetimes[i];
      if (!life.first_writer && life.last_use) clean_ += costs_.tensor_bytes[i];
    }
    live_ = clean_;
    for (std::size_t i = 0; i < graph_.tasks.size(); ++i) visit_forwards(make_id<TaskId>(i));
  }

  void backwards() {
    pressure_.live.clear(graph_.tensors.size());
    pressure_.touched_by.assign(graph_.tensors.size(), -1);
    pressure_.next_use.resize(graph_.tensors.size());
    const Duration total = pressure_.before.back();
    auto cut = pressure_.cuts.rbegin();
    for (std::size_t i = graph_.tasks.size(); i-- > 0 && cut != pressure_.cuts.rend();) {
      const TaskId task = make_id<TaskId>(i);
      for_each_touched(graph_, pressure_, task, [&](TensorId tensor) {
        if (pressure_.live.contains(tensor)) pressure_.live.remove(tensor);
      });
      if (cut->task == task) {
        // What is left in the ring is defined before and used after this task, and not by it.
        const std::size_t latest = pressure_.live.last().at();
        const auto use = static_cast<std::size_t>(pressure_.next_use[latest]);
        cut->compute_after = total - pressure_.before[use];
        ++cut;
      }
      for (const auto tensors : {graph_.reads[task], graph_.writes[task]}) {
        for (const TensorId tensor : tensors) {
          if (graph_.lifetimes[tensor.at()].first_writer == task) continue;
          if (pressure_.live.contains(tensor)) continue;
          pressure_.next_use[tensor.at()] = task.index;
          pressure_.live.prepend(tensor);
        }
      }
    }
  }

 private:
  [[nodiscard]] Bytes bytes(TensorId tensor) const { return costs_.tensor_bytes[tensor.at()]; }

  void visit_forwards(TaskId task) {
    const TaskAlternative cost = least(costs_, task);
    Bytes needed = cost.workspace;
    Bytes clean_elsewhere = clean_;
    for_each_touched(graph_, pressure_, task, [&](TensorId tensor) {
      needed += bytes(tensor);
      const auto& writer = graph_.lifetimes[tensor.at()].first_writer;
      if (!writer) clean_elsewhere -= bytes(tensor);
      if (writer == task) {
        live_ += bytes(tensor);
        pressure_.live.append(tensor);
      }
    });
    if (needed > available_) pressure_.feasible = false;
    const Bytes excess = live_ + cost.workspace - available_;
    if (excess.count() > 0) add_cut(task, excess, clean_elsewhere);
    end_lives(task);
    pressure_.before.push_back(std::min(pressure_.before.back() + cost.time, kLongest));
  }

  void add_cut(TaskId task, Bytes excess, Bytes clean_elsewhere) {
    Cut cut{.task = task,
            .in = excess,
            .out = std::max(Bytes(0), excess - clean_elsewhere),
            .defined_from = Duration(0),
            .compute_after = Duration(0)};
    if (cut.out.count() > 0) {
      const TensorRing& live = pressure_.live;
      TensorId first = live.first();
      while (first != live.end() && pressure_.touched_by[first.at()] == task.index) {
        first = live.next(first);
      }
      if (first != live.end()) {
        const Lifetime& life = graph_.lifetimes[first.at()];
        cut.defined_from = pressure_.before[life.first_writer->at() + 1];
      }
    }
    pressure_.cuts.push_back(cut);
  }

  void end_lives(TaskId task) {
    for (const auto tensors : {graph_.reads[task], graph_.writes[task]}) {
      for (const TensorId tensor : tensors) {
        const Lifetime& life = graph_.lifetimes[tensor.at()];
        if (life.last_use != task) continue;
        if (!life.first_writer) {
          // A reader only: inputs have no writer, so each is met once.
          live_ -= bytes(tensor);
          clean_ -= bytes(tensor);
        } else if (pressure_.live.contains(tensor)) {
          live_ -= bytes(tensor);
          pressure_.live.remove(tensor);
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
