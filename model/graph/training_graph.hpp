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
  kFarAccumulate,  ///< adds a micro-batch's gradients, by the host's processor
};

[[nodiscard]] constexpr bool is_backward(TaskKind kind) {
  return kind == TaskKind::kBackward || kind == TaskKind::kBackwardData ||
         kind == TaskKind::kBackwardWeights;
}
[[nodiscard]] constexpr bool is_far(TaskKind kind) {
  return kind == TaskKind::kFarUpdate || kind == TaskKind::kFarAccumulate;
}
/// True for tasks that a schedule adds, which are not the network's own work.
[[nodiscard]] constexpr bool is_overhead(TaskKind kind) {
  return kind == TaskKind::kCompress || kind == TaskKind::kDecompress;
}

struct Task {
  TaskKind kind = TaskKind::kForward;
  LayerId layer;
  std::int32_t copies = 0;  ///< kBackward of `add`: number of gradients to copy
  std::int32_t unit = 0;    ///< far tasks: index into `units`
  std::int32_t round = 0;   ///< kFarAccumulate: index of the micro-batch
};

enum class TensorRole {
  kInput,       ///< network input: near at the start, with a valid copy in host memory
  kActivation,  ///< layer output, shared with views and in-place layers
  kMask,        ///< mask of dropout
  kReserve,     ///< values that a layer saves for its own backward pass, beside its output
  kWeightCopy,  ///< weights of a layer, in the type of its matrix products
  kGradient,
  // Model states that move, of one or several layers (model/rewrite/state.hpp):
  kWeight,
  kWeightGradient,
  kOptimizerState,  ///< optimiser states, with the master copy
};

/// Place of a tensor at the start and at the end of an iteration.
enum class TensorHome : std::uint8_t {
  kNear,    ///< GPU memory for network inputs; nowhere for results of tasks
  kStatic,  ///< always in static GPU memory
  kFar,     ///< host memory
};

/// True for model states: weights, their gradients, optimiser states.
[[nodiscard]] constexpr bool is_state(TensorRole role) {
  return role == TensorRole::kWeight || role == TensorRole::kWeightGradient ||
         role == TensorRole::kOptimizerState;
}

enum class TensorForm {
  kWritten,     ///< as the layer wrote it
  kCompressed,  ///< float16 copy, half the bytes
  kRestored,    ///< restored from kCompressed, full size
};

struct Tensor {
  TensorRole role = TensorRole::kActivation;
  std::optional<InputId> input = {};  ///< input, for kInput
  std::optional<LayerId> layer = {};  ///< for other roles: first layer that writes the buffer
  std::int64_t bytes_per_sample = 0;
  std::int64_t bytes_fixed = 0;  ///< further bytes, whatever the batch
  bool is_sum = false;           ///< kWeightGradient: sum over micro-batches
  std::int32_t unit = 0;         ///< model states: index into `units`
  TensorForm form = TensorForm::kWritten;
  TensorHome home = TensorHome::kNear;
  /// Model states of several devices: number of equal shards, one a device, or of whole gradients, which are summed; a
  /// copy of the tensor gathers or sums them. 1: not shared.
  std::int32_t shards = 1;
  std::int64_t shard_far = 0;  ///< with shards: bytes of one shard in host memory; 0: in GPU memory
  /// Index from 1 of a part of a cut tensor (model/rewrite/parts.hpp), or of a kWeightGradient's micro-batch; 0: whole.
  std::int32_t cut = 0;
};

/// Tasks that use a tensor. All positions are task indices in execution order.
struct Lifetime {
  std::optional<TaskId> first_writer;        ///< first task that writes it; unset: network input
  std::optional<TaskId> last_writer;         ///< last task that writes it
  std::optional<TaskId> last_forward_use;    ///< last forward task that reads or writes the tensor
  std::optional<TaskId> first_backward_use;  ///< first task behind forward that uses the tensor
  std::optional<TaskId> last_use;            ///< last task that uses the tensor; unset: never used
};

enum class Accounting { kLiveness, kSharedGradients, kAllGradients, kDefineByRun };
/// True for rules of published figures, which ignore lifetimes.
[[nodiscard]] constexpr bool is_footprint(Accounting accounting) {
  return accounting == Accounting::kSharedGradients || accounting == Accounting::kAllGradients;
}

