// Forward and backward tasks come first, then a task for each piece of gradients, then the updates. Tensors of the share
// come first, then two for each piece.
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

Pieces cut_gradients(const TrainingGraph& round, int devices, Bytes piece) {
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
      result.pieces.push_back(
          {.shard = Bytes((to - from + devices - 1) / devices), .ready = gradient.ready});
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
  Writer(const TrainingGraph& round, std::shared_ptr<const Iteration> share,
         const GradientExchange& exchange)
      : round_(round), exchange_(exchange), writer_(*share->graph) {
    Pieces cut = cut_gradients(round, exchange.devices, exchange.piece);
    last_layer_ = std::move(cut.last_layer);
    of_layer_ = std::move(cut.of_layer);
    all_.parallel = {.pieces = std::move(cut.pieces),
                     .last_round = last_round_of(*share->graph, round.backward_end)};
    all_.share = std::move(share);
  }

  Iteration run() && {
    const Iteration& share = *all_.share;
    const TrainingGraph& own = *share.graph;
    all_.costs.batch = share.costs.batch;
    all_.costs.static_bytes = share.costs.static_bytes;
    all_.sub_batch = share.sub_batch;
    all_.rounds = share.rounds;
    add_tensors(share);
    for (std::size_t i = 0; i < own.backward_end; ++i) add_task(share, make_id<TaskId>(i));
    add_exchange();
    for (std::size_t i = own.backward_end; i < own.tasks.size(); ++i) {
      const TaskId update = add_task(share, make_id<TaskId>(i));
      const auto [first, end] = of_layer_[own.tasks[i].layer.at()];
      for (std::size_t piece = first; piece < end; ++piece) {
        writer_.reads.emplace_back(update, exchanged_tensor(all_, piece, ExchangePart::kGathered));
      }
    }
    auto written = std::make_shared<TrainingGraph>(std::move(writer_).finish());
    written->round_tasks = own.round_tasks;
    written->round_tensors = own.round_tensors;
    written->forward_tasks = own.forward_tasks;
    written->backward_end = own.backward_end;
    all_.graph = std::move(written);
    return std::move(all_);
  }

 private:
  void add_tensors(const Iteration& share) {
    auto& bytes = all_.costs.tensor_bytes = share.costs.tensor_bytes;
    auto& copied = all_.costs.copied_bytes = share.costs.link_bytes();
    for (const Tensor& tensor : share.graph->tensors) writer_.add(tensor);
    for (std::size_t piece = 0; piece < all_.parallel.pieces.size(); ++piece) {
      for (std::size_t part = 0; part < kParts; ++part) {
        writer_.add(Tensor{.role = TensorRole::kExchanged,
                           .layer = last_layer_[piece],
                           .part = static_cast<ExchangePart>(part),
                           .piece = static_cast<std::int32_t>(piece)});
        bytes.push_back(all_.parallel.pieces[piece].shard * (exchange_.devices - 1));
        copied.push_back(bytes.back());
      }
    }
  }

  TaskId add_task(const Iteration& share, TaskId task) {
    all_.costs.add_task(share.costs.alternatives_of(task));
    return writer_.copy(*share.graph, task, [](TensorId tensor) { return tensor; });
  }

  /// What the backward pass completes, and the tasks that add up what comes.
  void add_exchange() {
    const std::int64_t devices = exchange_.devices;
    for (std::size_t piece = 0; piece < all_.parallel.pieces.size(); ++piece) {
      const GradientPiece& of = all_.parallel.pieces[piece];
      const LayerModel& layer = *round_.network->layers[last_layer_[piece].at()].model;
      const std::int64_t element = bytes_of_layer(round_.per_parameter, layer).gradient;
      const TensorId received = exchanged_tensor(all_, piece, ExchangePart::kReceived);
      writer_.writes.emplace_back(make_id<TaskId>(all_.parallel.last_round[of.ready]), received);
      const TaskId reduce = writer_.add(Task{.kind = TaskKind::kReduce,
                                             .layer = last_layer_[piece],
                                             .piece = static_cast<std::int32_t>(piece)});
      writer_.reads.emplace_back(reduce, received);
      writer_.writes.emplace_back(reduce, exchanged_tensor(all_, piece, ExchangePart::kGathered));
      // Reads N shards, its own and what came, and writes one.
      const std::int64_t shard = of.shard.count();
      all_.costs.add_task(std::array{
          exchange_.reduce_cost((devices - 1) * shard / element, (devices + 1) * shard)});
    }
  }

  const TrainingGraph& round_;
  const GradientExchange& exchange_;
  GraphWriter writer_;
  Iteration all_;
  std::vector<LayerId> last_layer_;
  std::vector<std::pair<std::size_t, std::size_t>> of_layer_;
};

}  // namespace

Iteration write_out_exchange(const TrainingGraph& round, std::shared_ptr<const Iteration> share,
                             const GradientExchange& exchange) {
  OOC_CHECK(exchange.devices > 1, "one device exchanges nothing");
  return Writer(round, std::move(share), exchange).run();
}

Duration exchange_time(const Iteration& all, std::size_t piece) {
  Duration sum;
  for (const ExchangePart part : {ExchangePart::kReceived, ExchangePart::kGathered}) {
    sum += all.costs.transfers.to_near[exchanged_tensor(all, piece, part).at()].alone;
  }
  return sum;
}

void slow_beside_exchange(const PeerLink& peers, Iteration& all) {
  const std::vector<GradientPiece>& pieces = all.parallel.pieces;
  const std::vector<std::size_t>& round = all.parallel.last_round;
  Duration waiting;  // copies of pieces that are complete
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    waiting += exchange_time(all, piece);
    const std::size_t end = piece + 1 < pieces.size() ? pieces[piece + 1].ready + 1 : round.size();
    std::vector<TaskId> beside;
    Duration computes;
    for (std::size_t task = pieces[piece].ready + 1; task < end; ++task) {
      beside.push_back(make_id<TaskId>(round[task]));
      computes += all.costs[all.costs.default_alternative(beside.back())].time;
    }
    const double longer = slowdown_beside(peers, waiting, computes);
    for (const TaskId task : beside) lengthen(all.costs, task, longer);
    const auto passed = std::llround(static_cast<double>(computes.count()) * longer);
    waiting = std::max(Duration(0), waiting - Duration(passed));
  }
}

TaskId task_beside_exchange(const Iteration& all, TaskId of_share) {
  const bool update = of_share.at() >= all.share->graph->backward_end;
  return make_id<TaskId>(of_share.at() + (update ? all.parallel.pieces.size() : 0));
}

TaskId reduce_task(const Iteration& all, std::size_t piece) {
  return make_id<TaskId>(all.share->graph->backward_end + piece);
}

TensorId exchanged_tensor(const Iteration& all, std::size_t piece, ExchangePart part) {
  return make_id<TensorId>(all.share->graph->tensors.size() + piece * kParts +
                           static_cast<std::size_t>(part));
}

}  // namespace ooc
