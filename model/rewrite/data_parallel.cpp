// Offsets and copies, as in rounds.cpp. Of a device the forward and backward tasks come first, then a task
// for each piece of gradients, then the updates; its tensors, then four for each piece.
#include "model/rewrite/data_parallel.hpp"

#include <algorithm>
#include <utility>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

constexpr std::size_t kParts = 4;

/// Weights of a layer, and the task that completes their gradient.
struct LayerGradient {
  LayerId layer;
  std::size_t ready = 0;
  std::int64_t bytes = 0;
};

/// In the order in which the backward pass completes them.
std::vector<LayerGradient> gradients_of(const TrainingGraph& round) {
  const auto& layers = round.network->layers;
  std::vector<std::size_t> ready(layers.size());
  for (std::size_t i = round.forward_tasks; i < round.backward_end; ++i) {
    if (round.tasks[i].kind != TaskKind::kBackwardData) ready[round.tasks[i].layer.at()] = i;
  }
  std::vector<LayerGradient> found;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::int64_t parameters = layers[i].model->parameters;
    if (parameters == 0 || layers[i].model->is_frozen || ready[i] == 0) continue;
    const ParameterBytes each = bytes_of_layer(round.per_parameter, *layers[i].model);
    found.push_back({make_id<LayerId>(i), ready[i], parameters * each.gradient});
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.ready < b.ready; });
  return found;
}

/// The pieces, and which of them hold a part of each layer's gradient: [first, end).
struct Pieces {
  std::vector<GradientPiece> pieces;
  std::vector<LayerId> last_layer;  ///< by piece: whose gradient completes it
  std::vector<std::pair<std::size_t, std::size_t>> of_layer;
};

Pieces cut_gradients(const TrainingGraph& round, std::size_t devices, Bytes piece) {
  const std::int64_t size = piece.count();
  Pieces result;
  result.of_layer.resize(round.network->layers.size());
  std::int64_t total = 0;
  for (const LayerGradient& gradient : gradients_of(round)) total += gradient.bytes;
  std::int64_t end = 0;
  for (const LayerGradient& gradient : gradients_of(round)) {
    const std::int64_t begin = end;
    end += gradient.bytes;
    result.of_layer[gradient.layer.at()] = {static_cast<std::size_t>(begin / size),
                                            static_cast<std::size_t>((end - 1) / size + 1)};
    // All pieces that end within this layer's gradient, the last one with it.
    while (static_cast<std::int64_t>(result.pieces.size()) * size < end) {
      const std::int64_t from = static_cast<std::int64_t>(result.pieces.size()) * size;
      const std::int64_t to = std::min(from + size, total);
      if (to > end) break;
      const auto sharers = static_cast<std::int64_t>(devices);
      result.pieces.push_back(
          {.shard = Bytes((to - from + sharers - 1) / sharers), .ready = gradient.ready});
      result.last_layer.push_back(gradient.layer);
    }
  }
  return result;
}

/// By task of a round, that of the share's last round.
std::vector<std::size_t> last_round_of(const TrainingGraph& share, std::size_t round_tasks) {
  std::vector<std::size_t> tasks(round_tasks);
  for (std::size_t i = share.backward_end, left = round_tasks; left > 0;) {
    if (!is_overhead(share.tasks[--i].kind)) tasks[--left] = i;
  }
  return tasks;
}

using Touches = std::vector<std::pair<TaskId, TensorId>>;

class Writer {
 public:
  Writer(const TrainingGraph& round, std::span<const DeviceShare> shares,
         const GradientExchange& exchange)
      : round_(round), shares_(shares), reduce_cost_(exchange.reduce_cost) {
    Pieces cut = cut_gradients(round, shares.size(), exchange.piece);
    last_layer_ = std::move(cut.last_layer);
    of_layer_ = std::move(cut.of_layer);
    all_.pieces = std::move(cut.pieces);
  }

  DataParallel run() {
    TrainingGraph& graph = all_.graph;
    const TrainingGraph& first = shares_[0].graph;
    graph.network = first.network;
    graph.optimizer = first.optimizer;
    graph.forward_tasks = first.forward_tasks;
    graph.backward_end = first.backward_end;
    graph.output_of_layer = first.output_of_layer;
    graph.per_parameter = first.per_parameter;
    graph.weight_bytes = first.weight_bytes;
    graph.gradient_bytes = first.gradient_bytes;
    graph.optimizer_bytes = first.optimizer_bytes;
    for (const DeviceShare& share : shares_) {
      graph.round_tasks = std::max(graph.round_tasks, share.graph.round_tasks);
      graph.round_tensors = std::max(graph.round_tensors, share.graph.round_tensors);
      add_device(share);
    }
    graph.device_tasks.push_back(graph.tasks.size());
    graph.device_tensors.push_back(graph.tensors.size());
    all_.costs.first_alternative.push_back(
        static_cast<std::int32_t>(all_.costs.alternatives.size()));
    all_.costs.static_bytes = shares_[0].costs.static_bytes;
    graph.reads = Csr<TaskId, TensorId>(graph.tasks.size(), reads_);
    graph.writes = Csr<TaskId, TensorId>(graph.tasks.size(), writes_);
    graph.sources = sources();
    return std::move(all_);
  }

