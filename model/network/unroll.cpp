// Unrolling of repeats. Time and memory are linear in the layers that result, at most a million
// (layer_tree.hpp has counted them); recursion is as deep as the file nests.
#include "model/network/unroll.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "model/base/errors.hpp"
#include "model/layers/read_layer.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

class Unroller {
 public:
  explicit Unroller(std::size_t layer_count) {
    result_.layers.reserve(layer_count);
    result_.entries.reserve(layer_count);
  }

  /// One copy of `block`. `entering` is what "@input" means in it.
  void add_copy(const EntryBlock& block, const std::string& prefix, Producer entering) {
    copy_begins_.push_back(result_.layers.size());
    for (const Entry& entry : block.entries) {
      if (entry.body) {
        add_repeat(entry, prefix + entry.name + '/', producer(entry.inputs.front(), entering));
      } else {
        add_layer(entry, prefix, entering);
      }
    }
    copy_begins_.pop_back();
  }

  [[nodiscard]] UnrolledLayers take() { return std::move(result_); }

 private:
  void add_repeat(const Entry& entry, const std::string& prefix, Producer entering) {
    for (std::int64_t copy = 0; copy < entry.times; ++copy) {
      add_copy(*entry.body, prefix + std::to_string(copy) + '/', entering);
      entering = make_id<LayerId>(result_.layers.size() - 1);
    }
  }

  void add_layer(const Entry& entry, const std::string& prefix, Producer entering) {
    Layer layer{.name = prefix + entry.name, .kind = entry.kind};
    layer.inputs.reserve(entry.inputs.size());
    for (const Reference& input : entry.inputs) layer.inputs.push_back(producer(input, entering));
    if (entry.tied_to) layer.tied_to = place_of(*entry.tied_to);
    result_.layers.push_back(std::move(layer));
    result_.entries.push_back(&entry);
  }

  [[nodiscard]] Producer producer(const Reference& reference, Producer entering) const {
    if (const auto* input = std::get_if<NetworkInputReference>(&reference)) return input->input;
    if (std::holds_alternative<EnteringReference>(reference)) return entering;
    return place_of(std::get<LayerReference>(reference));
  }

  [[nodiscard]] LayerId place_of(const LayerReference& layer) const {
    const std::size_t begin = copy_begins_[copy_begins_.size() - 1 - layer.blocks_up];
    return make_id<LayerId>(begin + static_cast<std::size_t>(layer.offset));
  }

  UnrolledLayers result_;
  std::vector<std::size_t> copy_begins_;  ///< of the copies around, outermost first
};

}  // namespace

UnrolledLayers unroll(const LayerTree& tree) {
  Unroller unroller(static_cast<std::size_t>(tree.root.layer_count));
  // Nothing enters the outermost block: the reader refuses "@input" there.
  unroller.add_copy(tree.root, "", InputId{0});
  UnrolledLayers result = unroller.take();
  OOC_CHECK(static_cast<std::int64_t>(result.layers.size()) == tree.root.layer_count,
            "as many layers as were counted");
  return result;
}

// Runs every layer's kind on the shapes that reach it. Copies of a repeat see, as a rule, the
// shapes that the copy before saw: then its result is shared instead of reading the attributes
// again, which makes a million unrolled layers a matter of about a second. So is that of the layer of
// the same kind before, where that says the same of itself: generated files repeat themselves too.

