// One fold serves both memories: blocks are taken when a step starts and freed when the last of some steps has ended,
// and what a block holds decides its category.
//
// A tensor that leaves and comes back, or is made again, has a block for each stay in near memory. A block is saved as
// long as somebody will still use just that block for the backward pass: by reading it, or by copying it out. So
// what a schedule drops and makes again counts as saved only when it is there again. In far memory a copy is saved
// as long as somebody will still read its tensor for the backward pass.
#include "simulator/summary/memory_use.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ooc {
namespace {

/// Whether what the step reads is there for the backward pass: its own tasks, tasks that run again for it, and what
/// compresses and restores tensors.
bool reads_for_backward(const Step& step, const TrainingGraph& graph) {
  if (step.kind != StepKind::kCompute) return false;
  const TaskKind kind = graph.tasks[static_cast<std::size_t>(step.object)].kind;
  return step.recompute || is_backward(kind) || is_overhead(kind);
}

/// What is neither under way nor unused.
MemoryCategory category_of(const Tensor& tensor, bool read_by_backward) {
  switch (tensor.role) {
    case TensorRole::kInput:
      return MemoryCategory::kInputs;
    case TensorRole::kWeightCopy:
      return MemoryCategory::kWeightCopies;
    case TensorRole::kGradient:
      return MemoryCategory::kActivationGradients;
    case TensorRole::kWeightGradient:
      return MemoryCategory::kGradients;
    case TensorRole::kWeight:
      return MemoryCategory::kWeights;
    case TensorRole::kOptimizerState:
      return MemoryCategory::kOptimizer;
    case TensorRole::kActivation:
    case TensorRole::kMask:
    case TensorRole::kReserve:
      break;
  }
  return read_by_backward ? MemoryCategory::kSaved : MemoryCategory::kActivations;
}

/// Near or far memory in the course of a run.
class MemoryFold {
 public:
  struct Of {
    const std::vector<Block>& blocks;
    const std::vector<BlockId>& initial;
    const Csr<StepId, BlockId>& takes;
    const Csr<StepId, BlockId>& gives;
    const Csr<BlockId, StepId>& givers;
    Csr<StepId, BlockId> keeps;  ///< blocks whose contents a step passes on to backward
    BytesByCategory held;        ///< all the time
  };

  MemoryFold(const Plan& plan, const TrainingGraph& graph, Of of)
      : steps_(plan.steps), graph_(graph), of_(std::move(of)), blocks_(of_.blocks.size()) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      blocks_[i].givers = static_cast<std::int32_t>(of_.givers[make_id<BlockId>(i)].size());
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      for (const BlockId block : of_.keeps[make_id<StepId>(i)]) ++blocks_[block.at()].keepers;
    }
    for (const BlockId block : of_.initial) {
      count(block, MemoryCategory::kInFlight);
      settle(block);
    }
  }

  /// record(instant) before all, and whenever all that ends together has ended or all that starts together has started.
  template <class Record>
  void run(const Timeline& timeline, Record record) {
    record(Duration(0));
    std::pair<Duration, bool> now;
    for (const StepEvent event : timeline.events) {
      const Span& span = timeline.spans[event.step.at()];
      const std::pair at{event.ends ? span.end : span.start, event.ends};
      if (at != now) record(now.first);
      now = at;
      event.ends ? end(event.step) : start(event.step);
    }
    record(now.first);
  }

  [[nodiscard]] const BytesByCategory& held() const { return of_.held; }

 private:
  struct State {
    std::int32_t givers = 0;                    ///< that have not ended
    std::int32_t keepers = 0;                   ///< likewise
    std::optional<MemoryCategory> counts = {};  ///< as what; unset: it is not held
  };

  void count(BlockId id, std::optional<MemoryCategory> as) {
    std::optional<MemoryCategory>& counts = blocks_[id.at()].counts;
    const Bytes bytes = of_.blocks[id.at()].bytes;
    if (counts) of_.held[*counts] -= bytes;
    counts = as;
    if (counts) of_.held[*counts] += bytes;
  }

  /// It counts as what it is now.
  void settle(BlockId id) {
    const Block& block = of_.blocks[id.at()];
    const State& state = blocks_[id.at()];
    if (!state.counts) return;
    count(id, block.kind == BlockKind::kWorkspace ? MemoryCategory::kWorkspace
              : block.kind == BlockKind::kGradient
                  ? MemoryCategory::kGradients
                  : category_of(graph_.tensors[static_cast<std::size_t>(block.object)],
                                state.keepers > 0));
  }

  void start(StepId step) {
    for (const BlockId block : of_.takes[step]) {
      count(block, MemoryCategory::kInFlight);
      if (runs_task(steps_[step.at()].kind)) settle(block);
    }
  }

  void end(StepId step) {
    for (const BlockId block : of_.keeps[step]) {
      State& state = blocks_[block.at()];
      if (--state.keepers == 0 && state.counts != MemoryCategory::kInFlight) settle(block);
    }
    if (!runs_task(steps_[step.at()].kind)) {
      for (const BlockId block : of_.takes[step]) settle(block);
    }
    for (const BlockId block : of_.gives[step]) {
      if (--blocks_[block.at()].givers == 0) count(block, std::nullopt);
    }
  }

  const std::vector<Step>& steps_;
  const TrainingGraph& graph_;
  Of of_;
  std::vector<State> blocks_;
};

