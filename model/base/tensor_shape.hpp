// Shapes of one sample: channels first, without the batch ([3, 224, 224]).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "model/base/units.hpp"

namespace ooc {

struct TensorShape {
  std::vector<std::int64_t> dims;

  friend bool operator==(const TensorShape&, const TensorShape&) = default;

  /// Returns the product of the dimensions; unset if it exceeds 63 bits.
  [[nodiscard]] std::optional<std::int64_t> elements() const {
    Int128 product = 1;
    for (const std::int64_t dim : dims) {
      product *= dim;
      if (product > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    }
    return static_cast<std::int64_t>(product);
  }
  /// Returns a text such as "3x224x224"; "scalar" without dimensions.
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const std::int64_t dim : dims) text += (text.empty() ? "" : "x") + std::to_string(dim);
    return text.empty() ? "scalar" : text;
  }
};

/// Sizes of a convolution along one spatial dimension, in elements.
struct ConvolutionDim {
  std::int64_t input = 1;
  std::int64_t output = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t padding = 0;  ///< elements on both sides together
  friend bool operator==(const ConvolutionDim&, const ConvolutionDim&) = default;
};

struct ConvolutionShape {
  std::int64_t channels = 1;  ///< channels of the input
  std::int64_t filters = 1;   ///< channels of the output
  std::int64_t groups = 1;
  std::vector<ConvolutionDim> dims = {};
  friend bool operator==(const ConvolutionShape&, const ConvolutionShape&) = default;
};

/// Tasks of a convolution: forward, gradient of the input (data), gradient of the weights.
enum class ConvolutionPass { kForward, kBackwardData, kBackwardWeights };

}  // namespace ooc