namespace {

const TensorShape& shape_of(const Network& network, Producer producer) {
  if (const auto* input = std::get_if<InputId>(&producer)) return network.inputs[input->at()].shape;
  return network.layers[std::get<LayerId>(producer).at()].model->output;
}

std::string_view name_of(const Network& network, Producer producer) {
  if (const auto* input = std::get_if<InputId>(&producer)) return network.inputs[input->at()].name;
  return network.layers[std::get<LayerId>(producer).at()].name;
}

bool same_input_shapes(const Network& network, const Layer& a, const Layer& b) {
  if (a.inputs.size() != b.inputs.size()) return false;
  for (std::size_t i = 0; i < a.inputs.size(); ++i) {
    if (shape_of(network, a.inputs[i]) != shape_of(network, b.inputs[i])) return false;
    if (network.precision &&
        bytes_per_element(network, a.inputs[i]) != bytes_per_element(network, b.inputs[i])) {
      return false;
    }
  }
  return true;
}

bool same_value(const SpecNode& a, const SpecNode& b) {
  const auto same_items = [](const auto& left, const auto& right) {
    return std::ranges::equal(left, right, same_value);
  };
  const auto same_member = [](const auto& left, const auto& right) {
    return left.first == right.first && same_value(left.second, right.second);
  };
  return a.type == b.type && a.boolean == b.boolean && a.text == b.text &&
         same_items(a.items, b.items) && std::ranges::equal(a.members, b.members, same_member);
}

/// Whether two layers of one kind say the same of themselves, in the same order, but for their names and their producers.
bool same_attributes(const SpecNode& a, const SpecNode& b) {
  const auto next = [](const SpecNode& node, std::size_t place) {
    const auto& all = node.members;
    while (place < all.size() && (all[place].first == "name" || all[place].first == "inputs"))
      ++place;
    return place;
  };
  std::size_t left = next(a, 0);
  std::size_t right = next(b, 0);
  while (left < a.members.size() && right < b.members.size()) {
    const auto& [left_key, left_value] = a.members[left];
    const auto& [right_key, right_value] = b.members[right];
    if (left_key != right_key || !same_value(left_value, right_value)) return false;
    left = next(a, left + 1);
    right = next(b, right + 1);
  }
  return left == a.members.size() && right == b.members.size();
}

LayerModel read_model(const Network& network, const Layer& layer, const Entry& entry) {
  std::vector<TensorShape> shapes;
  std::vector<std::string_view> names;
  std::vector<std::int64_t> bytes;
  for (const Producer producer : layer.inputs) {
    shapes.push_back(shape_of(network, producer));
    names.push_back(name_of(network, producer));
    if (network.precision) bytes.push_back(bytes_per_element(network, producer));
  }
  const LayerInputs inputs{.shapes = shapes,
                           .dtype = network.dtype,
                           .names = names,
                           .precision = network.precision,
                           .bytes = bytes,
                           .frozen = network.frozen,
                           .storage = network.storage,
                           .expert_parallel = network.expert_parallel};
  try {
    LayerModel model = read_layer(*layer.kind, entry.spec, inputs);
    entry.spec.reject_unknown_keys({"name", "type", "inputs"});
    return model;
  } catch (const SpecError& error) {
    const bool is_copy = layer.name != entry.name;
    if (!is_copy) throw;
    // The place in the file is the same for all copies: say which one it is.
    SpecError::Parts parts = error.parts();
    parts.hint += fmt::format("{}layer {}", parts.hint.empty() ? "" : ", ", layer.name);
    throw SpecError(std::move(parts));
  }
}

constexpr std::int64_t kWidestElement = 4;  // of what layers write where a precision is set

/// Sums over the network, in 128 bits, so that no later sum can wrap.
class Totals {
 public:
  /// No element is larger than `element_bytes`.
  explicit Totals(std::int64_t element_bytes) : element_bytes_(element_bytes) {}

  void add(const Layer& layer, const Entry& entry) {
    if (!layer.model->parts) return add(*layer.model, layer, entry);
    for (const LayerPart& part : *layer.model->parts) add(part.model, layer, entry);
  }

