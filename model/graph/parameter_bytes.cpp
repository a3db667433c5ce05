// Adam keeps two numbers a parameter, momentum one, in float32 or, where a precision halves them, in 16 bits.
// 8-bit Adam (Dettmers et al., arXiv:2110.02861) keeps two of one byte and, for every 2048 parameters, two
// float32 scales. Adafactor (Shazeer & Stern, arXiv:1804.04235, without momentum) keeps a float32 for every row
// and column of a matrix and one for every other parameter; kernels of convolutions count as the latter.
#include "model/graph/parameter_bytes.hpp"

#include <algorithm>

namespace ooc {
namespace {

constexpr std::int64_t kFloatBytes = 4;
constexpr std::int64_t kHalfBytes = 2;
constexpr std::int64_t kQuantizedBlock = 2048;

}  // namespace

/// Weights in float32 are their own master copy. State without one has the type of the weights that it belongs to, as
/// in PyTorch's optimisers.
ParameterBytes parameter_bytes(const Network& network, const ParameterTypes& types) {
  const std::int64_t element = dtype_info(network.dtype).bytes;
  ParameterBytes bytes{.weight = element, .gradient = element};
  if (network.precision) {
    const PrecisionInfo& info = precision_info(*network.precision);
    bytes = {.weight = info.weight, .gradient = info.gradient, .master = info.master};
    if (info.halves_state) bytes.state = kHalfBytes;
  }
  if (types.gradient) bytes.gradient = dtype_info(*types.gradient).bytes;
  bytes.gradient_is_said = types.gradient.has_value();
  if (types.master && bytes.weight < kFloatBytes) {
    bytes.master = *types.master ? dtype_info(**types.master).bytes : 0;
  }
  if (types.state) bytes.state = dtype_info(*types.state).bytes;
  bytes.state_as_weight = network.precision && bytes.master == 0 && !types.state;
  return bytes;
}

std::int64_t update_copies(const GradientBuffers& buffers, std::int64_t learnt,
                           std::int64_t largest) {
  const std::int64_t group = std::min(share_of_shard(learnt, buffers.state_shards), buffers.group);
  const std::int64_t floats = group * std::min(buffers.copies, kFloatBytes);
  const std::int64_t halves = group * buffers.copies - floats;
  const std::int64_t norm = share_of_shard(largest, buffers.weight_shards) * buffers.norms;
  if (!buffers.keeps_holes) return std::max(norm, halves + floats);
  std::int64_t hole = norm;
  std::int64_t reserved = norm;
  for (const std::int64_t piece : {halves, floats}) {
    if (piece <= hole) {
      hole -= piece;
    } else {
      reserved += piece;
    }
  }
  return reserved;
}

ParameterBytes bytes_of_layer(const ParameterBytes& each, std::optional<Dtype> own) {
  if (!own) return each;
  ParameterBytes bytes = each;
  bytes.weight = dtype_info(*own).bytes;
  if (!each.gradient_is_said) bytes.gradient = bytes.weight;
  if (bytes.weight >= each.master) bytes.master = 0;
  if (each.state_as_weight) bytes.state = bytes.weight;
  return bytes;
}

std::int64_t weight_bytes(const ParameterBytes& each, const LayerModel& layer) {
  return layer.storage ? stored_bytes(*layer.storage, weight_counts(layer))
                       : layer.parameters * bytes_of_layer(each, layer).weight;
}

std::int64_t state_bytes(Optimizer optimizer, const ParameterBytes& each, const LayerModel& layer) {
  if (layer.is_frozen) return 0;
  const std::int64_t number = bytes_of_layer(each, layer).state;
  const std::int64_t parameters = layer.parameters;
  switch (optimizer) {
    case Optimizer::kSgd:
      return 0;
    case Optimizer::kMomentum:
      return parameters * number;
    case Optimizer::kAdam:
      return parameters * 2 * number;
    case Optimizer::kAdam8: {
      const std::int64_t blocks = (parameters + kQuantizedBlock - 1) / kQuantizedBlock;
      return 2 * (parameters + blocks * kFloatBytes);
    }
    case Optimizer::kAdafactor: {
      const auto [rows, columns] =
          layer.is_tied ? WeightMatrix{} : layer.weight_matrix.value_or(WeightMatrix{});
      return kFloatBytes * (parameters - rows * columns + rows + columns);
    }
  }
  return 0;
}

}  // namespace ooc
