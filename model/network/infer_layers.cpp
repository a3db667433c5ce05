// Runs every layer's kind on the shapes that reach it. Copies of a repeat see, as a rule, the
// shapes that the copy before saw: then its result is shared instead of reading the attributes
// again, which makes a million unrolled layers a matter of about a second. So is that of the layer of
// the same kind before, where that says the same of itself: generated files repeat themselves too.
#include "model/network/infer_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "model/layers/read_layer.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

const TensorShape& shape_of(const Network& network, Producer producer) {
  if (const auto* input = std::get_if<InputId>(&producer)) {
    return network.inputs[input->at()].shape;
  }
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
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), same_value);
  };
  const auto same_member = [](const auto& left, const auto& right) {
    return left.first == right.first && same_value(left.second, right.second);
  };
  return a.type == b.type && a.boolean == b.boolean && a.text == b.text &&
         same_items(a.items, b.items) &&
         std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(),
                    same_member);
}

/// Whether two layers of one kind say the same of themselves, in the same order, but for their names and
/// their producers.
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
    if (parameter_bytes_ >= kMaxTotalBytes) {
      fail(layer, entry, "2^56 bytes of parameters or more");
    }
    if (output_bytes_ >= kMaxTotalBytes) {
      fail(layer, entry, "2^56 bytes of outputs a sample or more");
    }
    if (work_ > std::numeric_limits<std::int64_t>::max()) {
      fail(layer, entry, "2^63 FLOPs and bytes of traffic or more");
    }
    if (macs_ > std::numeric_limits<std::int64_t>::max()) {
      fail(layer, entry, "2^63 MACs or more");
    }
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

}  // namespace ooc