 private:
  void add(const LayerModel& model, const Layer& layer, const Entry& entry) {
    parameter_bytes_ += Int128{model.parameters} * element_bytes_;
    macs_ += model.forward_macs;
    output_bytes_ += elements(model.output).value() * element_bytes_;
    for (const LayerWork* work : {&model.work, &model.paleo_work}) {
      for (const TaskWork* task : {&work->forward, &work->backward_data, &work->backward_weights}) {
        work_ += Int128{task->flops_per_sample} + task->bytes_per_sample + task->bytes_fixed +
                 task->workspace_per_sample + task->workspace_fixed;
      }
    }
    if (parameter_bytes_ >= kMaxTotalBytes) fail(layer, entry, "2^56 bytes of parameters or more");
    if (output_bytes_ >= kMaxTotalBytes) {
      fail(layer, entry, "2^56 bytes of outputs a sample or more");
    }
    if (work_ > std::numeric_limits<std::int64_t>::max()) {
      fail(layer, entry, "2^63 FLOPs and bytes of traffic or more");
    }
    if (macs_ > std::numeric_limits<std::int64_t>::max()) fail(layer, entry, "2^63 MACs or more");
  }

  [[noreturn]] static void fail(const Layer& layer, const Entry& entry, std::string_view sum) {
    entry.spec.fail(fmt::format("{} in all layers up to \"{}\"", sum, layer.name),
                    "a smaller network");
  }

  std::int64_t element_bytes_;
  Int128 parameter_bytes_ = 0;
  Int128 output_bytes_ = 0;
  Int128 work_ = 0;
  Int128 macs_ = 0;
};

}  // namespace

void infer_layers(const std::vector<const Entry*>& entries, std::size_t entry_count,
                  Network& network) {
  std::vector<std::optional<LayerId>> last_of_entry(entry_count);
  std::map<const LayerKind*, LayerId> last_of_kind;
  Totals totals(network.precision ? kWidestElement : dtype_info(network.dtype).bytes);
  for (const LayerId id : network.execution_order) {
    Layer& layer = network.layers[id.at()];
    const Entry& entry = *entries[id.at()];
    std::optional<LayerId>& last = last_of_entry[entry.number];
    if (!last) {
      const auto found = last_of_kind.find(layer.kind);
      const bool alike =
          found != last_of_kind.end() &&
          same_attributes(entries[found->second.at()]->spec.node(), entry.spec.node());
      if (alike) last = found->second;
    }
    if (last && same_input_shapes(network, layer, network.layers[last->at()])) {
      layer.model = network.layers[last->at()].model;
    } else {
      layer.model = std::make_shared<const LayerModel>(read_model(network, layer, entry));
    }
    last = id;
    last_of_kind.insert_or_assign(layer.kind, id);
    totals.add(layer, entry);
  }
}

// One pass over the layers each. See unroll.hpp.

namespace {

std::string shape_text(const WeightMatrix& matrix) {
  return fmt::format("{}x{}", matrix.rows, matrix.columns);
}

/// `rank`: by layer, in execution order.
void check_tie(const Network& network, const std::vector<std::size_t>& rank, LayerId id,
               const Entry& entry) {
  const Layer& layer = network.layers[id.at()];
  OOC_CHECK(layer.model->is_tied && layer.model->weight_matrix, "the kind has read \"tied_to\"");
  const LayerId owner_id = *layer.tied_to;
  const Layer& owner = network.layers[owner_id.at()];
  const WeightMatrix wanted = *layer.model->weight_matrix;
  const std::string copy = layer.name == entry.name ? "" : "layer " + layer.name;
  const auto fail = [&](const std::string& what, const std::string& expected) {
    entry.spec.get("tied_to").fail(fmt::format("\"{}\"{}", owner.name, what), expected, copy);
  };
  if (owner_id == id) fail(", the layer itself", "another layer");
  if (owner.model->is_tied) {
    fail(", which is tied itself",
         fmt::format("\"{}\", whose weights they are", network.layers[owner.tied_to->at()].name));
  }
  if (!owner.model->weight_matrix) {
    fail(fmt::format(" ({})", owner.kind->name),
         fmt::format("a layer with a matrix of weights of {}", shape_text(wanted)));
  }
  if (*owner.model->weight_matrix != wanted) {
    fail(fmt::format(" with weights of {}", shape_text(*owner.model->weight_matrix)),
         fmt::format("weights of {}, as this layer's", shape_text(wanted)));
  }
  if (owner.model->is_frozen != layer.model->is_frozen) {
    fail(owner.model->is_frozen ? ", which is frozen" : ", which is not frozen",
         "both frozen or neither: they share one set of weights");
  }
  if (rank[owner_id.at()] > rank[id.at()]) {
    fail(", which runs later", "a layer that runs before this one");
  }
}

}  // namespace

