// Builders of the list of layers that a kind unrolls into (LayerPart).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/layers/layer_kind.hpp"
#include "model/layers/wide.hpp"

namespace ooc {

/// Most parts of one layer; as many as layers of a network (kMaxLayers).
inline constexpr std::int64_t kMaxParts = 1'000'000;

using PartInput = std::variant<OuterInputId, PartId>;

/// List of parts under construction.
class PartList {
 public:
  PartId add(std::string name, std::vector<PartInput> inputs, LayerModel model) {
    parts_.push_back({std::move(name), std::move(inputs), std::move(model)});
    return make_id<PartId>(parts_.size() - 1);
  }
  [[nodiscard]] std::vector<LayerPart> take() { return std::move(parts_); }

 private:
  std::vector<LayerPart> parts_;
};

/// List under construction of parts that have kinds of their own, in place of the layer at `spec`.
class LayerPartList {
 public:
  LayerPartList(const SpecView& spec, const LayerInputs& inputs) : spec_(spec), inputs_(inputs) {}

  /// Adds a layer, or its parts if it unrolls, and returns the last. `fields`: its keys, as in JSON without braces.
  PartId add(std::string name, const LayerKind& kind, std::string_view fields,
             const std::vector<PartInput>& inputs);
  /// Sets LayerInputs::own_type for parts added after this call; unset: by the precision.
  void set_own_type(std::optional<AdapterType> type) { own_type_ = type; }
  [[nodiscard]] LayerModel& model_of(PartId part) { return parts_[part.at()].model; }
  /// Returns the model with all parts. The last part must have been added without a name.
  [[nodiscard]] LayerModel finish();

 private:
  const SpecView& spec_;
  const LayerInputs& inputs_;
  std::optional<AdapterType> own_type_ = {};
  std::vector<LayerPart> parts_;
};

/// Throws SpecError at `spec` if `count` exceeds kMaxParts. `what`: the cause, for the message, such as "35 steps".
void require_few_parts(const SpecView& spec, Wide count, std::string_view what);

/// Adds the last part, which copies the outputs of `steps` into one tensor of shape `output`. Returns the model with
/// all parts. In backward the last part has no task: gradients of the steps are slices (kSlices).
[[nodiscard]] LayerModel finish_parts(const SpecView& spec, const LayerInputs& inputs,
                                      const TensorShape& output, const std::vector<PartId>& steps,
                                      PartList parts);

}  // namespace ooc
