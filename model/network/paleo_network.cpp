// First the blocks are unrolled: a layer of a Block is called BLOCK.LAYER, one of a ModelParallel
// BLOCK.LAYER@DEVICE. Then each layer becomes one of ours with that name, and behind it those that PALEO
// has as attributes: NAME.batch_norm and NAME.relu, which its model does not count.
//
// TensorFlow-Slim's batch norm has an offset and no scale. The offset is the convolution's bias here, so
// that parameters are Slim's and PALEO's.
#include "model/network/paleo_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "model/base/named.hpp"
#include "model/base/spec_tree.hpp"
#include "model/layers/attributes.hpp"

namespace ooc {
namespace {

constexpr std::int64_t kMostDevices = 64;
using PaleoSizes = std::vector<std::int64_t>;

/// Our kinds by PALEO's types.
const std::map<std::string, std::string> kPaleoTypes{
    {"Convolution", "conv"},    {"Pooling", "max_pool"}, {"AvgPool", "avg_pool"},
    {"InnerProduct", "linear"}, {"Dropout", "dropout"},  {"Concatenate", "concat"},
    {"Elementwise", "add"},     {"Softmax", "softmax"},  {"Sigmoid", "sigmoid"}};

struct PaleoLayer {
  std::string name;
  SpecView spec;
  std::vector<std::string> parents;  ///< full names
  std::int64_t devices = 1;          ///< number that share the filters
};

PaleoSizes read_sizes(const SpecView& spec, std::string_view key) {
  PaleoSizes sizes;
  const SpecView list = spec.get(key);
  for (const SpecView& item : list.items()) sizes.push_back(item.as_integer(1, kMaxSize));
  if (sizes.size() != 4) list.fail(list.found(), "4 sizes");
  return sizes;
}

SpecNode pair_node(std::int64_t a, std::int64_t b) {
  return list_node({integer_node(a), integer_node(b)});
}

class PaleoConverter {
 public:
  [[nodiscard]] SpecNode convert(const SpecDocument& document) {
    for (const auto& [name, spec] : SpecView(document).get("layers").members()) add(name, spec);
    SpecNode made =
        object_node({{"format", text_node("ooc-paleo/network")}, {"version", integer_node(1)}});
    for (const auto& member : document.root.members) {
      if (member.first != "layers") made.members.push_back(member);
    }
    for (const PaleoLayer& layer : layers_) put(layer, made);
    made.members.emplace_back("inputs", list_node(std::move(inputs_)));
    made.members.emplace_back("layers", list_node(std::move(made_)));
    return made;
  }

 private:
  void add(const std::string& name, const SpecView& spec) {
    const std::string type = spec.get("type").as_text();
    std::vector<std::string> entering = parents_of(spec, "", 0);
    const bool is_split = type == "ModelParallel";
    if (!is_split && type != "Block") return layers_.push_back({name, spec, std::move(entering)});
    const std::int64_t devices = is_split ? spec.get("splits").as_integer(1, kMostDevices) : 1;
    if (const auto end = spec.find("endpoint")) aliases_[name] = {name + '/' + end->as_text()};
    for (const auto& [inner, layer] : spec.get("layers").members()) {
      const std::string full = name + '/' + inner;
      for (std::int64_t device = 0; device < devices; ++device) {
        const std::vector<std::string> parents = parents_of(layer, name + '/', device);
        layers_.push_back({is_split ? fmt::format("{}@{}", full, device) : full, layer,
                           parents.empty() ? entering : parents, devices});
        if (is_split) aliases_[full + "@all"].push_back(layers_.back().name);
      }
    }
  }

  /// Full names of the parents: those in `block` on `device`.
  [[nodiscard]] std::vector<std::string> parents_of(const SpecView& spec, const std::string& block,
                                                    std::int64_t device) const {
    std::vector<std::string> parents;
    for (const SpecView& item : spec.get("parents").items()) {
      std::string text = block + item.as_text();
      if (text.ends_with("@self")) text.replace(text.size() - 4, 4, std::to_string(device));
      const auto alias = aliases_.find(text);
      if (alias == aliases_.end()) {
        parents.push_back(std::move(text));
      } else {
        parents.insert(parents.end(), alias->second.begin(), alias->second.end());
      }
    }
    return parents;
  }