void check_ties(const std::vector<const Entry*>& entries, const Network& network) {
  std::vector<std::size_t> rank(network.layers.size());
  for (std::size_t i = 0; i < network.execution_order.size(); ++i) {
    rank[network.execution_order[i].at()] = i;
  }
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    if (!network.layers[i].tied_to) continue;
    check_tie(network, rank, make_id<LayerId>(i), *entries[i]);
  }
}

void find_weight_units(Network& network) {
  std::vector<std::size_t> unit_of(network.layers.size());
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const std::int64_t parameters = network.layers[i].model->parameters;
    if (parameters == 0) continue;
    unit_of[i] = network.units.size();
    network.units.push_back({.owner = make_id<LayerId>(i),
                             .parameters = parameters,
                             .is_frozen = network.layers[i].model->is_frozen});
  }
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    if (const auto owner = network.layers[i].tied_to) {
      network.units[unit_of[owner->at()]].tied.push_back(make_id<LayerId>(i));
    }
  }
}

// One pass over the layers in file order: copies, parts, and a table from old places to new ones.

namespace {

/// Where each layer's output is found after the expansion.
std::vector<LayerId> places_after(const std::vector<const Entry*>& entries,
                                  const Network& network) {
  std::vector<LayerId> places;
  places.reserve(network.layers.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const auto& parts = network.layers[i].model->parts;
    count += parts ? parts->size() : 1;
    if (count > static_cast<std::size_t>(kMaxLayers)) {
      entries[i]->spec.fail(fmt::format("{} layers once time steps are unrolled", count),
                            fmt::format("at most {}", kMaxLayers));
    }
    places.push_back(make_id<LayerId>(count - 1));
  }
  return places;
}

Producer moved(const Producer& producer, const std::vector<LayerId>& places) {
  const LayerId* layer = std::get_if<LayerId>(&producer);
  return layer == nullptr ? producer : Producer(places[layer->at()]);
}

/// `whole` has its producers moved already; its parts begin at `first`.
void add_parts(const Layer& whole, std::size_t first, std::vector<Layer>& layers) {
  for (const LayerPart& part : *whole.model->parts) {
    Layer layer{.name = part.name.empty() ? whole.name : whole.name + '/' + part.name,
                .kind = part.kind != nullptr ? part.kind : whole.kind,
                .model = {whole.model, &part.model}};
    for (const auto& input : part.inputs) {
      if (const auto* outer = std::get_if<OuterInputId>(&input)) {
        layer.inputs.push_back(whole.inputs[outer->at()]);
      } else {
        layer.inputs.push_back(make_id<LayerId>(first + std::get<PartId>(input).at()));
      }
    }
    layers.push_back(std::move(layer));
  }
}

}  // namespace

void expand_parts(const std::vector<const Entry*>& entries, Network& network) {
  const bool is_plain = std::ranges::none_of(
      network.layers, [](const Layer& layer) { return layer.model->parts != nullptr; });
  if (is_plain) return;
  const std::vector<LayerId> places = places_after(entries, network);
  std::vector<Layer> layers;
  layers.reserve(places.back().at() + 1);
  for (Layer& layer : network.layers) {
    for (Producer& producer : layer.inputs) producer = moved(producer, places);
    if (layer.tied_to) layer.tied_to = places[layer.tied_to->at()];
    if (layer.model->parts) {
      add_parts(layer, layers.size(), layers);
    } else {
      layers.push_back(std::move(layer));
    }
  }
  network.layers = std::move(layers);
  for (LayerId& output : network.outputs) output = places[output.at()];
  auto order = topological_order(network.layers);
  OOC_CHECK(std::holds_alternative<std::vector<LayerId>>(order), "parts bring no cycle");
  network.execution_order = std::get<std::vector<LayerId>>(std::move(order));
}

}  // namespace ooc
