// One layer read from its JSON text, as the network reader would read it.
#pragma once

#include "model/layers/layer_kind.hpp"
#include "tests/support/test.hpp"

namespace ooc {

/// `text` is the layer's object, with "type"; unknown keys are refused.
[[nodiscard]] LayerModel read_layer(const std::string& text, const std::vector<TensorShape>& inputs,
                                    Dtype dtype = Dtype::kFloat32);
/// Returns the text of the SpecError; empty: read without error.
[[nodiscard]] std::string layer_error(const std::string& text,
                                      const std::vector<TensorShape>& inputs);

/// flops per sample, bytes per sample, bytes once.
[[nodiscard]] std::vector<std::int64_t> counts(const TaskWork& work);

}  // namespace ooc
