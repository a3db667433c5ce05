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

/// Maximum number of parts of one layer, equal to that of layers of a network.
inline constexpr std::int64_t kMaxParts = 1'000'000;

using PartInput = std::variant<OuterInputId, PartId>;

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

/// Builder of parts that are layers of their own kinds, in place of the layer at `spec`.
class LayerPartList {
 public:
  LayerPartList(const SpecView& spec, const LayerInputs& inputs) : spec_(spec), inputs_(inputs) {}

  /// Adds a layer. `fields`: its keys as members of a JSON object. A layer that unrolls adds all its parts.
  PartId add(std::string name, const LayerKind& kind, std::string_view fields,
             const std::vector<PartInput>& inputs);
  /// Sets LayerInputs::own_type for parts added from here on.
  void set_own_type(std::optional<Dtype> type) { own_type_ = type; }
  [[nodiscard]] LayerModel& model_of(PartId part) { return parts_[part.at()].model; }
  /// Returns the model with all parts. The last part, added without a name, takes the layer's name.
  [[nodiscard]] LayerModel finish();

 private:
  const SpecView& spec_;
  const LayerInputs& inputs_;
  std::optional<Dtype> own_type_ = {};
  std::vector<LayerPart> parts_;
};

/// Throws SpecError at `spec` if `count` exceeds kMaxParts. `what`: cause for the message, such as "35 steps".
void require_few_parts(const SpecView& spec, Wide count, std::string_view what);

/// Adds the last part, the layer's output of shape `output`: a task that copies `steps` into one tensor. Backward
/// has no task: gradients of the steps are slices (kSlices). Returns the model with all parts.
[[nodiscard]] LayerModel finish_parts(const SpecView& spec, const LayerInputs& inputs,
                                      const TensorShape& output, const std::vector<PartId>& steps,
                                      PartList parts);

}  // namespace ooc
