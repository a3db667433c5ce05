// Frozen layers keep nothing for the gradients of weights: where data and weights have tasks of their own (linear,
// conv, embedding) that is all that they save. Norms keep their input and statistics, which the gradient of the
// input reads too.
//
// Where it is wrong: the backward task of a frozen norm is as long as that of one that learns (2 of 8 FLOPs an
// element, and its weights' gradient, are not done).
#include "model/layers/read_layer.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "model/layers/set_precision.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

void freeze(LayerModel& model) {
  model.is_frozen = true;
  if (model.backward_form != BackwardForm::kSplit) return;
  model.saves = {};
  model.work.backward_weights = {};
  model.paleo_work.backward_weights = {};
}

/// Weights that are stored in another type than they are multiplied in are written out for each use.
void unpack(const SpecView& spec, const LayerInputs& inputs, LayerModel& model) {
  const WeightCounts counts{.matrix = weight_counts(model).matrix};
  if (counts.matrix == 0 || !model.products) return;
  const std::int64_t whole = inputs.element_bytes();
  const std::int64_t stored = stored_bytes(*model.storage, counts);
  if (!is_quantised(*model.storage) && stored == counts.matrix * whole) return;
  const Wide written = Wide(counts.matrix) * whole;
  model.casts.unpacking = to_count(spec, written + stored, "bytes of weights written out");
  for (TaskWork* work : {&model.work.forward, &model.work.backward_data}) {
    work->bytes_fixed = to_count(spec, Wide(work->bytes_fixed) + model.casts.unpacking,
                                 "bytes of weights written out");
    work->workspace_fixed = to_count(spec, written, "bytes of workspace");
  }
}

void set_storage(const SpecView& spec, const LayerInputs& inputs, LayerModel& model) {
  const std::optional<SpecView> asked = spec.find("storage");
  std::optional<WeightStorage> storage = inputs.storage;
  if (asked) storage = read_weight_storage(*asked);
  if (!storage) return;
  const bool multiplies = weight_counts(model).matrix > 0 && model.products;
  if (asked && !model.is_frozen) {
    asked->fail(asked->found(), "\"frozen\": true beside it", "weights that are learnt are whole");
  }
  if (asked && is_quantised(*storage) && !multiplies) {
    asked->fail(asked->found(), "\"bf16\" or \"fp32\", or a linear layer with weights of its own");
  }
  if (!model.is_frozen || model.parameters == 0) return;
  model.storage = is_quantised(*storage) && !multiplies ? WeightStorage::kBf16 : *storage;
  unpack(spec, inputs, model);
}

}  // namespace

bool read_frozen(const SpecView& spec, const LayerInputs& inputs) {
  const std::optional<SpecView> frozen = spec.find("frozen");
  return frozen ? frozen->as_boolean() : inputs.frozen;
}

LayerModel read_layer(const LayerKind& kind, const SpecView& spec, LayerInputs inputs) {
  if (inputs.precision) {
    inputs.element = inputs.computes_in_own_type()
                         ? dtype_info(*inputs.own_type).bytes
                         : computed_bytes(kind, precision_info(*inputs.precision), inputs.bytes);
  }
  LayerModel model = kind.read(spec, inputs);
  const bool frozen = read_frozen(spec, inputs);
  if (model.parts) {
    const bool is_whole = model.parts->front().kind != nullptr;  // its layers have read "storage"
    const std::optional<SpecView> storage = spec.find("storage");
    if (storage && !is_whole) {
      storage->fail(storage->found(), "a layer that does not unroll into time steps");
    }
    if (frozen && !is_whole) {
      std::vector<LayerPart> parts = *model.parts;
      for (LayerPart& part : parts) freeze(part.model);
      model.parts = std::make_shared<const std::vector<LayerPart>>(std::move(parts));
    }
  } else {
    const bool has_weights = model.parameters > 0 || model.is_tied;
    if (frozen && has_weights && !model.custom) freeze(model);
    set_storage(spec, inputs, model);
    if (model.parameters > 0 && !model.is_frozen) model.parameter_type = inputs.own_type;
  }
  if (inputs.precision) set_precision(spec, kind, inputs, model);
  return model;
}

}  // namespace ooc
