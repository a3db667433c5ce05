// Offsets and copies: round r's task i is r x (tasks of a round) + i, its tensor x likewise; updates come behind all
// rounds. Network inputs of later rounds are other tensors than those of the first one: they too are clean in far memory.
#include "model/rewrite/iteration.hpp"

#include <vector>

#include "model/base/errors.hpp"
#include "model/graph/graph_writer.hpp"

namespace ooc {
namespace {

template <class Item>
void append(std::vector<Item>& all, const std::vector<Item>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

Iteration write_out_rounds(const TrainingGraph& graph, const CostTable& full, const CostTable& last,
                           std::int64_t batch) {
  const std::int64_t rounds = (batch - 1) / full.batch + 1;
  OOC_CHECK(rounds > 1 && last.batch == last_round(batch, full.batch), "the rounds are the batch");
  GraphWriter writer(graph);
  CostTable costs;
  costs.batch = batch;
  costs.static_bytes = full.static_bytes;
  TransferCosts& transfers = costs.transfers = full.transfers;
  for (auto* rows : {&transfers.to_far, &transfers.to_near, &transfers.faults}) rows->clear();
  for (std::int64_t r = 0; r < rounds; ++r) {
    const bool is_last = r + 1 == rounds;
    const CostTable& from = is_last ? last : full;
    append(writer.graph.tensors, graph.tensors);
    append(costs.tensor_bytes, from.tensor_bytes);
    append(costs.copied_bytes, from.copied_bytes);
    append(transfers.to_far, from.transfers.to_far);
    append(transfers.to_near, from.transfers.to_near);
    append(transfers.faults, from.transfers.faults);
    for (std::size_t i = 0; i < (is_last ? graph.tasks.size() : graph.backward_end); ++i) {
      const TaskId task = make_id<TaskId>(i);
      writer.copy(graph, task, [&](TensorId tensor) { return tensor_in_round(graph, tensor, r); });
      costs.add_task(from.alternatives_of(task));
    }
  }
  writer.graph.round_tasks = graph.backward_end;
  writer.graph.round_tensors = graph.tensors.size();
  return {.graph = std::make_shared<const TrainingGraph>(std::move(writer).finish()),
          .costs = std::move(costs),
          .sub_batch = full.batch,
          .rounds = rounds};
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
