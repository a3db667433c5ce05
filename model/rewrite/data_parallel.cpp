// Offsets and copies, as in rounds.cpp. Of a device the forward and backward tasks come first, then a task
// for each piece of gradients, then the updates; its tensors, then four for each piece.
#include "model/rewrite/data_parallel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "model/base/errors.hpp"
#include "model/cost/transfer_cost.hpp"
#include "model/graph/graph_writer.hpp"
#include "model/rewrite/iteration.hpp"

namespace ooc {
namespace {

constexpr std::size_t kParts = 2;

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
  std::ranges::sort(found, [](const auto& a, const auto& b) { return a.ready < b.ready; });
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

class Writer {
 public:
  Writer(const TrainingGraph& round, std::span<const Iteration* const> shares,
         const GradientExchange& exchange)
      : round_(round),
        shares_(shares),
        reduce_cost_(exchange.reduce_cost),
        writer_(*shares[0]->graph) {
    Pieces cut = cut_gradients(round, shares.size(), exchange.piece);
    last_layer_ = std::move(cut.last_layer);
    of_layer_ = std::move(cut.of_layer);
    all_.parallel.pieces = std::move(cut.pieces);
  }

  Iteration run() && {
    for (const Iteration* share : shares_) add_device(*share);
    TrainingGraph& graph = writer_.graph;
    graph.device_tasks.push_back(graph.tasks.size());
    graph.device_tensors.push_back(graph.tensors.size());
    const Iteration& first = *shares_[0];
    all_.costs.static_bytes = first.costs.static_bytes;
    all_.sub_batch = first.sub_batch;
    all_.rounds = first.rounds;
    auto written = std::make_shared<TrainingGraph>(std::move(writer_).finish());
    written->forward_tasks = first.graph->forward_tasks;
    written->backward_end = first.graph->backward_end;
    all_.graph = std::move(written);
    return std::move(all_);
  }

 private:
  void add_device(const Iteration& share) {
    TrainingGraph& graph = writer_.graph;
    const TrainingGraph& own = *share.graph;
    first_task_ = graph.tasks.size();
    first_tensor_ = graph.tensors.size();
    graph.round_tasks = std::max(graph.round_tasks, own.round_tasks);
    graph.round_tensors = std::max(graph.round_tensors, own.round_tensors);
    graph.device_tasks.push_back(first_task_);
    graph.device_tensors.push_back(first_tensor_);
    all_.parallel.backward_end.push_back(own.backward_end);
    all_.parallel.share_tensors.push_back(own.tensors.size());
    all_.parallel.last_round.push_back(last_round_of(own, round_.backward_end));
    add_tensors(share);
    for (std::size_t i = 0; i < own.backward_end; ++i) add_task(share, make_id<TaskId>(i));
    add_exchange();
    for (std::size_t i = own.backward_end; i < own.tasks.size(); ++i) {
      const TaskId update = add_task(share, make_id<TaskId>(i));
      const auto [first, end] = of_layer_[graph.tasks[update.at()].layer.at()];
      for (std::size_t piece = first; piece < end; ++piece) {
        writer_.reads.emplace_back(update, exchanged(piece, ExchangePart::kGathered));
      }
    }
  }

  void add_tensors(const Iteration& share) {
    auto& bytes = all_.costs.tensor_bytes;
    auto& copied = all_.costs.copied_bytes;
    for (const Tensor& tensor : share.graph->tensors) writer_.add(tensor);
    bytes.insert(bytes.end(), share.costs.tensor_bytes.begin(), share.costs.tensor_bytes.end());
    const std::vector<Bytes>& of_copies = share.costs.link_bytes();
    copied.insert(copied.end(), of_copies.begin(), of_copies.end());
    const auto others = static_cast<std::int64_t>(shares_.size()) - 1;
    for (std::size_t piece = 0; piece < all_.parallel.pieces.size(); ++piece) {
      for (std::size_t part = 0; part < kParts; ++part) {
        writer_.add(Tensor{.role = TensorRole::kExchanged,
                           .layer = last_layer_[piece],
                           .part = static_cast<ExchangePart>(part),
                           .piece = static_cast<std::int32_t>(piece)});
        bytes.push_back(all_.parallel.pieces[piece].shard * others);
        copied.push_back(bytes.back());
      }
    }
  }

  TaskId add_task(const Iteration& share, TaskId of_share) {
    all_.costs.add_task(share.costs.alternatives_of(of_share));
    return writer_.copy(*share.graph, of_share, [&](TensorId tensor) {
      return make_id<TensorId>(first_tensor_ + tensor.at());
    });
  }

