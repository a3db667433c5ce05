// In place (docs/model.md, 3): where the framework does it for the layer's kind (by default relu and
// dropout), the value that would be overwritten is read by nobody else and no layer that wrote it keeps
// its output. Network inputs
// are never overwritten: they are clean in far memory and stay so. Eager frameworks (define-by-run)
// run out of place unless the file asks for it.
#include "model/graph/buffers.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

const Layer* producing_layer(const Network& network, const Producer& producer) {
  const LayerId* id = std::get_if<LayerId>(&producer);
  return id == nullptr ? nullptr : &network.layers[id->at()];
}

/// Readers of each layer's value, views replaced by their own readers.
std::vector<int> count_readers(const Network& network, const Keeping& keeping) {
  std::vector<int> readers(network.layers.size(), 0);
  for (auto it = network.execution_order.rbegin(); it != network.execution_order.rend(); ++it) {
    const Layer& layer = network.layers[it->at()];
    const int through_here = is_view(*layer.model, keeping) ? readers[it->at()] : 1;
    for (const Producer& producer : layer.inputs) {
      if (const LayerId* id = std::get_if<LayerId>(&producer)) readers[id->at()] += through_here;
    }
  }
  return readers;
}

std::vector<bool> mark_outputs(const Network& network) {
  std::vector<bool> is_output(network.layers.size(), false);
  for (const LayerId output : network.outputs) is_output[output.at()] = true;
  return is_output;
}

/// "blk/3" of "blk/3/attention/query"; a name with fewer than two slashes is its own.
std::string_view group_of(std::string_view name) {
  const std::size_t first = name.find('/');
  const std::size_t second = first == std::string_view::npos ? first : name.find('/', first + 1);
  return name.substr(0, second);
}

class BufferAssigner {
 public:
  BufferAssigner(const Network& network, const GraphOptions& options)
      : network_(network),
        options_(options),
        readers_(count_readers(network, options.keeping)),
        is_output_(mark_outputs(network)),
        value_of_(network.layers.size()) {
    const std::size_t layers = network.layers.size();
    buffers_.of_layer.resize(layers);
    buffers_.mask.resize(layers);
    buffers_.reserve.resize(layers);
    buffers_.weight_copy.resize(layers);
    buffers_.in_place.resize(layers, false);
    buffers_.needs_gradient.resize(layers, false);
  }

  Buffers run() && {
    for (std::size_t i = 0; i < network_.inputs.size(); ++i) {
      const std::int64_t elements = network_.inputs[i].shape.elements().value();
      buffers_.of_input.push_back(
          add({.role = TensorRole::kInput,
               .input = make_id<InputId>(i),
               .bytes_per_sample = elements * bytes_per_element(network_, make_id<InputId>(i))}));
    }
    for (const LayerId id : network_.execution_order) visit(id);
    if (network_.precision) add_weight_copies();
    return std::move(buffers_);
  }

 private:
  TensorId add(const Tensor& tensor) {
    buffers_.tensors.push_back(tensor);
    return make_id<TensorId>(buffers_.tensors.size() - 1);
  }

  void visit(LayerId id) {
    const Layer& layer = network_.layers[id.at()];
    value_of_[id.at()] = id;
    buffers_.needs_gradient[id.at()] = wants_gradient(layer);
    for (const Producer& producer : layer.inputs) {
      if (needs_gradient(buffers_, producer)) buffers_.needs_gradient[id.at()] = true;
    }
    if (is_view(*layer.model, options_.keeping)) {
      buffers_.of_layer[id.at()] = tensor_of(buffers_, layer.inputs[0]);
      if (const LayerId* from = std::get_if<LayerId>(&layer.inputs[0])) {
        value_of_[id.at()] = value_of_[from->at()];
      }
      return;
    }
    if (runs_in_place(layer)) {
      buffers_.in_place[id.at()] = true;
      buffers_.of_layer[id.at()] = tensor_of(buffers_, layer.inputs[0]);
    } else {
      const std::int64_t elements = layer.model->output.elements().value();
      buffers_.of_layer[id.at()] = add({.role = TensorRole::kActivation,
                                        .layer = id,
                                        .bytes_per_sample = elements * output_element(id)});
    }
    const Kept kept = kept_of(id);
    if (kept.mask_bytes > 0) {
      buffers_.mask[id.at()] =
          add({.role = TensorRole::kMask, .layer = id, .bytes_per_sample = kept.mask_bytes});
    }
    if (kept.reserve_bytes > 0 || kept.reserve_fixed > 0) {
      buffers_.reserve[id.at()] = add({.role = TensorRole::kReserve,
                                       .layer = id,
                                       .bytes_per_sample = kept.reserve_bytes,
                                       .bytes_fixed = kept.reserve_fixed});
    }
  }

