// Builds the TrainingGraph of a Network. docs/model.md, 3 gives the rules.
#pragma once

#include <optional>
#include <vector>

#include "model/base/precision.hpp"
#include "model/graph/keeping.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

struct GraphOptions {
  /// Rule for the memory of tensors. Only kDefineByRun changes the graph: tensors live as long as eager frameworks hold
  /// them. The other rules select a footprint of the same graph (footprint_per_sample()).
  Accounting accounting = Accounting::kLiveness;
  std::optional<Optimizer> optimizer = {};  ///< unset: the network's; sgd if it has none
  /// Tensors that a framework saves. Leave the defaults with kDefineByRun, which has rules of its own.
  Keeping keeping = {};
  ParameterTypes types = {};

  bool operator==(const GraphOptions&) const = default;
};

/// Returns the graph, which `network` must outlive. Throws SpecError if a layer with "in_place": true
/// cannot run in place, and for a master copy if weights are in float32.
[[nodiscard]] TrainingGraph build_training_graph(const Network& network,
                                                 const GraphOptions& options = {});

// Buffers that layers share: views alias their input, in-place layers overwrite it. First half of
// building a training graph.

/// Tensors of the forward pass (TensorRole), and which of them each input and layer has. Unset: the layer has none.
struct Buffers {
  std::vector<Tensor> tensors;
  std::vector<TensorId> of_input;                    ///< by InputId: tensor of the network input
  std::vector<std::optional<TensorId>> of_layer;     ///< by LayerId: its output, always set
  std::vector<std::optional<TensorId>> mask;         ///< by LayerId: TensorRole::kMask
  std::vector<std::optional<TensorId>> reserve;      ///< by LayerId: TensorRole::kReserve
  std::vector<std::optional<TensorId>> weight_copy;  ///< by LayerId: a block may share one
  std::vector<bool> in_place;        ///< by LayerId: true if the layer overwrites its input
  std::vector<bool> needs_gradient;  ///< by LayerId: true if the layer has a backward pass
};

[[nodiscard]] Buffers assign_buffers(const Network& network, const GraphOptions& options);

/// Forward data that backward tasks of a layer read, by kind of layer and framework.
struct Kept {
  bool inputs = false;             ///< true: inputs of the layer
  bool output = false;             ///< true: output of the layer
  std::int64_t mask_bytes = 0;     ///< bytes per sample of the mask; 0: none
  std::int64_t reserve_bytes = 0;  ///< bytes per sample of the reserve (TensorRole::kReserve)
  std::int64_t reserve_fixed = 0;  ///< further bytes of the reserve, whatever the batch
};
enum class RunsIn { kOwnBuffer, kPlace };
/// True if the layer has no task and no memory of its own. An average pool that leaves the size of its input is a view,
/// unless the framework saves inputs of average pools.
[[nodiscard]] bool is_view(const LayerModel& layer, const Keeping& keeping);
[[nodiscard]] Kept kept_of(const LayerModel& layer, const Keeping& keeping, RunsIn where);

/// Returns the tensor in which the value of a network input or layer is.
[[nodiscard]] TensorId tensor_of(const Buffers& buffers, const Producer& producer);
/// True if the producer is a layer with a backward pass (Buffers::needs_gradient); false for network inputs.
[[nodiscard]] bool needs_gradient(const Buffers& buffers, const Producer& producer);

}  // namespace ooc
