// Task and data-flow graph of one training iteration (moDNN, Fig. 1): forward, backward and update
// tasks in execution order, and the tensors that they exchange. Sizes are per sample, so the graph
// is independent of the batch. A tensor is a buffer: views, in-place activations, gradients that
// `add` passes on and slices of a concat's gradient are resolved to one tensor here.
//
// Order of tasks: forward in topological order (ties by file order); backward exactly reversed, per
// layer backward-data, then backward-weights; updates last, in layer order, those of shared weights
// behind the others. Weights, their gradients and optimiser states are static memory, not tensors,
// unless they move (model/rewrite/state.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/csr.hpp"
#include "model/base/ids.hpp"
#include "model/base/named.hpp"
#include "model/graph/parameter_bytes.hpp"
#include "model/network/network.hpp"

namespace ooc {

enum class TaskKind {
  kForward,
  kBackward,  ///< gradients of data and parameters in one task
  kBackwardData,
  kBackwardWeights,
  kUpdate,
  kCompress,       ///< halves the bytes of a tensor (model/rewrite/compression.hpp)
  kDecompress,     ///< restores a compressed tensor
  kFarUpdate,      ///< update by the host's processor (model/rewrite/state.hpp)
  kFarAccumulate,  ///< adds a micro-batch's gradients to the sum, by the host's processor
};

[[nodiscard]] constexpr bool is_backward(TaskKind kind) {
  return kind == TaskKind::kBackward || kind == TaskKind::kBackwardData ||
         kind == TaskKind::kBackwardWeights;
}
[[nodiscard]] constexpr bool is_far(TaskKind kind) {
  return kind == TaskKind::kFarUpdate || kind == TaskKind::kFarAccumulate;
}
/// True for tasks that a schedule adds to the network's own.
[[nodiscard]] constexpr bool is_overhead(TaskKind kind) {
  return kind == TaskKind::kCompress || kind == TaskKind::kDecompress;
}

struct Task {
  TaskKind kind = TaskKind::kForward;
  LayerId layer;
  std::int32_t copies = 0;  ///< kBackward of `add`: number of gradients to copy
  std::int32_t unit = 0;    ///< far tasks: index into TrainingGraph::units
  std::int32_t round = 0;   ///< kFarAccumulate: index of the micro-batch
};

enum class TensorRole {
  kInput,       ///< network input: in GPU memory at the start, with a valid copy in host memory
  kActivation,  ///< layer output, shared with views and in-place layers
  kMask,        ///< mask of dropout
  kReserve,     ///< values that a layer saves for its own backward pass, beside its output
  kWeightCopy,  ///< weights of a layer, in the type of its matrix products
  kGradient,    ///< gradient of an activation
  // Model states that move, of one or several layers (model/rewrite/state.hpp):
  kWeight,
  kWeightGradient,
  kOptimizerState,  ///< optimiser states, with the master copy
};

/// Memory in which a tensor is between iterations.
enum class TensorHome : std::uint8_t {
  kNear,    ///< network inputs: GPU memory at the start, nowhere at the end; all others: nowhere
  kStatic,  ///< GPU memory throughout, as part of the static bytes
  kFar,     ///< host memory, at the start and at the end
};

/// True for model states: weights, their gradients, optimiser states.
[[nodiscard]] constexpr bool is_state(TensorRole role) {
  return role == TensorRole::kWeight || role == TensorRole::kWeightGradient ||
         role == TensorRole::kOptimizerState;
}

/// Version of a tensor.
enum class TensorForm {
  kWritten,     ///< the values that the layer or task wrote
  kCompressed,  ///< float16 copy of float32 values, half the bytes
  kRestored,    ///< restored from kCompressed; also weight copy for backward, cast of a gradient
};

struct Tensor {
  TensorRole role = TensorRole::kActivation;
  std::optional<InputId> input = {};  ///< for kInput: which network input; else unset
  std::optional<LayerId> layer = {};  ///< other roles: first layer that writes it, or of its unit
  std::int64_t bytes_per_sample = 0;
  std::int64_t bytes_fixed = 0;  ///< further bytes, whatever the batch
  bool is_sum = false;           ///< kWeightGradient: sum over micro-batches
  std::int32_t unit = 0;         ///< model states: index into TrainingGraph::units
  TensorForm form = TensorForm::kWritten;
  TensorHome home = TensorHome::kNear;
  /// Model states on several devices: number of devices, each with an equal shard of the tensor, or with a gradient to
  /// be summed. A copy of the tensor gathers the shards or sums the gradients. 1: no exchange.
  std::int32_t shards = 1;
  std::int64_t shard_far = 0;  ///< bytes of a shard in host memory; 0: shards are in GPU memory
  /// Index from 1 of a part of a cut tensor (model/rewrite/parts.hpp), or of a weight gradient's micro-batch; 0: none.
  std::int32_t cut = 0;
};

/// First and last tasks that use (read or write) a tensor. Unset: no such task.
struct Lifetime {
  std::optional<TaskId> first_writer;  ///< unset: network input, or state from host memory
  std::optional<TaskId> last_writer;
  std::optional<TaskId> last_forward_use;    ///< last forward task that uses the tensor
  std::optional<TaskId> first_backward_use;  ///< first task after forward that uses the tensor
  std::optional<TaskId> last_use;
};

/// Rule for the memory of tensors when nothing moves. kLiveness: from first to last use; kDefineByRun: as long as eager
/// frameworks hold them; the others are sums for published figures (footprint_per_sample()).
enum class Accounting { kLiveness, kSharedGradients, kAllGradients, kDefineByRun };
/// True for the rules of published figures, kSharedGradients and kAllGradients, which ignore lifetimes.
[[nodiscard]] constexpr bool is_footprint(Accounting accounting) {
  return accounting == Accounting::kSharedGradients || accounting == Accounting::kAllGradients;
}

struct TrainingGraph {
  const Network* network = nullptr;  ///< must outlive the graph
  Optimizer optimizer = Optimizer::kSgd;
  std::vector<Task> tasks;
  std::size_t forward_tasks = 0;  ///< forward tasks of the first micro-batch; they come first
  std::size_t backward_end = 0;   ///< index behind the last backward task; updates follow
  std::vector<Tensor> tensors;
  Csr<TaskId, TensorId> reads;      ///< by task, each tensor once; in-place tasks also write it
  Csr<TaskId, TensorId> writes;     ///< by task, each tensor once
  std::vector<Lifetime> lifetimes;  ///< by tensor
  std::vector<std::optional<TensorId>> output_of_layer;  ///< by layer: its output's tensor
  /// Number of tasks, and of tensors, of one micro-batch (model/rewrite/iteration.hpp). 0: no gradient accumulation.
  std::size_t round_tasks = 0;
  std::size_t round_tensors = 0;
  std::vector<std::string> units = {};  ///< names of units, layers whose states move together
  ParameterBytes per_parameter = {};    ///< bytes of a parameter in the network's types
  std::int64_t weight_bytes = 0;        ///< static bytes, as the next two: without states that move
  std::int64_t gradient_bytes = 0;
  std::int64_t optimizer_bytes = 0;  ///< optimiser states, with the master copy
};

/// Returns a name such as "conv1_1.forward"; in the second micro-batch "conv1_1.forward@2".
[[nodiscard]] std::string task_name(const TrainingGraph& graph, TaskId task);
/// Returns a name such as "conv1_1", "drop.mask", "attention.reserve", "conv1_1.grad", "data",
/// "bucket.3.weight.grad"; for the second part of a cut tensor "conv1_1[2]".
[[nodiscard]] std::string tensor_name(const TrainingGraph& graph, TensorId tensor);

/// True for backward-weights tasks, and fused backward tasks that compute gradients, even of layers without weights.
[[nodiscard]] bool writes_weight_gradient(const TrainingGraph& graph, const Task& task);

/// True for saved tensors: network inputs and results of forward tasks, if used after forward.
[[nodiscard]] bool is_saved(const TrainingGraph& graph, TensorId tensor);
// Return the bytes of saved tensors without weight copies: those of one sample, and those independent of the batch.
[[nodiscard]] std::int64_t saved_bytes_per_sample(const TrainingGraph& graph);
[[nodiscard]] std::int64_t saved_bytes_fixed(const TrainingGraph& graph);
/// Returns the bytes of weight copies that are saved tensors.
[[nodiscard]] std::int64_t saved_weight_copies(const TrainingGraph& graph);

/// True if devices exchange the tensor over their own links only: its copies do not use host memory.
[[nodiscard]] inline bool is_collective(const Tensor& tensor) {
  return tensor.shards > 1 && tensor.shard_far == 0;
}

/// Returns the bytes of the tensor, or of its shard, that one device copies from or to host memory. `bytes`: all of it.
[[nodiscard]] inline Bytes host_bytes(const Tensor& tensor, Bytes bytes) {
  return tensor.shards > 1 ? Bytes(tensor.shard_far) : bytes;
}

[[nodiscard]] std::string_view accounting_name(Accounting accounting);

// GPU-memory footprints of a training graph when nothing moves, under the accounting rules of
// published figures (docs/model.md, 3).

/// Returns, by task, the bytes per sample of tensors live while the task runs. A tensor is live from its first writer
/// (network inputs: from the start) to its last use. Workspace and static bytes are not counted.
[[nodiscard]] std::vector<std::int64_t> live_bytes_per_sample(const TrainingGraph& graph);
/// Returns, by task, the bytes of live tensors that do not grow with the batch.
[[nodiscard]] std::vector<std::int64_t> live_bytes_fixed(const TrainingGraph& graph);

/// Returns bytes per sample: the largest live_bytes_per_sample() (kLiveness, kDefineByRun); or inputs,
/// outputs and the two largest gradients (kSharedGradients), or all gradients (kAllGradients). The
/// last two leave out activations, dropout and masks.
[[nodiscard]] std::int64_t footprint_per_sample(const TrainingGraph& graph, Accounting accounting);

/// Returns weight_bytes + gradient_bytes + optimizer_bytes.
[[nodiscard]] std::int64_t static_bytes(const TrainingGraph& graph);

/// Calls visit(tensor) once for each tensor that the task reads or writes.
template <class Visit>
void for_each_touched(const TrainingGraph& graph, TaskId task, const Visit& visit) {
  const auto reads = graph.reads[task];
  for (const TensorId tensor : reads) visit(tensor);
  for (const TensorId tensor : graph.writes[task]) {
    if (!contains(reads, tensor)) visit(tensor);
  }
}
/// Calls visit(task, tensor) once for each tensor that each task reads or writes, tasks in order.
template <class Visit>
void for_each_touch(const TrainingGraph& graph, const Visit& visit) {
  std::vector<std::int32_t> last(graph.tensors.size(), -1);
  for (TaskId task; task.at() < graph.tasks.size(); ++task.index) {
    for (const auto tensors : {graph.reads[task], graph.writes[task]}) {
      for (const TensorId tensor : tensors) {
        if (last[tensor.at()] != task.index) visit(task, tensor);
        last[tensor.at()] = task.index;
      }
    }
  }
}

}  // namespace ooc
