// The task and data-flow graph of one training iteration (moDNN, Fig. 1): forward, backward and
// update tasks in the order they run, and the tensors they hand to each other. Independent of the
// batch: sizes are per sample. Aliases are resolved here once: a tensor is a buffer, so views,
// in-place activations, gradients handed on by `add` and slices of a concat's gradient are the same
// tensor.
//
// Order of tasks: forward in topological order (ties by place in the file); backward exactly
// reversed, per layer backward-data, then backward-weights; updates last, in layer order.
// Weights, their gradients and optimiser state are static: they are no tensors here, but for what moves of
// them (model/rewrite/state.hpp).
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
  kBackward,  ///< fused: data and parameter gradients
  kBackwardData,
  kBackwardWeights,
  kUpdate,
  kReduce,         ///< adds up what other devices found for a piece of the weights' gradients
  kCompress,       ///< writes a tensor in half its bytes (model/rewrite/compression.hpp)
  kDecompress,     ///< and from that the tensor again
  kFarUpdate,      ///< an update that the processor at far memory runs (model/rewrite/state.hpp)
  kFarAccumulate,  ///< it adds a round's gradients to those before
};

[[nodiscard]] constexpr bool is_far(TaskKind kind) {
  return kind == TaskKind::kFarUpdate || kind == TaskKind::kFarAccumulate;
}
/// Tasks that no network has: their time is none of its work.
[[nodiscard]] constexpr bool is_overhead(TaskKind kind) {
  return kind == TaskKind::kCompress || kind == TaskKind::kDecompress;
}

struct Task {
  TaskKind kind = TaskKind::kForward;
  LayerId layer;
  std::int32_t copies = 0;  ///< kBackward of `add`: how many gradients it really copies
  std::int32_t piece = 0;   ///< kReduce: which piece; of far ones: which of `units`
  std::int32_t round = 0;   ///< kFarAccumulate: whose gradients
};

enum class TensorRole {
  kInput,       ///< of the network: resident at the start, clean in far memory
  kActivation,  ///< output of a layer (shared with its views and in-place followers)
  kMask,        ///< dropout's
  kReserve,     ///< what a layer keeps for its own backward pass beside its output (attention)
  kWeightCopy,  ///< a layer's weights in the type that its products multiply in
  kGradient,
  kExchanged,  ///< a part of the weights' gradients that devices exchange: static memory, always near
  // Of one or several layers' parameters, where they move (model/rewrite/state.hpp):
  kWeight,
  kWeightGradient,
  kOptimizerState,  ///< with the master copy
};

/// Where a tensor is when an iteration begins, and again when it ends.
enum class TensorHome : std::uint8_t {
  kNear,  ///< in a block of near memory, where it is anywhere: what an iteration writes, and its inputs
  kStatic,  ///< in near memory that is no block: always
  kFar,     ///< in far memory
};

/// What is left of an iteration: parts of weights, gradients and the optimiser's state.
[[nodiscard]] constexpr bool is_state(TensorRole role) {
  return role == TensorRole::kWeight || role == TensorRole::kWeightGradient ||
         role == TensorRole::kOptimizerState;
}

enum class TensorForm {
  kWritten,     ///< as the layer wrote it
  kCompressed,  ///< in half its bytes
  kRestored,    ///< from that, in all of them
};

/// What an exchanged tensor is of a piece of the weights' gradients, seen from one device.
enum class ExchangePart {
  kSent,      ///< its sums for the shards of the others
  kReceived,  ///< the sums of the others for its own shard
  kReduced,   ///< its own shard, added up; of state: all rounds' gradients
  kGathered,  ///< the others' shards, added up
};

struct Tensor {
  TensorRole role = TensorRole::kActivation;
  std::optional<InputId> input;  ///< kInput
  std::optional<LayerId> layer;  ///< of all others: whose (first) output it belongs to
  std::int64_t bytes_per_sample = 0;
  std::int64_t bytes_fixed = 0;             ///< beside them, whatever the batch
  ExchangePart part = ExchangePart::kSent;  ///< kExchanged, kWeightGradient
  std::int32_t piece = 0;                   ///< kExchanged: which piece; of state: which of `units`
  TensorForm form = TensorForm::kWritten;
  TensorHome home = TensorHome::kNear;
  std::int32_t cut =
      0;  ///< which part of one that was cut (model/rewrite/parts.hpp), from 1; of kWeightGradient: whose
          ///< round's, from 1; 0: whole
};

