// An iteration on several devices, data parallel: each runs its share of the batch, then they add up the
// gradients of the weights, and each updates its own copy of them. Like an iteration in rounds
// (rounds.hpp) it is written out as one training graph: the tasks and tensors of every device one device
// after another, and between a device's backward pass and its updates the tasks of the exchange
// (docs/notebook/0008-devices.md). So checks, engine, plan text and traces need not know of it.
//
// The exchange is a reduce-scatter and an all-gather over the one link there is, through far memory. The
// gradients, laid one behind another in the order in which the backward pass completes them, are cut into
// pieces; of every piece each device owns a shard of 1/N. A device sends what it found for the shards of the
// others (kSent), fetches what they found for its own (kReceived), adds them up (TaskKind::kReduce), sends its
// shard (kReduced) and fetches theirs (kGathered). Two devices: each sends half of its gradients and fetches
// half, twice, which is as much as if they swapped them.
//
// Where it is wrong: devices that reach each other without the host (peer to peer over a switch, NVLink) need
// half the crossings or none; and the buffers that pieces are fetched into are not counted, they belong to
// what a profile reserves.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

/// The default bucket of PyTorch's DistributedDataParallel (bucket_cap_mb = 25): large enough that
/// latency is nothing, small enough that one piece's way out overlaps with another's way in.
inline constexpr Bytes kGradientPiece{std::int64_t{25} << 20};

/// Samples of each device: as equal as can be, the first ones get one more. Precondition: devices <=
/// batch.
[[nodiscard]] std::vector<std::int64_t> split_batch(std::int64_t batch, int devices);

struct GradientPiece {
  Bytes shard;            ///< of each device; the last one may be padded
  std::size_t ready = 0;  ///< by place in a round: the task that completes it
};

struct DataParallel {
  std::vector<GradientPiece> pieces;
  TrainingGraph graph;
  CostTable costs;  ///< without transfers, which are estimated for all its tensors; whole batch
  std::vector<std::size_t> backward_end;  ///< by device: its forward and backward tasks
  /// By device and task of a round: that task of its last round, among its own. (A share may hold tasks that
  /// the network has not: is_overhead.)
  std::vector<std::vector<std::size_t>> last_round;
  std::vector<std::size_t> share_tensors;  ///< by device: its tensors that are not exchanged

  [[nodiscard]] int devices() const { return static_cast<int>(backward_end.size()); }
  /// Of all devices and pieces together, in either direction of the all-gather: to near memory, where the
  /// exchange moves most.
  [[nodiscard]] Bytes fetched_bytes() const;
};

/// One device's iteration, in rounds or not.
struct DeviceShare {
  const TrainingGraph& graph;
  const CostTable& costs;
};

/// What adding up takes: FLOPs, bytes read and written.
using ReduceCost = std::function<TaskAlternative(std::int64_t flops, std::int64_t bytes)>;

struct GradientExchange {
  ReduceCost reduce_cost;
  Bytes piece = kGradientPiece;
};

/// `round` is the graph of the network that all shares are made of. `batch` is that of all devices.
[[nodiscard]] DataParallel write_out_devices(const TrainingGraph& round,
                                             std::span<const DeviceShare> shares,
                                             std::int64_t batch, const GradientExchange& exchange);

// Where the things of a device stand.
[[nodiscard]] TaskId task_on_device(const DataParallel& all, std::size_t device, TaskId of_share);
[[nodiscard]] TensorId tensor_on_device(const DataParallel& all, std::size_t device,
                                        TensorId of_share);
[[nodiscard]] TaskId reduce_task(const DataParallel& all, std::size_t device, std::size_t piece);
[[nodiscard]] TensorId exchanged_tensor(const DataParallel& all, std::size_t device,
                                        std::size_t piece, ExchangePart part);

}  // namespace ooc