MemoryFold near_fold(const Plan& plan, const TrainingGraph& graph) {
  // Who uses a block releases it.
  std::vector<std::pair<StepId, BlockId>> keeps;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    const bool reads = reads_for_backward(step, graph);
    if (!reads && step.kind != StepKind::kToFar) continue;
    for (const BlockId id : plan.releases[make_id<StepId>(i)]) {
      const Block& block = plan.blocks[id.at()];
      if (block.kind != BlockKind::kTensor) continue;
      const bool keeps_it = reads
                                ? contains(graph.reads[TaskId{step.object}], TensorId{block.object})
                                : block.object == step.object;
      if (keeps_it) keeps.emplace_back(make_id<StepId>(i), id);
    }
  }
  BytesByCategory fixed;
  fixed[MemoryCategory::kWeights] = Bytes(graph.weight_bytes);
  fixed[MemoryCategory::kOptimizer] = Bytes(graph.optimizer_bytes);
  fixed[MemoryCategory::kGradients] =
      plan.static_bytes - Bytes(graph.weight_bytes) - Bytes(graph.optimizer_bytes);
  return {plan,
          graph,
          {.blocks = plan.blocks,
           .initial = plan.initial_blocks,
           .takes = plan.acquires,
           .gives = plan.releases,
           .givers = plan.releasers,
           .keeps = Csr<StepId, BlockId>(plan.steps.size(), keeps),
           .held = fixed}};
}

/// Within one instant only the last value and a peak on the way to it are kept.
void add_sample(std::vector<MemorySample>& samples, Duration now, const BytesByCategory& held) {
  const auto before = [&](std::size_t back) { return samples[samples.size() - back].held.total(); };
  if (!samples.empty() && samples.back().at == now && samples.back().held != held) {
    const bool rising = before(1) <= held.total();
    const bool falling_through = samples.size() > 1 && before(2) >= before(1);
    if (rising || falling_through) samples.pop_back();
  }
  if (samples.empty() || samples.back().held != held) samples.push_back({now, held});
}

/// Gradients that updates read in far memory; those of rounds live until they are added up.
bool is_far_gradient(const Tensor& tensor) {
  return tensor.role == TensorRole::kWeightGradient && tensor.home != TensorHome::kFar &&
         tensor.cut == 0;
}

