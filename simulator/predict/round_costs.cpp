// Times that the user states (custom layers but those per sample, --layer-times) are those of the whole batch: a round
// takes its share of them, which is optimistic where small batches use the machine less well.
#include "simulator/predict/round_costs.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "model/base/option_text.hpp"
#include "model/cost/compute_cost.hpp"
#include "model/cost/transfer_cost.hpp"

namespace ooc {

CostTable round_costs(const Case& which, std::int64_t batch) {
  const TrainingGraph& graph = which.workload.graph;
  ComputeOptions compute = which.compute;
  compute.batch = batch;
  CostTable costs = estimate_compute(graph, which.hardware, compute);
  costs.transfers = estimate_transfers(costs.tensor_bytes, which.hardware, which.transfers);
  std::vector<bool> stated(graph.network->layers.size());
  for (const LayerTime& time : compute.layer_times) stated[time.layer.at()] = true;
  for (std::size_t i = 0; i < graph.backward_end; ++i) {
    const LayerId layer = graph.tasks[i].layer;
    const auto& custom = graph.network->layers[layer.at()].model->custom;
    const bool for_batch = custom && custom->per == CustomCost::Per::kBatch;
    if (!stated[layer.at()] && !for_batch) continue;
    const AlternativeId way = costs.default_alternative(make_id<TaskId>(i));
    const Int128 time = Int128{costs[way].time.count()} * batch;
    costs.alternatives[way.at()].time =
        Duration(static_cast<std::int64_t>((time + which.inputs.batch - 1) / which.inputs.batch));
  }
  return costs;
}

SubBatch sub_batch_of(Accounting accounting, const ScheduleOptions& options,
                      const Schedule& schedule) {
  const SubBatch asked = options.sub_batch;
  const bool lifetimes =
      accounting == Accounting::kLiveness || accounting == Accounting::kDefineByRun;
  if (!lifetimes) return {.kind = SubBatch::Kind::kOff};
  if (asked.kind != SubBatch::Kind::kUsual) return asked;
  return {.kind = schedule.is(Trait::kSubBatches) ? SubBatch::Kind::kAuto : SubBatch::Kind::kOff};
}

SubBatch sub_batch_of(const Case& which, const Schedule& schedule) {
  const SubBatch asked = sub_batch_of(which.accounting, which.schedule_options, schedule);
  if (asked.kind != SubBatch::Kind::kCount) return asked;
  const std::int64_t batch = which.costs.batch;
  const std::int64_t samples = (batch - 1) / asked.count + 1;
  const std::int64_t rounds = (batch - 1) / samples + 1;
  if (rounds == asked.count) return {.kind = SubBatch::Kind::kSize, .samples = samples};
  const std::string expected =
      asked.count > batch
          ? fmt::format("at most the batch, {}", batch)
          : fmt::format("a divisor of the batch: rounds of {} of its {} samples are {}", samples,
                        batch, rounds);
  bad_value("--accumulate", std::to_string(asked.count), expected,
            "--batch is all samples of an iteration");
}

}  // namespace ooc
