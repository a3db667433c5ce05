// Pieces in the order of their alignment, layers in the order of the file. See static_places.hpp.
#include "simulator/replay/static_places.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace ooc {
namespace {

struct Piece {
  std::int64_t* offset = nullptr;
  std::int64_t bytes = 0;
  [[nodiscard]] int alignment() const {
    constexpr int kEnough = 9;  // 512 bytes
    return std::min(kEnough, std::countr_zero(static_cast<std::uint64_t>(bytes)));
  }
};

std::int64_t state_bytes_per_parameter(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::kSgd:
      return 0;
    case Optimizer::kMomentum:
      return 4;
    case Optimizer::kAdam:
      return 8;
    case Optimizer::kAdam8:
    case Optimizer::kAdafactor:
      break;  // no device runs these
  }
  return 0;
}

}  // namespace

StaticLayout place_static_memory(const TrainingGraph& graph) {
  const Network& network = *graph.network;
  const std::int64_t element = dtype_info(network.dtype).bytes;
  const std::int64_t state = state_bytes_per_parameter(graph.optimizer);
  StaticLayout layout;
  layout.of_layer.resize(network.layers.size());
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const std::int64_t parameters = network.layers[i].model->parameters;
    if (parameters == 0) continue;
    StaticPlace& place = layout.of_layer[i];
    pieces.push_back({&place.weights, parameters * element});
    pieces.push_back({&place.gradients, parameters * element});
    if (state > 0) pieces.push_back({&place.state, parameters * state});
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.alignment() > b.alignment(); });
  for (const Piece& piece : pieces) {
    *piece.offset = layout.bytes;
    layout.bytes += piece.bytes;
  }
  return layout;
}

}  // namespace ooc
