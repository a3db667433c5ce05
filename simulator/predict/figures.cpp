// Tokens: the paper counts 6 N + 12 L H Q T FLOPs a token, half of the latter with a causal mask. Here N is what
// products multiply by (a head that is tied counts, a table that is looked up does not), and the pairs of
// a causal mask are T (T + 1) / 2.
#include "simulator/predict/figures.hpp"

#include "simulator/predict/paged_plan.hpp"
#include "simulator/summary/equations.hpp"

namespace ooc {
namespace {

/// Of one sample, forward and backward, as the model has them. Weights that are frozen have no gradient.
double unmasked_flops(const Network& network) {
  double flops = 0;
  for (const Layer& layer : network.layers) {
    const auto macs = static_cast<double>(layer.model->forward_macs - layer.model->masked_macs);
    flops += (layer.model->is_frozen ? 4 : 6) * macs;
  }
  return flops;
}

}  // namespace

std::optional<SequenceRates> sequence_rates(const Case& which, const RunReport& report) {
  const Network& network = *which.workload.network;
  const std::optional<std::int64_t> steps = symbol_of(network, "seq");
  if (!steps || !report.feasible || report.iteration_time.count() == 0) return std::nullopt;
  const double seconds = static_cast<double>(report.iteration_time.count()) / 1e9;
  SequenceRates rates;
  const auto batch = static_cast<double>(which.inputs.batch);
  rates.tokens = batch * static_cast<double>(*steps);
  rates.tokens_per_s = rates.tokens / seconds;
  rates.model_flops = batch * unmasked_flops(network);
  const Dtype type =
      network.precision ? precision_info(*network.precision).products : network.dtype;
  const auto peak = which.hardware.peak.find(type);
  if (peak == which.hardware.peak.end()) return rates;
  rates.peak = peak->second;
  rates.mfu = rates.model_flops / (seconds * peak->second.per_second * which.devices);
  return rates;
}

Equations run_equations(const Case& which, const Schedule& schedule, const CaseRun& run) {
  if (which.moving) return {.unfit = "they are about activations, and here state moves"};
  TransferOptions transfers = which.transfers;
  const std::string mode = transfer_mode(schedule, std::string(copy_mode_name(transfers.mode)));
  transfers.mode = copy_mode_named(mode).value_or(transfers.mode);
  return equations_of({.form = schedule.closed_form,
                       .graph = *run.about(which).graph,
                       .costs = run.about(which).costs,
                       .plan = std::get<Plan>(run.plan),
                       .timeline = std::get<Timeline>(*run.outcome),
                       .rounds = run.about(which).rounds,
                       .budget = which.budget,
                       .rates = swap_in_rates(which.hardware, transfers)});
}

}  // namespace ooc