  /// What the backward pass completes, and the tasks that add up what comes.
  void add_exchange() {
    const auto devices = static_cast<std::int64_t>(shares_.size());
    for (std::size_t piece = 0; piece < all_.parallel.pieces.size(); ++piece) {
      const GradientPiece& of = all_.parallel.pieces[piece];
      const LayerModel& layer = *round_.network->layers[last_layer_[piece].at()].model;
      const std::int64_t element = bytes_of_layer(round_.per_parameter, layer).gradient;
      const TaskId ready = make_id<TaskId>(first_task_ + all_.parallel.last_round.back()[of.ready]);
      writer_.writes.emplace_back(ready, exchanged(piece, ExchangePart::kReceived));
      const TaskId reduce = writer_.add(Task{.kind = TaskKind::kReduce,
                                             .layer = last_layer_[piece],
                                             .piece = static_cast<std::int32_t>(piece)});
      writer_.reads.emplace_back(reduce, exchanged(piece, ExchangePart::kReceived));
      writer_.writes.emplace_back(reduce, exchanged(piece, ExchangePart::kGathered));
      // Reads N shards, its own and what came, and writes one.
      const std::int64_t shard = of.shard.count();
      all_.costs.add_task(
          std::array{reduce_cost_((devices - 1) * shard / element, (devices + 1) * shard)});
    }
  }

  /// On the device at hand.
  [[nodiscard]] TensorId exchanged(std::size_t piece, ExchangePart part) const {
    return make_id<TensorId>(first_tensor_ + all_.parallel.share_tensors.back() + piece * kParts +
                             static_cast<std::size_t>(part));
  }

  const TrainingGraph& round_;
  std::span<const Iteration* const> shares_;
  const ReduceCost& reduce_cost_;
  GraphWriter writer_;
  Iteration all_;
  std::vector<LayerId> last_layer_;
  std::vector<std::pair<std::size_t, std::size_t>> of_layer_;
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

Iteration write_out_devices(const TrainingGraph& round, std::span<const Iteration* const> shares,
                            std::int64_t batch, const GradientExchange& exchange) {
  OOC_CHECK(shares.size() > 1, "one device exchanges nothing");
  Iteration all = Writer(round, shares, exchange).run();
  all.costs.batch = batch;
  return all;
}

Duration exchange_time(const Iteration& all, std::size_t piece) {
  Duration sum;
  for (const ExchangePart part : {ExchangePart::kReceived, ExchangePart::kGathered}) {
    sum += all.costs.transfers.to_near[exchanged_tensor(all, 0, piece, part).at()].alone;
  }
  return sum;
}

void slow_beside_exchange(const PeerLink& peers, Iteration& all) {
  const std::vector<GradientPiece>& pieces = all.parallel.pieces;
  for (std::size_t device = 0; device < all.parallel.last_round.size(); ++device) {
    const std::vector<std::size_t>& round = all.parallel.last_round[device];
    Duration waiting;  // copies of pieces that are complete
    for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
      waiting += exchange_time(all, piece);
      const std::size_t end =
          piece + 1 < pieces.size() ? pieces[piece + 1].ready + 1 : round.size();
      std::vector<TaskId> beside;
      Duration computes;
      for (std::size_t task = pieces[piece].ready + 1; task < end; ++task) {
        beside.push_back(task_on_device(all, device, make_id<TaskId>(round[task])));
        computes += all.costs[all.costs.default_alternative(beside.back())].time;
      }
      const double longer = slowdown_beside(peers, waiting, computes);
      for (const TaskId task : beside) lengthen(all.costs, task, longer);
      const auto passed = std::llround(static_cast<double>(computes.count()) * longer);
      waiting = std::max(Duration(0), waiting - Duration(passed));
    }
  }
}

TaskId task_on_device(const Iteration& all, std::size_t device, TaskId of_share) {
  const bool update = of_share.at() >= all.parallel.backward_end[device];
  return make_id<TaskId>(all.graph->device_tasks[device] + of_share.at() +
                         (update ? all.parallel.pieces.size() : 0));
}

TensorId tensor_on_device(const Iteration& all, std::size_t device, TensorId of_share) {
  return make_id<TensorId>(all.graph->device_tensors[device] + of_share.at());
}

TaskId reduce_task(const Iteration& all, std::size_t device, std::size_t piece) {
  return make_id<TaskId>(all.graph->device_tasks[device] + all.parallel.backward_end[device] +
                         piece);
}

TensorId exchanged_tensor(const Iteration& all, std::size_t device, std::size_t piece,
                          ExchangePart part) {
  return make_id<TensorId>(all.graph->device_tensors[device] + all.parallel.share_tensors[device] +
                           piece * kParts + static_cast<std::size_t>(part));
}

}  // namespace ooc