 private:
  void add_device(const DeviceShare& share) {
    TrainingGraph& graph = all_.graph;
    first_task_ = graph.tasks.size();
    first_tensor_ = graph.tensors.size();
    graph.device_tasks.push_back(first_task_);
    graph.device_tensors.push_back(first_tensor_);
    all_.backward_end.push_back(share.graph.backward_end);
    all_.share_tensors.push_back(share.graph.tensors.size());
    all_.last_round.push_back(last_round_of(share.graph, round_.backward_end));
    add_tensors(share);
    for (std::size_t i = 0; i < share.graph.backward_end; ++i) add_task(share, make_id<TaskId>(i));
    add_exchange();
    for (std::size_t i = share.graph.backward_end; i < share.graph.tasks.size(); ++i) {
      const TaskId update = add_task(share, make_id<TaskId>(i));
      const auto [first, end] = of_layer_[graph.tasks[update.at()].layer.at()];
      for (std::size_t piece = first; piece < end; ++piece) {
        reads_.emplace_back(update, exchanged(piece, ExchangePart::kReduced));
        reads_.emplace_back(update, exchanged(piece, ExchangePart::kGathered));
      }
    }
  }

  [[nodiscard]] std::optional<TaskId> moved(const std::optional<TaskId>& task) const {
    if (!task) return std::nullopt;
    return make_id<TaskId>(first_task_ + task->at());
  }

  void add_tensors(const DeviceShare& share) {
    TrainingGraph& graph = all_.graph;
    graph.tensors.insert(graph.tensors.end(), share.graph.tensors.begin(),
                         share.graph.tensors.end());
    auto& bytes = all_.costs.tensor_bytes;
    bytes.insert(bytes.end(), share.costs.tensor_bytes.begin(), share.costs.tensor_bytes.end());
    for (const Lifetime& life : share.graph.lifetimes) {
      graph.lifetimes.push_back({.first_writer = moved(life.first_writer),
                                 .last_writer = moved(life.last_writer),
                                 .last_forward_use = moved(life.last_forward_use),
                                 .first_backward_use = moved(life.first_backward_use),
                                 .last_use = moved(life.last_use)});
    }
    const auto others = static_cast<std::int64_t>(shares_.size()) - 1;
    for (std::size_t piece = 0; piece < all_.pieces.size(); ++piece) {
      for (std::size_t part = 0; part < kParts; ++part) {
        const auto which = static_cast<ExchangePart>(part);
        graph.tensors.push_back({.role = TensorRole::kExchanged,
                                 .input = {},
                                 .layer = last_layer_[piece],
                                 .part = which,
                                 .piece = static_cast<std::int32_t>(piece)});
        graph.lifetimes.push_back({});
        const Bytes shard = all_.pieces[piece].shard;
        bytes.push_back(which == ExchangePart::kReduced ? shard : shard * others);
      }
    }
  }

  TaskId add_task(const DeviceShare& share, TaskId of_share) {
    const TaskId task = make_id<TaskId>(all_.graph.tasks.size());
    all_.graph.tasks.push_back(share.graph.tasks[of_share.at()]);
    all_.costs.first_alternative.push_back(
        static_cast<std::int32_t>(all_.costs.alternatives.size()));
    const auto ways = share.costs.alternatives_of(of_share);
    all_.costs.alternatives.insert(all_.costs.alternatives.end(), ways.begin(), ways.end());
    const auto touch = [&](Touches& all, const auto& row) {
      for (const TensorId tensor : row) {
        all.emplace_back(task, make_id<TensorId>(first_tensor_ + tensor.at()));
      }
    };
    touch(reads_, share.graph.reads[of_share]);
    touch(writes_, share.graph.writes[of_share]);
    return task;
  }

