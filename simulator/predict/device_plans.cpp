// Devices with as many samples run the same plan, so there are at most two to make. Planning at the fair share
// of the link is what such devices see: they copy at the same times. The engine then shares the link as it
// is used, so a device that copies alone gets all of it.
#include "simulator/predict/device_plans.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "model/base/option_text.hpp"
#include "model/cost/transfer_cost.hpp"
#include "simulator/plan/join_devices.hpp"
#include "simulator/predict/round_costs.hpp"

namespace ooc {
namespace {

/// Of all devices together, as for rounds.
constexpr std::size_t kMostTasks = std::size_t{1} << 22;

/// A size of share, its case and its plan.
struct Share {
  std::int64_t samples;
  Case job;
  RoundsResult result;

  [[nodiscard]] const TrainingGraph& graph() const {
    return result.rounds ? result.rounds->graph : job.workload.graph;
  }
  [[nodiscard]] const CostTable& costs() const {
    return result.rounds ? result.rounds->costs : job.costs;
  }
};

Case case_of_share(const Case& which, std::int64_t samples, std::int64_t largest) {
  Case job = which;
  job.devices = 1;
  job.transfers.sharers = which.devices;
  if (samples == largest) {
    job.costs.transfers = estimate_transfers(job.costs.tensor_bytes, which.hardware, job.transfers);
  } else {
    job.costs = round_costs(job, samples);
  }
  SubBatch& sub_batch = job.schedule_options.sub_batch;
  if (sub_batch.kind == SubBatch::Kind::kSize && sub_batch.samples > samples) {
    if (samples == largest) {
      bad_value("--sub-batch", std::to_string(sub_batch.samples),
                fmt::format("a number from 1 to {}, the largest share of a device", largest));
    }
    sub_batch.samples = samples;
  }
  return job;
}

}  // namespace

void check_devices_of_batch(int devices, std::int64_t batch) {
  if (devices <= batch) return;
  bad_value("--devices", std::to_string(devices), fmt::format("at most the batch, {}", batch),
            "every device runs at least one sample");
}

DevicesResult plan_on_devices(const Case& which, const PlanShare& plan_share) {
  const std::vector<std::int64_t> samples = split_batch(which.inputs.batch, which.devices);
  std::vector<Share> shares;  // by size, the larger one first
  shares.reserve(2);
  for (const std::int64_t count : {samples.front(), samples.back()}) {
    if (!shares.empty() && shares.back().samples == count) continue;
    Case job = case_of_share(which, count, samples.front());
    RoundsResult result = plan_share(job);
    if (!std::holds_alternative<Plan>(result.plan)) return {std::move(result.plan), {}, {}};
    shares.push_back({count, std::move(job), std::move(result)});
  }
  std::vector<DeviceShare> written;
  std::vector<DevicePlan> plans;
  std::size_t tasks = 0;
  for (const std::int64_t count : samples) {
    const Share& share = shares[count == samples.front() ? 0 : 1];
    written.push_back({share.graph(), share.costs()});
    plans.push_back({std::get<Plan>(share.result.plan), share.graph(), share.costs()});
    tasks += share.graph().tasks.size();
  }
  if (tasks > kMostTasks) {
    bad_value("--devices", fmt::format("{}, which takes {} tasks", which.devices, tasks),
              fmt::format("at most {} tasks on all devices", kMostTasks),
              "give more memory or a smaller batch");
  }
  const TrainingGraph& round = which.workload.graph;
  const auto reduce_cost = [&](std::int64_t flops, std::int64_t bytes) {
    return elementwise_cost(round, which.hardware, which.compute, flops, bytes);
  };
  auto all = std::make_shared<DataParallel>(
      write_out_devices(round, written, which.inputs.batch, {.reduce_cost = reduce_cost}));
  all->costs.transfers =
      estimate_transfers(all->costs.tensor_bytes, which.hardware, which.transfers);
  Plan plan = join_devices(plans, *all, which.exchange);
  return {std::move(plan), shares.front().result.rounds, std::move(all)};
}

}  // namespace ooc
