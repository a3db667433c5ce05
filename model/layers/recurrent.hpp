// Common code of lstm and gru: attributes, unrolling over time, matrix product of the gates.
//
//   { "type": "lstm", "units": 650, "layers": 2, "bidirectional": false, "bias_vectors": 2 }
//
// on [steps, features], giving [steps, units], or [steps, 2 units] in both directions. Time steps
// are unrolled (docs/notebook/0003): layer 0 all steps, then layer 1, ...; in two directions all steps
// forward, then all backward. Per step and direction there is one task for the product
//
//   gates(4H) = [x(F), h'(H)] W(F + H, G H) + biases      G = 4 in an lstm, 3 in a gru
//
// with the activations in its epilogue, and one or two element-wise tasks; a part is called "<layer>/<step>/<what>",
// in two directions "<layer>/forward/<step>/<what>". At the end the outputs of all steps are copied into one tensor.
//
// Parameters: G H (F + H + bias_vectors) for each layer and direction, F of a later layer being H or 2H. cuDNN and
// PyTorch have two bias vectors (the default), TensorFlow's and Keras's LSTM one. They belong to the step that runs
// first. MACs: G H (F + H) a step, F and H products apart from each other or not: cuDNN runs the F part of all steps
// of a layer as one product (Appleyard, Kocisky & Blunsom, arXiv:1604.01946), TensorFlow's cells one [x, h] product a
// step, as here. The FLOPs are the same; the weights are read once a step, so small batches are limited by memory.
//
// Where it is wrong: initial states are zeros that nobody stores, but the products with them are counted (frameworks
// run them); where x is the network's data, the product for its gradient is counted though nobody needs it; the
// gradients of the weights are summed up in place, a read and a write of dW for every step but the first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/layers/layer_kind.hpp"
#include "model/layers/parts.hpp"

namespace ooc {

/// Time step to add.
struct CellPlace {
  std::string prefix;         ///< begin of the names of its parts, such as "0/3/"
  std::vector<PartInput> x;   ///< input: one tensor, or two above a bidirectional layer
  std::int64_t features = 0;  ///< features of x, all tensors together
  std::int64_t steps = 1;     ///< number of time steps of its layer
  bool is_first = false;      ///< true: the first step of its direction that runs in forward
  bool is_last = false;       ///< true: the last step of its direction that runs in forward
};

/// Parts whose outputs the next step reads.
struct CellState {
  PartId hidden;  ///< part that writes h
  PartId cell;    ///< lstm: part that writes c; gru: as `hidden`
};

/// Returns `inputs`, followed by member `state` of the step before. `before` unset: no such step.
[[nodiscard]] inline std::vector<PartInput> behind(std::vector<PartInput> inputs,
                                                   const std::optional<CellState>& before,
                                                   PartId CellState::*state) {
  if (before) inputs.emplace_back((*before).*state);
  return inputs;
}

struct RecurrentCell {
  const SpecView& spec;
  const LayerInputs& inputs;
  std::int64_t units = 1;
  std::int64_t bias_vectors = 2;
};

struct RecurrentKind {
  std::int64_t tasks_per_step = 2;  ///< number of parts that add_step adds
  /// Adds the parts of one step and returns its state. `before`: state of the step before; unset at the first.
  CellState (*add_step)(const RecurrentCell& cell, const CellPlace& place,
                        const std::optional<CellState>& before, PartList& parts);
};

[[nodiscard]] LayerModel read_recurrent(const SpecView& spec, const LayerInputs& inputs,
                                        const RecurrentKind& kind);

struct GateTraits {
  std::int64_t products = 4;          ///< G, number of gates
  std::int64_t activation_flops = 0;  ///< FLOPs per unit, all gates together
};

/// Returns the part of the gates: a matrix product and activations. Reads x and h', writes 4 H numbers, also for a gru.
[[nodiscard]] LayerModel make_gates(const RecurrentCell& cell, const CellPlace& place,
                                    const GateTraits& traits);

/// Work of an element-wise part of a step, per unit: FLOPs, and elements read and written.
struct PointwiseTraits {
  std::int64_t products = 4;  ///< G, number of gates of the step
  std::int64_t forward_flops = 0;
  std::int64_t forward_moved = 0;
  std::int64_t backward_flops = 0;
  std::int64_t backward_moved = 0;
};

/// Returns an element-wise part of one step, which writes `units` elements and saves its inputs.
[[nodiscard]] LayerModel make_pointwise(const RecurrentCell& cell, const CellPlace& place,
                                        const PointwiseTraits& traits);

}  // namespace ooc