  /// Whatever stands before it.
  [[nodiscard]] bool wants_gradient(const Layer& layer) const {
    const bool is_table =
        layer.kind != nullptr && layer.kind->traits.numbers == NumberClass::kTable;
    return has_weights(layer) || layer.model->custom.has_value() ||
           (network_.input_gradient && is_table);
  }

  [[nodiscard]] Kept kept_of(LayerId id) const {
    return ooc::kept_of(*network_.layers[id.at()].model, options_.keeping,
                        buffers_.in_place[id.at()] ? RunsIn::kPlace : RunsIn::kOwnBuffer);
  }

  /// A loss keeps what it writes, in a type of its own where no precision says which.
  [[nodiscard]] std::int64_t output_element(LayerId id) const {
    const std::int64_t bytes = bytes_per_element(network_, id);
    const auto& own = options_.keeping.loss_dtype;
    return network_.layers[id.at()].model->is_loss && own ? std::max(dtype_info(*own).bytes, bytes)
                                                          : bytes;
  }

  /// One a layer, or one for all layers of a group: those of one copy of a repeat, or one for itself.
  void add_weight_copies() {
    const PrecisionInfo& precision = precision_info(*network_.precision);
    std::map<std::string_view, TensorId> of_group;
    for (const LayerId id : network_.execution_order) {
      const Layer& layer = network_.layers[id.at()];
      const std::int64_t bytes = layer.model->casts.parameters * precision.copy;
      if (bytes == 0) continue;
      auto& copy = buffers_.weight_copy[id.at()];
      if (precision.copies == WeightCopies::kPerGroup) {
        const auto [found, is_new] = of_group.try_emplace(group_of(layer.name));
        if (!is_new) {
          copy = found->second;
          buffers_.tensors[copy->at()].bytes_fixed += bytes;
          continue;
        }
        found->second = make_id<TensorId>(buffers_.tensors.size());
      }
      copy = add({.role = TensorRole::kWeightCopy,
                  .layer = id,
                  .bytes_per_sample = 0,
                  .bytes_fixed = bytes});
    }
  }

  /// Why this layer cannot overwrite its input; empty when it can.
  [[nodiscard]] std::string obstacle(const Layer& layer) const {
    if (layer.inputs.size() != 1) return "a layer with one input";
    const Layer* producer = producing_layer(network_, layer.inputs[0]);
    if (producer == nullptr) return "an input that is a layer, not the network's input";
    const LayerId from = std::get<LayerId>(layer.inputs[0]);
    const LayerId* value = value_of_[from.at()] ? &*value_of_[from.at()] : nullptr;
    if (value == nullptr) return "an input that is a layer, not the network's input";
    const Layer& writer = network_.layers[value->at()];
    if (buffers_.tensors[buffers_.of_layer[from.at()]->at()].role == TensorRole::kInput) {
      return "an input that is a layer, not the network's input";
    }
    if (kept_of(*value).output) {
      return "a producer that does not need its output again (\"" + writer.name + "\" saves it)";
    }
    if (readers_[value->at()] != 1) return "to be the only reader of \"" + writer.name + "\"";
    if (is_output_[value->at()] || is_output_[from.at()]) {
      return "an input that is no output of the network (\"" + producer->name + "\" is)";
    }
    return {};
  }

