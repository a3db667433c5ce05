// The kernels are priced as element-wise tasks of the network are, copies as all others of the case.
#include "simulator/predict/compressed_plan.hpp"

#include "model/base/option_text.hpp"
#include "model/cost/compute_cost.hpp"
#include "model/cost/transfer_cost.hpp"
#include "simulator/schedules/lms_compress.hpp"

namespace ooc {

void check_compression(const SubBatch& sub_batch) {
  if (sub_batch.kind != SubBatch::Kind::kOff) {
    bad_value("--lms-action", "compression in sub-batches", "--sub-batch off, or --lms-action swap",
              "rounds are planned on the network's own graph");
  }
}

RoundsResult plan_compressed(const Case& which, const PlanningProblem& problem) {
  const auto elementwise = [&](std::int64_t flops, std::int64_t bytes) {
    return elementwise_cost(problem.graph, which.hardware, which.compute, flops, bytes);
  };
  const auto costs_of = [&](const Compression& compression) {
    CostTable costs = compressed_costs(compression, problem.costs, elementwise);
    costs.transfers = estimate_transfers(costs.tensor_bytes, which.hardware, which.transfers);
    return costs;
  };
  return plan_with_compression({.problem = problem, .costs_of = costs_of});
}

}  // namespace ooc
