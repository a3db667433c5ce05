// Building the list of layers that a kind unrolls into (LayerPart).
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

/// No layer may unroll into more parts: as many as a network may have layers.
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

/// Parts that are layers of their own kinds, in the place of the one at `spec`, which reads `inputs`.
class LayerPartList {
 public:
  LayerPartList(const SpecView& spec, const LayerInputs& inputs) : spec_(spec), inputs_(inputs) {}

  /// `fields`: the layer's keys as members of a JSON object. A layer that has parts itself brings them all.
  PartId add(std::string name, const LayerKind& kind, std::string_view fields,
             const std::vector<PartInput>& inputs);
  /// Of the parameters of parts that are added from here on.
  void set_own_type(std::optional<Dtype> type) { own_type_ = type; }
  [[nodiscard]] LayerModel& model_of(PartId part) { return parts_[part.at()].model; }
  /// The last part, which was given no name, has the layer's own.
  [[nodiscard]] LayerModel finish();

 private:
  const SpecView& spec_;
  const LayerInputs& inputs_;
  std::optional<Dtype> own_type_ = {};
  std::vector<LayerPart> parts_;
};

/// An error at `spec` if `count` parts ("35 steps") are too many to unroll.
void require_few_parts(const SpecView& spec, Wide count, std::string_view what);

/// Ends the list with the layer's output of shape `output`, gathered from `steps` by one copy whose
/// gradient takes no time (as concat), and makes a model of it all.
[[nodiscard]] LayerModel finish_parts(const SpecView& spec, const LayerInputs& inputs,
                                      const TensorShape& output, const std::vector<PartId>& steps,
                                      PartList parts);

}  // namespace ooc
