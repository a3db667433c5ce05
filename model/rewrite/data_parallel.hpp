// An iteration on several devices, data parallel: each runs its share of the batch, then they add up the
// gradients of the weights, and each updates its own copy of them. The tasks and tensors of every device are written out
// one device after another, and between a device's backward pass and its updates the tasks of the exchange
// (docs/notebook/0008-devices.md).
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

#include <algorithm>
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

/// What devices exchange, of an iteration that is written out for several.
struct DataParallel {
  std::vector<GradientPiece> pieces = {};
  std::vector<std::size_t> backward_end = {};  ///< by device: its forward and backward tasks
  /// By device and task of a round: that task of its last round, among its own. (A share may hold tasks that
  /// the network has not: is_overhead.)
  std::vector<std::vector<std::size_t>> last_round = {};
  std::vector<std::size_t> share_tensors = {};  ///< by device: its tensors that are not exchanged

  [[nodiscard]] int count() const { return std::max(1, static_cast<int>(backward_end.size())); }
  /// Of all devices and pieces together, in either direction of the all-gather: to near memory, where the
  /// exchange moves most.
  [[nodiscard]] Bytes fetched_bytes() const;
};

/// What adding up takes: FLOPs, bytes read and written.
using ReduceCost = std::function<TaskAlternative(std::int64_t flops, std::int64_t bytes)>;

struct GradientExchange {
  ReduceCost reduce_cost;
  Bytes piece = kGradientPiece;
};

struct Iteration;  // iteration.hpp

/// The iteration that consists of `shares`, by device, without transfers. `round` is the graph of the network that all
/// shares are made of. `batch` is that of all devices.
[[nodiscard]] Iteration write_out_devices(const TrainingGraph& round,
                                          std::span<const Iteration* const> shares,
                                          std::int64_t batch, const GradientExchange& exchange);

// Where the things of a device stand.
[[nodiscard]] TaskId task_on_device(const Iteration& all, std::size_t device, TaskId of_share);
[[nodiscard]] TensorId tensor_on_device(const Iteration& all, std::size_t device,
                                        TensorId of_share);
[[nodiscard]] TaskId reduce_task(const Iteration& all, std::size_t device, std::size_t piece);
[[nodiscard]] TensorId exchanged_tensor(const Iteration& all, std::size_t device, std::size_t piece,
                                        ExchangePart part);

}  // namespace ooc
