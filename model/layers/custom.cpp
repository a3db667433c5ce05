// A layer that states its own costs, for measured or abstract layers:
//
//   { "type": "custom", "output_shape": [250000000], "forward_time": "50 ms",
//     "backward_time": "100 ms", "parameters": 0, "workspace": "0 B", "saves": "output",
//     "per": "batch" }
//
// The times are the whole task: no launch is added, there is one backward task and no update. With
// "per": "batch" (the default) they are for the file's "batch", and only that may be run; times and
// workspace per "sample" are multiplied by any batch. A chain of these is the abstract model of the OOC-Paleo paper. Saves
// "output" (the default), "input", "both" or "none"; counts as a convolution for the schedules that
// choose by kind. No FLOPs and no traffic are known of it, natively or in PALEO's terms.
//
// In place of times it may state its work a sample, and is then costed as other layers are (scripts/from_torch.py):
//
//   { "type": "custom", "output_shape": [64], "forward_flops": 64, "forward_elements": 192,
//     "backward_flops": 64, "backward_elements": 192, "saved_elements": 0 }
//
// Elements are those read and written; parameters are read in addition, once a batch, and updated. "saved_elements"
// are what forward writes for backward beside what "saves" says, "forward_macs" those among the FLOPs. PALEO counts nothing.
#include <optional>
#include <string_view>

#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

Saves read_saves(const SpecView& spec) {
  const std::optional<SpecView> saves = spec.find("saves");
  const std::string choice =
      saves ? saves->as_choice({"output", "input", "both", "none"}) : std::string("output");
  return {.inputs = choice == "input" || choice == "both",
          .output = choice == "output" || choice == "both"};
}

void read_work(const SpecView& spec, const LayerInputs& inputs, LayerModel& model) {
  const auto count = [&](std::string_view key) {
    return Wide(spec.get(key).as_integer(0, kMaxSize));
  };
  const Wide element = inputs.element_bytes();
  const Wide weights = element * model.parameters;
  if (const auto macs = spec.find("forward_macs")) {
    model.forward_macs = macs->as_integer(0, spec.get("forward_flops").as_integer(0, kMaxSize) / 2);
  }
  model.work.forward =
      to_task_work(spec, {count("forward_flops"), element * count("forward_elements"), weights});
  model.work.backward_data = to_task_work(
      spec, {count("backward_flops"), element * count("backward_elements"), Wide(2) * weights});
  if (const auto saved = spec.find("saved_elements")) {
    model.saves.reserve_bytes =
        to_count(*saved, element * saved->as_integer(0, kMaxSize), "saved bytes a sample");
  }
}

LayerModel read_custom(const SpecView& spec, const LayerInputs& inputs) {
  LayerModel model;
  model.output = stated_shape(spec.get("output_shape"), inputs);
  if (const auto parameters = spec.find("parameters")) {
    model.parameters = to_parameters(*parameters, inputs, parameters->as_integer(0, kMaxSize));
  }
  model.saves = read_saves(spec);
  if (spec.find("forward_elements")) {
    read_work(spec, inputs, model);
    return model;
  }
  CustomCost cost;
  cost.forward = spec.get("forward_time").as_duration();
  cost.backward = spec.get("backward_time").as_duration();
  if (const auto workspace = spec.find("workspace")) cost.workspace = workspace->as_bytes();
  if (const auto per = spec.find("per")) {
    const bool sample = per->as_choice({"batch", "sample"}) == "sample";
    cost.per = sample ? CustomCost::Per::kSample : CustomCost::Per::kBatch;
  }
  model.is_convolution = true;
  model.is_feature_extractor = true;
  model.custom = cost;
  return model;
}

}  // namespace

extern const LayerKind custom_kind{"custom", "states its own shape and costs", &read_custom};

}  // namespace ooc
