// Where the gradient of each value lies. A training graph says which buffers a task reads and writes;
// to run it one must know more: which of them is whose gradient, whether it is overwritten or added to,
// and which part of a concat's gradient belongs to which input. The rules are those by which
// the graph was built (model/graph/build_training_graph.cpp); users check the result against
// the graph's reads and writes, so that a rule that changed there makes a step spin, not go wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/graph/training_graph.hpp"

namespace ooc {

/// Sample n of the gradient begins `offset` + n x `pitch` bytes into the buffer.
struct GradientPlace {
  TensorId tensor;
  std::int64_t offset = 0;
  std::int64_t pitch = 0;
  bool known = true;  ///< false: slices that are no ranges of a sample
};

struct InputGradient {
  std::optional<GradientPlace> place;  ///< none: nobody needs it
  bool written = false;                ///< by a task of this layer; else it shares the output's
  bool added = false;                  ///< written by adding: it held something before
};

struct LayerGradients {
  std::optional<GradientPlace> output;  ///< none: a loss, or nobody reads the output
  std::vector<InputGradient> inputs;    ///< as Layer::inputs
};

/// By layer.
[[nodiscard]] std::vector<LayerGradients> find_gradient_places(const TrainingGraph& graph);

/// The tensor that a producer's value lives in.
[[nodiscard]] std::optional<TensorId> value_of(const TrainingGraph& graph,
                                               const Producer& producer);

}  // namespace ooc
