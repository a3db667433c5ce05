// Which layers share a buffer: views alias their input, in-place layers overwrite it. The first of
// the two halves of building a training graph (build_training_graph.cpp).
#pragma once

#include <optional>
#include <vector>

#include "model/graph/build_training_graph.hpp"

namespace ooc {

/// The forward tensors of a network: inputs, one per buffer that layers write, masks and reserves.
struct Buffers {
  std::vector<Tensor> tensors;
  std::vector<TensorId> of_input;                    ///< by InputId
  std::vector<std::optional<TensorId>> of_layer;     ///< by LayerId
  std::vector<std::optional<TensorId>> mask;         ///< by LayerId
  std::vector<std::optional<TensorId>> reserve;      ///< by LayerId
  std::vector<std::optional<TensorId>> weight_copy;  ///< by LayerId; a group of layers may have one
  std::vector<bool> in_place;                        ///< by LayerId: overwrites its input
  std::vector<bool> needs_gradient;                  ///< by LayerId: has a backward pass
};

[[nodiscard]] Buffers assign_buffers(const Network& network, const GraphOptions& options);

/// What a layer's backward tasks read of the forward pass: what its kind needs, in the form that the framework
/// keeps. Bytes are those of tensors that forward writes for it.
struct Kept {
  bool inputs = false;
  bool output = false;
  std::int64_t mask_bytes = 0;
  std::int64_t reserve_bytes = 0;
  std::int64_t reserve_fixed = 0;
};
enum class RunsIn { kOwnBuffer, kPlace };
/// Whether the layer has no task and no memory of its own. An average pool to the size of its input is a view where
/// nothing of it is kept, and an operation like others where its input is.
[[nodiscard]] bool is_view(const LayerModel& layer, const Keeping& keeping);
[[nodiscard]] Kept kept_of(const LayerModel& layer, const Keeping& keeping, RunsIn where);

/// The tensor that a producer's value lives in.
[[nodiscard]] TensorId tensor_of(const Buffers& buffers, const Producer& producer);
/// False for network inputs and for layers with nothing to learn before them.
[[nodiscard]] bool needs_gradient(const Buffers& buffers, const Producer& producer);

}  // namespace ooc
