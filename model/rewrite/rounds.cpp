// Offsets and copies: round r's task i is r x (tasks of a round) + i, its tensor x likewise; updates come
// behind all rounds. Network inputs of later rounds are other tensors than those of the first one:
// they too are clean in far memory.
#include "model/rewrite/rounds.hpp"

#include <utility>
#include <vector>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

std::optional<TaskId> shifted(const std::optional<TaskId>& task, std::int64_t by) {
  if (!task) return std::nullopt;
  return TaskId{static_cast<std::int32_t>(task->index + by)};
}

template <class Row>
void append_rows(std::vector<std::pair<TaskId, TensorId>>& pairs, const Row& rows, TaskId from,
                 TaskId to, std::int64_t first_tensor) {
  for (const TensorId tensor : rows[from]) {
    pairs.emplace_back(to, TensorId{static_cast<std::int32_t>(tensor.index + first_tensor)});
  }
}

TrainingGraph write_out_graph(const TrainingGraph& round, std::int64_t rounds) {
  TrainingGraph graph;
  graph.network = round.network;
  graph.optimizer = round.optimizer;
  graph.forward_tasks = round.forward_tasks;
  graph.round_tasks = round.backward_end;
  graph.round_tensors = round.tensors.size();
  graph.backward_end = round.backward_end * static_cast<std::size_t>(rounds);
  graph.output_of_layer = round.output_of_layer;
  graph.per_parameter = round.per_parameter;
  graph.weight_bytes = round.weight_bytes;
  graph.gradient_bytes = round.gradient_bytes;
  graph.optimizer_bytes = round.optimizer_bytes;
  std::vector<std::pair<TaskId, TensorId>> reads;
  std::vector<std::pair<TaskId, TensorId>> writes;
  for (std::int64_t r = 0; r < rounds; ++r) {
    const bool last = r + 1 == rounds;
    const auto first_tensor = static_cast<std::int64_t>(graph.tensors.size());
    const auto first_task = static_cast<std::int64_t>(graph.tasks.size());
    graph.tensors.insert(graph.tensors.end(), round.tensors.begin(), round.tensors.end());
    for (const Lifetime& life : round.lifetimes) {
      graph.lifetimes.push_back({.first_writer = shifted(life.first_writer, first_task),
                                 .last_writer = shifted(life.last_writer, first_task),
                                 .last_forward_use = shifted(life.last_forward_use, first_task),
                                 .first_backward_use = shifted(life.first_backward_use, first_task),
                                 .last_use = shifted(life.last_use, first_task)});
    }
    const std::size_t end = last ? round.tasks.size() : round.backward_end;
    for (std::size_t i = 0; i < end; ++i) {
      const TaskId to = make_id<TaskId>(graph.tasks.size());
      graph.tasks.push_back(round.tasks[i]);
      append_rows(reads, round.reads, make_id<TaskId>(i), to, first_tensor);
      append_rows(writes, round.writes, make_id<TaskId>(i), to, first_tensor);
    }
  }
  graph.reads = Csr<TaskId, TensorId>(graph.tasks.size(), reads);
  graph.writes = Csr<TaskId, TensorId>(graph.tasks.size(), writes);
  return graph;
}

void append_transfers(TransferCosts& all, const TransferCosts& round) {
  all.to_far.insert(all.to_far.end(), round.to_far.begin(), round.to_far.end());
  all.to_near.insert(all.to_near.end(), round.to_near.begin(), round.to_near.end());
  all.faults.insert(all.faults.end(), round.faults.begin(), round.faults.end());
}

CostTable write_out_costs(const TrainingGraph& round, const CostTable& full, const CostTable& last,
                          std::int64_t rounds) {
  CostTable costs;
  costs.static_bytes = full.static_bytes;
  costs.transfers = full.transfers;
  costs.transfers.to_far.clear();
  costs.transfers.to_near.clear();
  costs.transfers.faults.clear();
  for (std::int64_t r = 0; r < rounds; ++r) {
    const bool is_last = r + 1 == rounds;
    const CostTable& from = is_last ? last : full;
    const std::size_t end = is_last ? round.tasks.size() : round.backward_end;
    for (std::size_t i = 0; i < end; ++i) {
      costs.first_alternative.push_back(static_cast<std::int32_t>(costs.alternatives.size()));
      const auto ways = from.alternatives_of(make_id<TaskId>(i));
      costs.alternatives.insert(costs.alternatives.end(), ways.begin(), ways.end());
    }
    costs.tensor_bytes.insert(costs.tensor_bytes.end(), from.tensor_bytes.begin(),
                              from.tensor_bytes.end());
    append_transfers(costs.transfers, from.transfers);
  }
  costs.first_alternative.push_back(static_cast<std::int32_t>(costs.alternatives.size()));
  return costs;
}

}  // namespace

Rounds write_out_rounds(const TrainingGraph& graph, const CostTable& full, const CostTable& last,
                        std::int64_t batch) {
  const std::int64_t rounds = (batch - 1) / full.batch + 1;
  OOC_CHECK(rounds > 1 && last.batch == last_round(batch, full.batch), "the rounds are the batch");
  Rounds result{.sub_batch = full.batch,
                .count = rounds,
                .graph = write_out_graph(graph, rounds),
                .costs = write_out_costs(graph, full, last, rounds)};
  result.costs.batch = batch;
  return result;
}

TaskId task_in_round(const TrainingGraph& round, std::int64_t rounds, TaskId task, std::int64_t r) {
  const auto tasks = static_cast<std::int64_t>(round.backward_end);
  const std::int64_t before = task.index < tasks ? r : rounds - 1;  // updates come once, at the end
  return TaskId{static_cast<std::int32_t>(before * tasks + task.index)};
}

TensorId tensor_in_round(const TrainingGraph& round, TensorId tensor, std::int64_t r) {
  const auto tensors = static_cast<std::int64_t>(round.tensors.size());
  return TensorId{static_cast<std::int32_t>(r * tensors + tensor.index)};
}

}  // namespace ooc
