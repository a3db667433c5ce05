#include "simulator/predict/job_kind.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ooc {
namespace {

std::string_view what_moves(const Case& which, const Schedule& schedule, bool copies) {
  if (which.inputs.devices > 1) return "several devices";
  if (which.moving) {
    const StateOptions& state = which.moving->options;
    if (state.weights) return "weights streamed";
    return state.update == UpdateAt::kFar ? "states far, updated there" : "states far, updated near";
  }
  if (!schedule.is(Trait::kMovesNothing) && copies) return "activations to the host";
  return schedule.is(Trait::kRecomputes) ? "recomputation" : "in core";
}

std::string_view family(const Network& network) {
  for (const Layer& layer : network.layers) {
    if (layer.kind != nullptr && layer.kind->name == "attention") return "transformers";
  }
  return symbol_of(network, "seq") ? "recurrent networks" : "convolutional networks";
}

std::string_view precision_class(const Network& network) {
  const Dtype products =
      network.precision ? precision_info(*network.precision).products : network.dtype;
  switch (products) {
    case Dtype::kTf32:
      return "tf32";
    case Dtype::kFloat8:
      return "8 bits";
    default:
      return dtype_info(products).bytes == 2 ? "16 bits" : "float32";
  }
}

}  // namespace

std::string job_kind(const Case& which, const Schedule& schedule, bool copies) {
  const Network& network = *which.workload.network;
  const auto& kernels = which.hardware.kernels;
  return fmt::format("{}, {}, {}, on {}", what_moves(which, schedule, copies), family(network),
                     precision_class(network), kernels ? kernels->architecture->name : "others");
}

MeasuredErrors errors_of_kind(const std::vector<MeasuredErrors>& table, std::string_view kind) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& each) { return each.kind == kind; });
  const std::size_t machine = kind.rfind(", on ");
  const bool is_narrowest = machine != std::string_view::npos;
  constexpr std::int64_t kEnough = 3;  // one or two say less of a machine than the others' do
  if (found != table.end() && (!is_narrowest || found->figures >= kEnough)) return *found;
  if (!is_narrowest) return {.kind = std::string(kind)};
  return errors_of_kind(table, kind.substr(0, machine));
}

}  // namespace ooc