MemoryFold far_fold(const Plan& plan, const TrainingGraph& graph, const FarMemory& far) {
  std::vector<std::optional<BlockId>> copies(graph.tensors.size());
  for (std::size_t i = 0; i < far.blocks.size(); ++i) {
    copies[static_cast<std::size_t>(far.blocks[i].object)] = make_id<BlockId>(i);
  }
  std::vector<std::pair<StepId, BlockId>> keeps;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (!reads_for_backward(plan.steps[i], graph)) continue;
    for (const TensorId tensor : graph.reads[TaskId{plan.steps[i].object}]) {
      if (copies[tensor.at()]) keeps.emplace_back(make_id<StepId>(i), *copies[tensor.at()]);
    }
  }
  return {plan,
          graph,
          {.blocks = far.blocks,
           .initial = far.initial,
           .takes = far.takes,
           .gives = far.gives,
           .givers = far.givers,
           .keeps = Csr<StepId, BlockId>(plan.steps.size(), keeps),
           .held = {}}};
}

}  // namespace

std::string_view category_name(MemoryCategory category) {
  return text_at(category,
                 {"weights", "weight_copies", "gradients", "optimizer", "inputs", "saved",
                  "activations", "activation_gradients", "workspace", "in_flight", "unused"});
}

std::vector<MemorySample> near_memory_over_time(const Plan& plan, const TrainingGraph& graph,
                                                const Timeline& timeline) {
  std::vector<MemorySample> samples;
  MemoryFold fold = near_fold(plan, graph);
  fold.run(timeline, [&](Duration now) { add_sample(samples, now, fold.held()); });
  return samples;
}

MemorySample near_memory_at_peak(const Plan& plan, const TrainingGraph& graph,
                                 const Timeline& timeline) {
  MemorySample most{};
  MemoryFold fold = near_fold(plan, graph);
  fold.run(timeline, [&](Duration now) {
    const Bytes bytes = fold.held().total();
    // Under an accounting without lifetimes more may live than is said.
    if (bytes > most.held.total() && bytes <= timeline.peak_near) most = {now, fold.held()};
  });
  most.held[MemoryCategory::kUnused] = timeline.peak_near - most.held.total();
  return most;
}

FarMemory far_memory(const Plan& plan, const TrainingGraph& graph, const CostTable& costs) {
  FarMemory far;
  std::vector<std::pair<StepId, BlockId>> takes;
  std::vector<std::pair<StepId, BlockId>> gives;
  std::vector<std::optional<BlockId>> copies(graph.tensors.size());
  const auto is_home = [&](std::size_t tensor) {
    return graph.tensors[tensor].home == TensorHome::kFar;
  };
  const auto add = [&](std::size_t tensor) {
    copies[tensor] = make_id<BlockId>(far.blocks.size());
    const Bytes bytes = host_bytes(graph.tensors[tensor], costs.tensor_bytes[tensor]);
    far.blocks.push_back(
        {.bytes = plan.far_bytes(bytes), .object = static_cast<std::int32_t>(tensor)});
    return *copies[tensor];
  };
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (is_home(i)) far.initial.push_back(add(i));
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const auto tensor = static_cast<std::size_t>(plan.steps[i].object);
    if (plan.steps[i].kind != StepKind::kToFar || copies[tensor]) continue;
    if (graph.tensors[tensor].role == TensorRole::kInput) continue;
    if (plan.steps[i].exchange) continue;
    if (plan.far_gradients == FarGradients::kAllocated && is_far_gradient(graph.tensors[tensor])) {
      far.initial.push_back(add(tensor));
    } else {
      takes.emplace_back(make_id<StepId>(i), add(tensor));
    }
  }
  for (StepId id; id.at() < plan.steps.size(); ++id.index) {
    const Step& step = plan.steps[id.at()];
    const auto give = [&](TensorId tensor) {
      if (copies[tensor.at()] && !is_home(tensor.at()))
        gives.emplace_back(id, *copies[tensor.at()]);
    };
    if (step.kind == StepKind::kToNear) {
      const TensorId tensor{step.object};
      const bool kept =
          plan.far_gradients != FarGradients::kFreed && is_far_gradient(graph.tensors[tensor.at()]);
      if (!kept) give(tensor);
    } else if (step.kind == StepKind::kFarCompute) {
      const TaskId task{step.object};
      const bool adds = graph.tasks[task.at()].kind == TaskKind::kFarAccumulate;
      if (!adds && plan.far_gradients != FarGradients::kFreed) continue;
      for (const TensorId read : graph.reads[task]) give(read);
    }
  }
  far.takes = Csr<StepId, BlockId>(plan.steps.size(), takes);
  far.gives = Csr<StepId, BlockId>(plan.steps.size(), gives);
  far.givers = far.gives.transposed(far.blocks.size());
  return far;
}