  [[nodiscard]] bool runs_in_place(const Layer& layer) const {
    const bool copies_input =
        layer.model->saves.clamps && options_.keeping.clamps == KeptOfClamps::kInput;
    if (copies_input) return false;
    switch (layer.model->in_place) {
      case InPlace::kNever:
        return false;
      case InPlace::kWhereAlways:
        return options_.keeping.in_place == InPlaceRule::kAlways && obstacle(layer).empty();
      case InPlace::kWhenPossible:
        return options_.accounting != Accounting::kDefineByRun &&
               options_.keeping.in_place != InPlaceRule::kNever && obstacle(layer).empty();
      case InPlace::kRequired: {
        const std::string why_not = obstacle(layer);
        if (why_not.empty()) return true;
        throw SpecError({network_.name, "layer \"" + layer.name + "\"", "\"in_place\": true",
                         why_not, "leave in_place out: it is used where it is possible"});
      }
    }
    return false;
  }

  const Network& network_;
  GraphOptions options_;
  std::vector<int> readers_;
  std::vector<bool> is_output_;
  /// The layer that wrote the value last, through views; none for a view of a network input.
  std::vector<std::optional<LayerId>> value_of_;
  Buffers buffers_;
};

}  // namespace

Buffers assign_buffers(const Network& network, const GraphOptions& options) {
  return BufferAssigner(network, options).run();
}

bool is_view(const LayerModel& layer, const Keeping& keeping) {
  const bool pool = layer.saves.input_for_shape && keeping.pools == KeptOfPools::kInputAndIndices;
  return layer.is_view && !pool;
}

Kept kept_of(const LayerModel& layer, const Keeping& keeping, RunsIn where) {
  constexpr std::int64_t kPlaceBytes = 8;
  constexpr std::int64_t kStatisticBytes = 4;
  const Saves& saves = layer.saves;
  Kept kept{.inputs = saves.inputs,
            .output = saves.output,
            .mask_bytes = saves.mask_bytes * keeping.mask_bytes,
            .reserve_bytes = saves.reserve_bytes,
            .reserve_fixed = 0};
  const bool either_side = layer.is_activation && saves.output;
  if (either_side && keeping.activations == KeptActivation::kBoth) kept.inputs = true;
  const bool clamped_input = saves.clamps && keeping.clamps == KeptOfClamps::kInput;
  const bool own_input = (saves.input_serves && keeping.activations == KeptActivation::kInput) ||
                         (saves.input_out_of_place && keeping.clamps == KeptOfClamps::kInput);
  if (clamped_input || (own_input && where == RunsIn::kOwnBuffer)) {
    kept.inputs = true;
    kept.output = false;
  }
  if (keeping.pools == KeptOfPools::kInputAndIndices) {
    if (saves.places > 0) kept.output = false;
    kept.inputs = kept.inputs || saves.input_for_shape;
    kept.reserve_bytes += saves.places * kPlaceBytes;
  }
  if (keeping.norms == KeptOfNorms::kInputAndStatistics) {
    kept.reserve_bytes += saves.statistics_per_sample * kStatisticBytes;
    kept.reserve_fixed += saves.statistics_fixed * kStatisticBytes;
  }
  if (!keeping.fuses) kept.reserve_bytes += saves.fusible_bytes;
  if (keeping.softmax == KeptOfSoftmax::kInputAndOutput) {
    kept.inputs = kept.inputs || saves.input_of_softmax;
    kept.reserve_bytes += saves.scores_bytes;
  }
  return kept;
}

TensorId tensor_of(const Buffers& buffers, const Producer& producer) {
  if (const InputId* input = std::get_if<InputId>(&producer)) return buffers.of_input[input->at()];
  return buffers.of_layer[std::get<LayerId>(producer).at()].value();
}

bool needs_gradient(const Buffers& buffers, const Producer& producer) {
  const LayerId* layer = std::get_if<LayerId>(&producer);
  return layer != nullptr && buffers.needs_gradient[layer->at()];
}

}  // namespace ooc