  /// What the backward pass sends, and the tasks that add up what comes.
  void add_exchange() {
    const auto devices = static_cast<std::int64_t>(shares_.size());
    for (std::size_t piece = 0; piece < all_.pieces.size(); ++piece) {
      const std::int64_t shard = all_.pieces[piece].shard.count();
      const LayerModel& layer = *round_.network->layers[last_layer_[piece].at()].model;
      const std::int64_t element = bytes_of_layer(round_.per_parameter, layer).gradient;
      const TaskId ready =
          make_id<TaskId>(first_task_ + all_.last_round.back()[all_.pieces[piece].ready]);
      writes_.emplace_back(ready, exchanged(piece, ExchangePart::kSent));
      const TaskId reduce = make_id<TaskId>(all_.graph.tasks.size());
      all_.graph.tasks.push_back({.kind = TaskKind::kReduce,
                                  .layer = last_layer_[piece],
                                  .piece = static_cast<std::int32_t>(piece)});
      reads_.emplace_back(reduce, exchanged(piece, ExchangePart::kReceived));
      writes_.emplace_back(reduce, exchanged(piece, ExchangePart::kReduced));
      all_.costs.first_alternative.push_back(
          static_cast<std::int32_t>(all_.costs.alternatives.size()));
      // Reads N shards, its own and what came, and writes one.
      all_.costs.alternatives.push_back(
          reduce_cost_((devices - 1) * shard / element, (devices + 1) * shard));
    }
  }

  [[nodiscard]] TensorId exchanged(std::size_t piece, ExchangePart part) const {
    return make_id<TensorId>(first_tensor_ + all_.share_tensors.back() + piece * kParts +
                             static_cast<std::size_t>(part));
  }

  [[nodiscard]] Csr<TensorId, TensorId> sources() const {
    std::vector<std::pair<TensorId, TensorId>> pairs;
    for (std::size_t to = 0; to < shares_.size(); ++to) {
      for (std::size_t from = 0; from < shares_.size(); ++from) {
        if (from == to) continue;
        for (std::size_t piece = 0; piece < all_.pieces.size(); ++piece) {
          pairs.emplace_back(exchanged_tensor(all_, to, piece, ExchangePart::kReceived),
                             exchanged_tensor(all_, from, piece, ExchangePart::kSent));
          pairs.emplace_back(exchanged_tensor(all_, to, piece, ExchangePart::kGathered),
                             exchanged_tensor(all_, from, piece, ExchangePart::kReduced));
        }
      }
    }
    return {all_.graph.tensors.size(), pairs};
  }

  const TrainingGraph& round_;
  std::span<const DeviceShare> shares_;
  const ReduceCost& reduce_cost_;
  DataParallel all_;
  std::vector<LayerId> last_layer_;
  std::vector<std::pair<std::size_t, std::size_t>> of_layer_;
  Touches reads_;
  Touches writes_;
  std::size_t first_task_ = 0;    ///< of the device at hand
  std::size_t first_tensor_ = 0;  ///< likewise
};

}  // namespace

std::vector<std::int64_t> split_batch(std::int64_t batch, int devices) {
  OOC_CHECK(devices >= 1 && devices <= batch, "every device gets a sample");
  std::vector<std::int64_t> shares(static_cast<std::size_t>(devices), batch / devices);
  for (std::int64_t i = 0; i < batch % devices; ++i) ++shares[static_cast<std::size_t>(i)];
  return shares;
}

Bytes DataParallel::fetched_bytes() const {
  const std::int64_t count = devices();
  Bytes sum;
  for (const GradientPiece& piece : pieces) sum += piece.shard * (2 * (count - 1) * count);
  return sum;
}

DataParallel write_out_devices(const TrainingGraph& round, std::span<const DeviceShare> shares,
                               std::int64_t batch, const GradientExchange& exchange) {
  OOC_CHECK(shares.size() > 1, "one device exchanges nothing");
  DataParallel all = Writer(round, shares, exchange).run();
  all.costs.batch = batch;
  return all;
}

TaskId task_on_device(const DataParallel& all, std::size_t device, TaskId of_share) {
  const bool update = of_share.at() >= all.backward_end[device];
  return make_id<TaskId>(all.graph.device_tasks[device] + of_share.at() +
                         (update ? all.pieces.size() : 0));
}

TensorId tensor_on_device(const DataParallel& all, std::size_t device, TensorId of_share) {
  return make_id<TensorId>(all.graph.device_tensors[device] + of_share.at());
}

TaskId reduce_task(const DataParallel& all, std::size_t device, std::size_t piece) {
  return make_id<TaskId>(all.graph.device_tasks[device] + all.backward_end[device] + piece);
}

TensorId exchanged_tensor(const DataParallel& all, std::size_t device, std::size_t piece,
                          ExchangePart part) {
  return make_id<TensorId>(all.graph.device_tensors[device] + all.share_tensors[device] +
                           piece * kParts + static_cast<std::size_t>(part));
}

}  // namespace ooc