struct TrainingGraph {
  const Network* network = nullptr;  ///< must outlive the graph
  Optimizer optimizer = Optimizer::kSgd;
  std::vector<Task> tasks;
  std::size_t forward_tasks = 0;  ///< number of forward tasks, which come first
  std::size_t backward_end = 0;  ///< tasks [forward_tasks, backward_end) are backward, then updates
  std::vector<Tensor> tensors;
  Csr<TaskId, TensorId> reads;  ///< without duplicates; an in-place task also writes its tensor
  Csr<TaskId, TensorId> writes;
  std::vector<Lifetime> lifetimes;                       ///< by tensor
  std::vector<std::optional<TensorId>> output_of_layer;  ///< by layer: its activation
  /// Number of tasks and tensors of one micro-batch (model/rewrite/iteration.hpp); micro-batches follow one another. 0:
  /// no gradient accumulation. `forward_tasks` is that of the first micro-batch.
  std::size_t round_tasks = 0;
  std::size_t round_tensors = 0;
  std::vector<std::string> units = {};  ///< names of units: layers whose states move together
  ParameterBytes per_parameter = {};    ///< bytes of a parameter in the network's types
  std::int64_t weight_bytes = 0;
  std::int64_t gradient_bytes = 0;
  std::int64_t optimizer_bytes = 0;  ///< optimiser states, with the master copy
};

/// Returns a name such as "conv1_1.forward". "conv1_1.forward@2": in the second micro-batch.
[[nodiscard]] std::string task_name(const TrainingGraph& graph, TaskId task);
/// Returns a name such as "conv1_1", "drop.mask", "attention.reserve", "conv1_1.grad", "data",
/// "bucket.3.weight.grad"; "conv1_1[2]": the second part.
[[nodiscard]] std::string tensor_name(const TrainingGraph& graph, TensorId tensor);

/// True for backward-weights and fused backward tasks, also of layers without weights.
[[nodiscard]] bool writes_weight_gradient(const TrainingGraph& graph, const Task& task);

/// True for saved tensors: network inputs, and all that forward writes, if backward reads them.
[[nodiscard]] bool is_saved(const TrainingGraph& graph, TensorId tensor);
/// Returns the bytes of saved tensors without weight copies: per sample, and independent of the batch.
[[nodiscard]] std::int64_t saved_bytes_per_sample(const TrainingGraph& graph);
[[nodiscard]] std::int64_t saved_bytes_fixed(const TrainingGraph& graph);
/// Returns the bytes of weight copies that are saved tensors.
[[nodiscard]] std::int64_t saved_weight_copies(const TrainingGraph& graph);

/// True if devices exchange the tensor and its copies pass neither host memory nor its link.
[[nodiscard]] inline bool is_collective(const Tensor& tensor) {
  return tensor.shards > 1 && tensor.shard_far == 0;
}

/// Returns the bytes that one device has in host memory and copies over its link. `bytes`: size in GPU memory.
[[nodiscard]] inline Bytes host_bytes(const Tensor& tensor, Bytes bytes) {
  return tensor.shards > 1 ? Bytes(tensor.shard_far) : bytes;
}

[[nodiscard]] std::string_view accounting_name(Accounting accounting);

// GPU-memory footprints of a training graph when nothing moves, under the accounting rules of
// published figures (docs/model.md, 3).

/// Returns, by task, the bytes per sample live while the task runs: its tensors and those that
/// later tasks need. Network inputs live from the start to their last use. Workspace and static
/// bytes are not counted.
[[nodiscard]] std::vector<std::int64_t> live_bytes_per_sample(const TrainingGraph& graph);
/// Returns, by task, the live bytes that do not grow with the batch.
[[nodiscard]] std::vector<std::int64_t> live_bytes_fixed(const TrainingGraph& graph);

/// Returns bytes per sample of all dynamic tensors: the liveness peak; or all outputs and the two
/// largest gradients (kSharedGradients); or all outputs and gradients (kAllGradients).
[[nodiscard]] std::int64_t footprint_per_sample(const TrainingGraph& graph, Accounting accounting);

/// Returns the bytes of weights, their gradients and optimiser states.
[[nodiscard]] std::int64_t static_bytes(const TrainingGraph& graph);

/// Calls visit(task, tensor) once for each tensor that each task reads or writes, tasks in order.
template <class Visit>
void for_each_touch(const TrainingGraph& graph, const Visit& visit) {
  std::vector<std::int32_t> last(graph.tensors.size(), -1);
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const TaskId task = make_id<TaskId>(i);
    for (const auto tensors : {graph.reads[task], graph.writes[task]}) {
      for (const TensorId tensor : tensors) {
        if (last[tensor.at()] != task.index) visit(task, tensor);
        last[tensor.at()] = task.index;
      }
    }
  }
}

}  // namespace ooc
