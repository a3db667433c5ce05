// Data-parallel iteration on several devices. Each runs its share of the batch; then they sum the
// weight gradients, and each updates its own weights. The result is one training graph, as for
// gradient accumulation (rounds.hpp): tasks and tensors device by device, and the tasks of the
// exchange between a device's backward pass and its updates (docs/notebook/0008-devices.md). So
// checks, engine, plan text and traces need not know of devices.
//
// The exchange is a reduce-scatter and an all-gather over the one link, through host memory.
// Gradients, in the order in which backward completes them, are cut into pieces; each device owns a
// shard of 1/N of every piece. A device sends its sums for the shards of others (kSent), fetches
// their sums for its own shard (kReceived), adds them up (TaskKind::kReduce), sends its shard
// (kReduced) and fetches the others' (kGathered). Two devices each send and fetch half of their
// gradients, twice: as much as if they swapped them.
//
// Where it is wrong: devices that reach each other without the host (peer to peer over a switch,
// NVLink) need half the crossings or none. Buffers for fetched pieces are not counted; they belong
// to the profile's reserve.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

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

struct DataParallel {
  std::vector<GradientPiece> pieces;
  TrainingGraph graph;
  CostTable costs;                        ///< costs of the whole batch, without transfers
  std::vector<std::size_t> backward_end;  ///< by device: end of its backward tasks
  /// By device and task of a micro-batch: index of that task in the device's last micro-batch. A
  /// share may have tasks that the network has not (is_overhead).
  std::vector<std::vector<std::size_t>> last_round;
  std::vector<std::size_t> share_tensors;  ///< by device: number of tensors that are not exchanged

  [[nodiscard]] int devices() const { return static_cast<int>(backward_end.size()); }
  /// Bytes fetched to GPU memory, over all devices and pieces. The exchange moves most in this
  /// direction.
  [[nodiscard]] Bytes fetched_bytes() const;
};

/// Iteration of one device, with or without gradient accumulation.
struct DeviceShare {
  const TrainingGraph& graph;
  const CostTable& costs;
};

/// Returns the cost of a sum; `bytes` are read and written.
using ReduceCost = std::function<TaskAlternative(std::int64_t flops, std::int64_t bytes)>;

struct GradientExchange {
  ReduceCost reduce_cost;
  Bytes piece = kGradientPiece;
};

/// `round`: graph of the network of which all shares are made. `batch`: of all devices.
[[nodiscard]] DataParallel write_out_devices(const TrainingGraph& round,
                                             std::span<const DeviceShare> shares,
                                             std::int64_t batch, const GradientExchange& exchange);

// Tasks and tensors of one device:
[[nodiscard]] TaskId task_on_device(const DataParallel& all, std::size_t device, TaskId of_share);
[[nodiscard]] TensorId tensor_on_device(const DataParallel& all, std::size_t device,
                                        TensorId of_share);
[[nodiscard]] TaskId reduce_task(const DataParallel& all, std::size_t device, std::size_t piece);
[[nodiscard]] TensorId exchanged_tensor(const DataParallel& all, std::size_t device,
                                        std::size_t piece, ExchangePart part);

}  // namespace ooc
