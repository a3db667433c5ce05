// Buffers that layers share: views alias their input, in-place layers overwrite it. First half of
// building a training graph (build_training_graph.cpp).
#pragma once

#include <optional>
#include <vector>

#include "model/graph/build_training_graph.hpp"

namespace ooc {

/// Tensors of the forward pass: inputs, buffers that layers write, masks, reserves, weight copies (TensorRole).
struct Buffers {
  std::vector<Tensor> tensors;
  std::vector<TensorId> of_input;                    ///< by InputId
  std::vector<std::optional<TensorId>> of_layer;     ///< by LayerId
  std::vector<std::optional<TensorId>> mask;         ///< by LayerId
  std::vector<std::optional<TensorId>> reserve;      ///< by LayerId
  std::vector<std::optional<TensorId>> weight_copy;  ///< by LayerId; a group may share one
  std::vector<bool> in_place;        ///< by LayerId: true if the layer overwrites its input
  std::vector<bool> needs_gradient;  ///< by LayerId: true if the layer has a backward pass
};

[[nodiscard]] Buffers assign_buffers(const Network& network, const GraphOptions& options);

/// Forward data that backward tasks of a layer read, by layer kind and framework. Bytes are those of extra
/// tensors that forward writes, per sample (reserve_fixed: independent of the batch).
struct Kept {
  bool inputs = false;
  bool output = false;
  std::int64_t mask_bytes = 0;
  std::int64_t reserve_bytes = 0;
  std::int64_t reserve_fixed = 0;
};
enum class RunsIn { kOwnBuffer, kPlace };
/// True if the layer has no task and no memory of its own. An average pool to the size of its input
/// is a view, unless the framework saves its input.
[[nodiscard]] bool is_view(const LayerModel& layer, const Keeping& keeping);
[[nodiscard]] Kept kept_of(const LayerModel& layer, const Keeping& keeping, RunsIn where);

/// Returns the tensor that holds the producer's value.
[[nodiscard]] TensorId tensor_of(const Buffers& buffers, const Producer& producer);
/// True if the producer is a layer with a backward pass (Buffers::needs_gradient).
[[nodiscard]] bool needs_gradient(const Buffers& buffers, const Producer& producer);

}  // namespace ooc