  void put(const PaleoLayer& layer, SpecNode& network) {
    std::string name = layer.name;
    std::ranges::replace(name, '/', '.');
    const SpecView& spec = layer.spec;
    const SpecView type = spec.get("type");
    if (type.as_text() == "Input") {
      const PaleoSizes nhwc = read_sizes(spec, "tensor");
      network.members.emplace_back("batch", integer_node(nhwc[0]));
      inputs_.push_back(object_node(
          {{"name", text_node(name)},
           {"shape",
            list_node({integer_node(nhwc[3]), integer_node(nhwc[1]), integer_node(nhwc[2])})}}));
      ends_[layer.name] = {name, nhwc[3]};
      return;
    }
    const std::string& kind =
        kPaleoTypes.at(type.as_choice(names_of(kPaleoTypes, NameOf(), {"Input"})));
    std::vector<End> from;
    for (const std::string& parent : layer.parents) {
      const auto end = ends_.find(parent);
      if (end == ends_.end()) spec.get("parents").fail(in_quotes(parent), "names of layers above");
      from.push_back(end->second);
    }
    if (from.empty()) spec.get("parents").fail("an empty list", "names of layers above");
    if (kind == "linear") from = {append(layer, name + ".flatten", "flatten", from)};
    End end = append(layer, name, kind, from);
    set_attributes(layer, from, end, made_.back());
    const auto norm = spec.find("normalizer_fn");
    if (norm && norm->type() != SpecType::kNull) {
      const std::string norm_kind = norm->as_choice({"batch_norm"});
      end = append(layer, name + '.' + norm_kind, norm_kind, {end});
      made_.back().members.emplace_back("affine", boolean_node(false));
    }
    // PALEO's convolutions have a ReLU unless they say null.
    const auto given = spec.find("activation_fn");
    if (given ? given->type() != SpecType::kNull : kind == "conv") {
      const std::string activation =
          given ? given->as_choice({"relu", "relu6", "sigmoid", "tanh", "elu"}) : "relu";
      end = append(layer, name + '.' + activation, activation, {end});
    }
    spec.reject_unknown_keys({"num_classes"});
    ends_[layer.name] = end;
  }

  /// One of our layers, and its channels.
  struct End {
    std::string name;
    std::int64_t channels = 0;
  };

  /// The layer has the line of PALEO's for errors of the reader.
  End append(const PaleoLayer& layer, const std::string& name, const std::string& kind,
             const std::vector<End>& from) {
    std::vector<SpecNode> inputs;
    for (const End& end : from) inputs.push_back(text_node(end.name));
    made_.push_back(object_node({{"name", text_node(name)},
                                 {"type", text_node(kind)},
                                 {"inputs", list_node(std::move(inputs))}}));
    made_.back().line = layer.spec.node().line;
    made_.back().column = layer.spec.node().column;
    return {name, from.front().channels};
  }

  static void set_attributes(const PaleoLayer& layer, const std::vector<End>& from, End& end,
                             SpecNode& made) {
    const SpecView& spec = layer.spec;
    const std::string type = spec.get("type").as_text();
    const auto set = [&](std::string key, SpecNode value) {
      made.members.emplace_back(std::move(key), std::move(value));
    };
    const bool is_conv = type == "Convolution";
    if (is_conv || type == "Pooling" || type == "AvgPool") {
      const PaleoSizes window = read_sizes(spec, is_conv ? "filter" : "ksize");
      if (is_conv && window[2] != end.channels) {
        spec.get("filter").fail(
            fmt::format("{} input channels", window[2]),
            fmt::format("{}, those of {}", end.channels, in_quotes(layer.parents.front())));
      }
      if (is_conv) set("filters", integer_node(end.channels = window[3] / layer.devices));
      const PaleoSizes strides = read_sizes(spec, "strides");
      set("kernel", is_conv ? pair_node(window[0], window[1]) : pair_node(window[1], window[2]));
      set("stride", pair_node(strides[1], strides[2]));
      const SpecView padding = spec.get("padding");
      const bool in_words = padding.type() == SpecType::kText;
      set("padding", !in_words                                        ? padding.node()
                     : padding.as_choice({"SAME", "VALID"}) == "SAME" ? text_node("same")
                                                                      : text_node("valid"));
    } else if (type == "InnerProduct") {
      set("units", integer_node(end.channels = spec.get("num_outputs").as_integer(1, kMaxSize)));
    } else if (type == "Dropout") {
      set("rate", number_node(1 - spec.get("dropout_keep_prob").as_ratio(0, 1)));
    } else if (type == "Concatenate") {
      // Of NHWC, where the channels are last, as an axis of CHW.
      const std::int64_t axis = spec.get("dim").as_integer(1, 3) % 3;
      set("axis", integer_node(axis));
      for (std::size_t i = 1; i < from.size() && axis == 0; ++i) {
        end.channels = std::min(end.channels + from[i].channels, kMaxSize);
      }
    }
  }

  std::vector<PaleoLayer> layers_;
  std::map<std::string, std::vector<std::string>> aliases_;  ///< of blocks and of LAYER@all
  std::map<std::string, End> ends_;                          ///< by PALEO's names
  std::vector<SpecNode> inputs_;
  std::vector<SpecNode> made_;
};

}  // namespace

bool is_paleo_network(const SpecDocument& document) {
  bool found = false;
  for (const auto& [key, value] : document.root.members) {
    if (key == "format") return false;
    found = found || (key == "layers" && value.type == SpecType::kObject);
  }
  return found;
}

SpecDocument convert_paleo_network(const SpecDocument& document) {
  return {document.file, PaleoConverter().convert(document)};
}

}  // namespace ooc