/// When a tensor is touched. All positions are task indices in execution order.
struct Lifetime {
  std::optional<TaskId> first_writer;      ///< none for network inputs
  std::optional<TaskId> last_writer;       ///< forward value: an in-place layer is the last writer
  std::optional<TaskId> last_forward_use;  ///< last forward task that reads or writes it
  std::optional<TaskId> first_backward_use;  ///< first backward task that reads or writes it
  std::optional<TaskId> last_use;            ///< of all; none: never touched
};

enum class Accounting { kLiveness, kSharedGradients, kAllGradients, kDefineByRun };

struct TrainingGraph {
  const Network* network = nullptr;  ///< must outlive the graph
  Optimizer optimizer = Optimizer::kSgd;
  std::vector<Task> tasks;
  std::size_t forward_tasks = 0;  ///< tasks [0, forward_tasks) are forward
  std::size_t backward_end = 0;  ///< tasks [forward_tasks, backward_end) are backward, then updates
  std::vector<Tensor> tensors;
  Csr<TaskId, TensorId>
      reads;  ///< without duplicates; an in-place task reads and writes its tensor
  Csr<TaskId, TensorId> writes;
  std::vector<Lifetime> lifetimes;                       ///< by tensor
  std::vector<std::optional<TensorId>> output_of_layer;  ///< activation tensor, through aliases
  /// An iteration in several rounds (model/rewrite/rounds.hpp): the tasks and tensors of one round, all of
  /// which follow one another; 0 where there is one round. `forward_tasks` is then the first one's.
  std::size_t round_tasks = 0;
  std::size_t round_tensors = 0;
  /// An iteration on several devices (model/rewrite/data_parallel.hpp): where the tasks and tensors of each
  /// begin, and the end of the last one's; empty for one device. `forward_tasks` and `backward_end` are
  /// then the first one's.
  std::vector<std::size_t> device_tasks = {};
  std::vector<std::size_t> device_tensors = {};
  /// By tensor: of which tensors of other devices its contents come. No rows for one device.
  Csr<TensorId, TensorId> sources = {};
  std::vector<std::string> units = {};  ///< names of the layers whose state moves together
  ParameterBytes per_parameter = {};    ///< but for the optimiser's state
  std::int64_t weight_bytes = 0;
  std::int64_t gradient_bytes = 0;
  std::int64_t optimizer_bytes = 0;  ///< its state and, where there is one, the master copy
};

/// "conv1_1.forward", "conv1_1.backward_data", ...; "conv1_1.forward@2" in the second of several
/// rounds; "conv1_1.forward#1" on the second of several devices; "gradients.3.reduce".
[[nodiscard]] std::string task_name(const TrainingGraph& graph, TaskId task);
/// "conv1_1", "drop.mask", "attention.reserve", "conv1_1.grad", "data"; "gradients.3.sent"; "conv1_1[2]": the
/// second part.
[[nodiscard]] std::string tensor_name(const TrainingGraph& graph, TensorId tensor);

/// Whose it is; 0 for one device.
[[nodiscard]] std::size_t device_of(const TrainingGraph& graph, TaskId task);
[[nodiscard]] std::size_t device_of(const TrainingGraph& graph, TensorId tensor);

/// A task of the layer that completes what it adds to its weights' gradient.
[[nodiscard]] bool writes_weight_gradient(const TrainingGraph& graph, const Task& task);

/// True where backward reads what forward wrote (or a network input): the saved set.
[[nodiscard]] bool is_saved(const TrainingGraph& graph, TensorId tensor);
/// Sum of the saved set's bytes per sample, and of those that do not grow with the batch; copies of weights apart.
[[nodiscard]] std::int64_t saved_bytes_per_sample(const TrainingGraph& graph);
[[nodiscard]] std::int64_t saved_bytes_fixed(const TrainingGraph& graph);
/// Of those copies of weights that are in the saved set.
[[nodiscard]] std::int64_t saved_weight_copies(const TrainingGraph& graph);

[[nodiscard]] std::string_view accounting_name(Accounting accounting);

}  // namespace ooc