std::vector<MemorySample> far_memory_over_time(const Plan& plan, const TrainingGraph& graph,
                                               const CostTable& costs, const Timeline& timeline) {
  const FarMemory far = far_memory(plan, graph, costs);
  std::vector<MemorySample> samples;
  const auto add = [&](Duration now, const BytesByCategory& held) {
    if (!samples.empty() && samples.back().at == now) samples.pop_back();
    const BytesByCategory before = samples.empty() ? BytesByCategory{} : samples.back().held;
    if (held != before) samples.push_back({now, held});
  };
  if (far.blocks.empty()) return samples;
  MemoryFold fold = far_fold(plan, graph, far);
  fold.run(timeline, [&](Duration now) { add(now, fold.held()); });
  add(timeline.iteration_time, {});
  return samples;
}

BytesByCategory peak_far_by_category(const Plan& plan, const TrainingGraph& graph,
                                     const CostTable& costs, const Timeline& timeline) {
  const auto samples = far_memory_over_time(plan, graph, costs, timeline);
  const auto most =
      std::ranges::max_element(samples, {}, [](const auto& each) { return each.held.total(); });
  return most == samples.end() ? BytesByCategory{} : most->held;
}

std::optional<FarUse> far_use(const Plan& plan, const TrainingGraph& graph,
                              const CostTable& costs) {
  const auto is_home = [](const Tensor& tensor) { return tensor.home == TensorHome::kFar; };
  if (std::ranges::any_of(graph.tensors, is_home)) return std::nullopt;
  FarUse use;
  std::vector<std::optional<std::size_t>> life_of(graph.tensors.size());
  for (const StepId step : plan.queue(StepKind::kToFar)) {
    const auto tensor = static_cast<std::size_t>(plan.steps[step.at()].object);
    if (life_of[tensor] || graph.tensors[tensor].role == TensorRole::kInput) continue;
    life_of[tensor] = use.lives.size();
    use.lives.push_back(
        {.bytes = plan.far_bytes(host_bytes(graph.tensors[tensor], costs.tensor_bytes[tensor])),
         .out = step});
  }
  const auto& back = plan.queue(StepKind::kToNear);
  for (const StepId step : back) {
    const auto life = life_of[static_cast<std::size_t>(plan.steps[step.at()].object)];
    if (life) use.lives[*life].back = step;
  }
  for (const StepId step : back) {
    const auto life = life_of[static_cast<std::size_t>(plan.steps[step.at()].object)];
    if (life && use.lives[*life].back == step) use.by_back.push_back(*life);
  }
  return use;
}

// Queues run in order, so that both lists are in the order of time: no sorting.
Bytes peak_far_bytes(const FarUse& use, const Timeline& timeline) {
  const auto from = [&](const FarUse::Life& life) { return timeline.spans[life.out.at()].start; };
  const auto until = [&](const FarUse::Life& life) {
    return life.back ? timeline.spans[life.back->at()].end : timeline.iteration_time;
  };
  Bytes alive{0};
  Bytes peak{0};
  std::size_t ended = 0;
  for (const FarUse::Life& life : use.lives) {
    if (until(life) <= from(life)) continue;
    for (; ended < use.by_back.size(); ++ended) {
      const FarUse::Life& other = use.lives[use.by_back[ended]];
      if (until(other) > from(life)) break;
      if (until(other) > from(other)) alive += other.bytes * -1;
    }
    alive += life.bytes;
    peak = std::max(peak, alive);
  }
  return peak;
}

}  // namespace ooc
