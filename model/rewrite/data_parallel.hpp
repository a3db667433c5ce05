// An iteration on several devices, data parallel: each runs its share of the batch, then they sum
// the gradients of the weights, and each updates its own copy of them. The new graph has the tasks
// and tensors of one device after another; tasks of the exchange stand between a device's backward
// pass and its updates (docs/notebook/0008-devices.md).
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
#include <span>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

/// Default bucket of PyTorch's DistributedDataParallel (bucket_cap_mb = 25). Large enough that
/// latency hardly counts, small enough that one piece goes out while another comes in.
inline constexpr Bytes kGradientPiece{std::int64_t{25} << 20};

/// Returns the samples of each device, as equal as possible; the first devices get one more.
/// Precondition: devices <= batch.
[[nodiscard]] std::vector<std::int64_t> split_batch(std::int64_t batch, int devices);

struct GradientPiece {
  Bytes shard;            ///< bytes a device; the last may be padded
  std::size_t ready = 0;  ///< index in a micro-batch of the task that completes the piece
};

/// Exchange of gradients in an iteration on several devices.
struct DataParallel {
  std::vector<GradientPiece> pieces = {};
  std::vector<std::size_t> backward_end = {};  ///< by device: end of its forward and backward tasks
  /// By device and task of a micro-batch: that task in the device's last micro-batch. A device may
  /// have further tasks that are not the network's (is_overhead).
  std::vector<std::vector<std::size_t>> last_round = {};
  std::vector<std::size_t> share_tensors = {};  ///< by device: its tensors, without exchanged ones
};

/// Cost of summing gradients, from its FLOPs and the bytes read and written.
using ReduceCost = std::function<TaskAlternative(std::int64_t flops, std::int64_t bytes)>;

struct GradientExchange {
  ReduceCost reduce_cost;
  Bytes piece = kGradientPiece;
};

struct Iteration;  // iteration.hpp

/// Returns the iteration on all devices, without transfers. `shares`: iteration of each device.
/// `round`: the network's graph, of which all shares are made. `batch`: of all devices.
[[nodiscard]] Iteration write_out_devices(const TrainingGraph& round,
                                          std::span<const Iteration* const> shares,
                                          std::int64_t batch, const GradientExchange& exchange);

/// Returns how long a device fetches the piece, its sums and the others' shards.
[[nodiscard]] Duration exchange_time(const Iteration& all, std::size_t piece);
/// Makes tasks longer beside which gradient pieces are exchanged within the backward pass: those between a piece's
/// completion and the next one's, and as many more as its copies take.
void slow_beside_exchange(const PeerLink& peers, Iteration& all);

// Ids in the iteration on all devices. `of_share`: id in the device's share.
[[nodiscard]] TaskId task_on_device(const Iteration& all, std::size_t device, TaskId of_share);
[[nodiscard]] TensorId tensor_on_device(const Iteration& all, std::size_t device,
                                        TensorId of_share);
[[nodiscard]] TaskId reduce_task(const Iteration& all, std::size_t device, std::size_t piece);
[[nodiscard]] TensorId exchanged_tensor(const Iteration& all, std::size_t device, std::size_t piece,
                                        ExchangePart part);

}  // namespace ooc
