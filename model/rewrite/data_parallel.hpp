// An iteration on several devices, data parallel: each runs its share of the batch, then they sum
// the gradients of the weights, and each updates its own copy of them (docs/notebook/0008-devices.md).
// The graph is one device's, the one with the most samples: the others do the same, or wait for it. Tasks of the
// exchange stand between its backward pass and its updates.
//
// The exchange is a reduce-scatter and an all-gather over the devices' own links (peers_of()).
// Gradients, in the order in which backward completes them, are cut into pieces; each device owns a
// shard of 1/N of every piece. A device fetches the others' sums for its shard (kReceived), adds them up
// (TaskKind::kReduce) and fetches the others' shards (kGathered). It sends as much at the same times: one copy stands
// for both directions. Two devices each fetch half of their gradients, twice: as much as if they swapped them.
//
// Where it is wrong: buffers for fetched pieces are not counted; they belong to the profile's reserve.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

/// Default bucket of PyTorch's DistributedDataParallel (bucket_cap_mb = 25). Large enough that
/// latency hardly counts, small enough that one piece goes out while another comes in.
inline constexpr Bytes kGradientPiece{std::int64_t{25} << 20};

/// Returns the largest share of a batch that is split as evenly as possible.
[[nodiscard]] constexpr std::int64_t largest_share(std::int64_t batch, int devices) {
  return (batch + devices - 1) / devices;
}

struct GradientPiece {
  Bytes shard;            ///< bytes a device; the last may be padded
  std::size_t ready = 0;  ///< index in a micro-batch of the task that completes the piece
};

/// Exchange of gradients in an iteration on several devices.
struct DataParallel {
  std::vector<GradientPiece> pieces = {};
  /// By task of a micro-batch: that task in the last micro-batch. There may be further tasks that are not the network's
  /// (is_overhead).
  std::vector<std::size_t> last_round = {};
};

/// Cost of summing gradients, from its FLOPs and the bytes read and written.
using ReduceCost = std::function<TaskAlternative(std::int64_t flops, std::int64_t bytes)>;

struct GradientExchange {
  int devices = 2;
  ReduceCost reduce_cost;
  Bytes piece = kGradientPiece;
};

struct Iteration;  // iteration.hpp

/// Returns the share with the exchange, without transfers. `share`: the device's iteration, which becomes
/// Iteration::share. `round`: the network's graph, of which the share is made.
[[nodiscard]] Iteration write_out_exchange(const TrainingGraph& round,
                                           std::shared_ptr<const Iteration> share,
                                           const GradientExchange& exchange);

/// Returns how long a device fetches the piece, its sums and the others' shards.
[[nodiscard]] Duration exchange_time(const Iteration& all, std::size_t piece);
/// Makes tasks longer beside which gradient pieces are exchanged within the backward pass: those between a piece's
/// completion and the next one's, and as many more as its copies take.
void slow_beside_exchange(const PeerLink& peers, Iteration& all);

// Ids in the iteration with the exchange. Tensors of the share, and its tasks before the updates, keep theirs.
[[nodiscard]] TaskId task_beside_exchange(const Iteration& all, TaskId of_share);
[[nodiscard]] TaskId reduce_task(const Iteration& all, std::size_t piece);
[[nodiscard]] TensorId exchanged_tensor(const Iteration& all, std::size_t piece, ExchangePart part);

}  // namespace ooc
