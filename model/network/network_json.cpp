// Reader of the network format, version 1 (docs/formats.md, 2). The steps: symbols; head and inputs; the tree
// of layers with resolved names, and its unrolling (layer_tree.hpp); the order of execution; shapes and costs in that
// order; outputs; who shares whose weights; the parts of layers that unroll over time; and the sums that the file expects.
#include "model/network/network_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"
#include "model/network/layer_tree.hpp"

namespace ooc {

// Networks in PALEO's own form (Qi, Sparks & Talwalkar, ICLR 2017; its nets/*.json): an object of layers
// by name, NHWC. Rules: docs/paleo.md, 4.
//
// First the blocks are unrolled: a layer of a Block is called BLOCK.LAYER, one of a ModelParallel
// BLOCK.LAYER@DEVICE. Then each layer becomes one of ours with that name, and behind it those that PALEO
// has as attributes: NAME.batch_norm and NAME.relu, which its model does not count.
//
// TensorFlow-Slim's batch norm has an offset and no scale. The offset is the convolution's bias here, so
// that parameters are Slim's and PALEO's.

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
  const auto& members = document.root.members;
  const auto* layers = find_named(members, "layers");
  return layers != nullptr && layers->second.type == SpecType::kObject &&
         find_named(members, "format") == nullptr;
}

SpecDocument convert_paleo_network(const SpecDocument& document) {
  return {document.file, PaleoConverter().convert(document)};
}

// "symbols" of a network file: sizes by name, so that one file serves all sequence lengths (docs/formats.md, 2).
// The values asked for come from the command line, the symbols from the file: the error about a name that is
// not there says what the file has in its place.

namespace {

/// "[1024]", "[3, 224, 224] and [10]": as they stand in the file.
std::string input_shapes(const SpecNode& root) {
  std::string text;
  for (const auto& [key, inputs] : root.members) {
    if (key != "inputs") continue;
    for (const SpecNode& input : inputs.items) {
      for (const auto& [name, shape] : input.members) {
        if (name != "shape") continue;
        std::string dims;
        for (const SpecNode& dim : shape.items) dims += (dims.empty() ? "" : ", ") + dim.text;
        text += (text.empty() ? "[" : " and [") + dims + ']';
      }
    }
  }
  return text;
}

[[noreturn]] void fail_unknown(const SpecDocument& document, const SymbolValue& asked,
                               const std::vector<SymbolValue>& known) {
  const std::vector<std::string> names = names_of(known);
  const std::string found = "no symbol " + asked.name;
  if (names.empty()) {
    const std::string shapes = input_shapes(document.root);
    throw SpecError({document.file, "/symbols", found,
                     fmt::format("one that can be {}", asked.value),
                     shapes.empty() ? "" : "the network's inputs are fixed at " + shapes});
  }
  throw SpecError({document.file, "/symbols", found,
                   fmt::format("one of its symbols: {}", fmt::join(names, ", ")),
                   did_you_mean(asked.name, names)});
}

std::vector<SymbolValue> stated_symbols(const SpecDocument& document) {
  std::vector<SymbolValue> symbols;
  if (document.root.type != SpecType::kObject) return symbols;
  const auto list = SpecView(document).find("symbols");
  if (!list) return symbols;
  for (const auto& [name, value] : list->members()) {
    if (!is_symbol_name(name)) {
      value.fail("a symbol named " + in_quotes(name),
                 "a letter, then letters, digits or \"_\", at most 40 in all");
    }
    symbols.push_back({name, value.as_integer(1, kMaxSize)});
  }
  return symbols;
}

/// Values of `asked`, else of the file. Throws SpecError for a name that the file does not have.
void set_symbols(SpecDocument& document, const std::vector<SymbolValue>& asked) {
  document.symbols = {};  // a symbol is no other symbol's value
  std::vector<SymbolValue> symbols = stated_symbols(document);
  for (const SymbolValue& each : asked) {
    SymbolValue* place = find_named(symbols, each.name);
    if (place == nullptr) fail_unknown(document, each, symbols);
    place->value = each.value;
  }
  document.symbols = SpecSymbols(std::move(symbols));
}

/// Throws SpecError for a symbol that no field uses.
void check_symbols_read(const SpecDocument& document) {
  const SymbolValue* unread = document.symbols.unread();
  if (unread == nullptr) return;
  SpecView(document)
      .get("symbols")
      .get(unread->name)
      .fail(fmt::format("a symbol {} that no size uses", unread->name),
            "shapes or integer fields with " + in_quotes(unread->name));
}

namespace fs = std::filesystem;

void read_head(const SpecView& root, Network& network) {
  check_format(root, "ooc-paleo/network");
  network.name = read_short_text(root.get("name"));
  if (const auto source = root.find("source")) network.source = source->as_text();
  if (const auto batch = root.find("batch")) network.batch = batch->as_integer(1, kMaxBatch);
  if (const auto dtype = root.find("dtype")) {
    network.dtype = named_choice(*dtype, kNetworkDtypes).dtype;
  }
}

/// How the network is trained where nobody says otherwise.
void read_training(const SpecView& root, Network& network) {
  if (const auto precision = root.find("precision")) {
    network.precision = named_choice(*precision, kPrecisions).precision;
  }
  if (const auto optimizer = root.find("optimizer")) {
    network.optimizer = named_choice(*optimizer, kOptimizers, &optimizer_name);
  }
}

/// What is learnt, where layers do not say it themselves.
void read_frozen(const SpecView& root, Network& network) {
  network.frozen = root.flag("frozen", network.frozen);
  if (const auto storage = root.find("storage")) network.storage = read_weight_storage(*storage);
  network.input_gradient = root.flag("input_gradient", network.input_gradient);
}

/// A precision says every type there is. float32 in a file is what files say that leave it open.
void resolve_numbers(const SpecView& root, const NetworkOptions& options, Network& network) {
  const bool from_file = !options.dtype.has_value();
  network.dtype = options.dtype.value_or(network.dtype);
  // The file's is a default, as its batch: a type for everything is asked for in its place.
  const std::optional<Precision> asked =
      options.precision || !from_file ? options.precision : network.precision;
  network.precision = asked;
  if (!asked) return;
  const PrecisionInfo& precision = precision_info(*asked);
  const bool in_float32 = network.dtype == Dtype::kFloat32;
  const bool agrees = network.dtype == precision.dtype || network.dtype == precision.products ||
                      (in_float32 && (from_file || precision.weight == 4));
  if (!agrees) {
    const std::string named =
        fmt::format("{} beside --precision {}", dtype_info(network.dtype).name, precision.name);
    const std::string wanted =
        fmt::format("{}, or one of the two left out", dtype_info(precision.dtype).name);
    if (from_file) root.get("dtype").fail(named, wanted);
    bad_value("--dtype", named, wanted);
  }
  network.dtype = precision.dtype;
  network.precision = precision.precision;
}

/// Numbers of words are whole numbers of 8 bytes, whatever the rest is computed in.
void set_input_bytes(Network& network) {
  constexpr std::int64_t kNumberBytes = 8;
  std::vector<int> tables(network.inputs.size(), 0);
  std::vector<int> others(network.inputs.size(), 0);
  for (const Layer& layer : network.layers) {
    for (const Producer& producer : layer.inputs) {
      if (const auto* id = std::get_if<InputId>(&producer)) {
        ++(layer.kind->traits.numbers == NumberClass::kTable ? tables : others)[id->at()];
      }
    }
  }
  for (std::size_t i = 0; i < network.inputs.size(); ++i) {
    network.inputs[i].bytes_per_element =
        tables[i] > 0 && others[i] == 0 ? kNumberBytes : precision_info(*network.precision).input;
  }
}

NetworkInput read_input(const SpecView& spec, Dtype dtype) {
  NetworkInput input{.name = read_name(spec.get("name"))};
  input.shape = stated_shape(spec.get("shape"), {.dtype = dtype});
  spec.reject_unknown_keys();
  return input;
}

void read_inputs(const SpecView& list, Network& network) {
  std::set<std::string> names;
  Int128 bytes = 0;
  for (const SpecView& item : list.items()) {
    NetworkInput input = read_input(item, network.dtype);
    if (!names.insert(input.name).second) {
      item.get("name").fail(fmt::format("a second input named \"{}\"", input.name), "unique names");
    }
    bytes += elements(input.shape).value() * dtype_info(network.dtype).bytes;
    if (bytes >= kMaxTotalBytes) {
      item.fail(fmt::format("2^56 bytes a sample or more in all inputs up to \"{}\"", input.name),
                "smaller inputs");
    }
    network.inputs.push_back(std::move(input));
  }
  if (network.inputs.empty()) list.fail("an empty list", "one or more inputs");
}

[[noreturn]] void fail_cycle(const Cycle& cycle, const UnrolledLayers& unrolled) {
  constexpr std::size_t kMostNames = 12;
  std::string names;
  for (std::size_t i = 0; i < cycle.layers.size() && i < kMostNames; ++i) {
    names += unrolled.layers[cycle.layers[i].at()].name + " -> ";
  }
  if (cycle.layers.size() > kMostNames) {
    names += fmt::format("({} more) -> ", cycle.layers.size() - kMostNames);
  }
  const LayerId first = cycle.layers.front();
  names += unrolled.layers[first.at()].name;
  unrolled.entries[first.at()]->spec.fail("a cycle: " + names, "layers that can run one by one");
}

void order_layers(const UnrolledLayers& unrolled, Network& network) {
  auto order = topological_order(unrolled.layers);
  if (const auto* cycle = std::get_if<Cycle>(&order)) fail_cycle(*cycle, unrolled);
  network.execution_order = std::get<std::vector<LayerId>>(std::move(order));
}

void read_outputs(const SpecView& root, const LayerTree& tree, Network& network) {
  const std::optional<SpecView> list = root.find("outputs");
  if (!list) {
    network.outputs.push_back(make_id<LayerId>(network.layers.size() - 1));
    return;
  }
  std::vector<bool> taken(network.layers.size(), false);
  for (const SpecView& item : list->items()) {
    const LayerId layer = find_layer(tree, item);
    if (taken[layer.at()]) item.fail(item.found() + " again", "each output once");
    taken[layer.at()] = true;
    network.outputs.push_back(layer);
  }
  if (network.outputs.empty()) list->fail("an empty list", "one or more layers");
}

void check_all_read(const Network& network, const std::vector<const Entry*>& entries) {
  std::vector<bool> is_used(network.layers.size(), false);
  for (const LayerId output : network.outputs) is_used[output.at()] = true;
  for (const Layer& layer : network.layers) {
    for (const Producer producer : layer.inputs) {
      if (const auto* id = std::get_if<LayerId>(&producer)) is_used[id->at()] = true;
    }
  }
  for (std::size_t i = 0; i < is_used.size(); ++i) {
    if (is_used[i]) continue;
    entries[i]->spec.fail(fmt::format("layer \"{}\" that no layer reads", network.layers[i].name),
                          "a reader, or its name in \"outputs\"");
  }
}

void check_experts(const Network& network) {
  const auto splits = [](const Layer& layer) {
    const auto& parts = layer.model->parts;
    return parts && std::ranges::any_of(*parts, [](const LayerPart& part) {
             return part.model.expert_devices > 1;
           });
  };
  const auto& layers = network.layers;
  if (network.expert_parallel == 1 || std::ranges::any_of(layers, splits)) return;
  bad_value("--expert-parallel", fmt::format("{} for {}", network.expert_parallel, network.name),
            "a network with mixtures of experts, or no such option");
}

void check_expected(const SpecView& expect, std::string_view key, std::int64_t actual) {
  const std::optional<SpecView> stated = expect.find(key);
  if (!stated) return;
  const std::int64_t number = stated->as_integer(0, std::numeric_limits<std::int64_t>::max());
  if (number == actual) return;
  stated->fail(fmt::format("{}", number), fmt::format("{}, the sum over the layers", actual));
}

/// The file knows nothing of adapters that are asked for: what is frozen is what it expects.
void check_frozen(const SpecView& expect, const Network& network) {
  check_expected(expect, "parameters", total_parameters(network) - trainable_parameters(network));
}

void check_expected(const SpecView& expect, const Network& network) {
  check_expected(expect, "parameters", total_parameters(network));
  check_expected(expect, "trainable_parameters", trainable_parameters(network));
  check_expected(expect, "forward_macs", total_forward_macs(network));
  expect.reject_unknown_keys();
}

/// What a network file says, no flag changes.
[[noreturn]] void refuse_kernels(const SpecDocument& network, const NetworkOptions& options) {
  throw SpecError({.place = options.kernels ? "--kernels" : "--loss",
                   .found = "cannot be combined with " + network.file + ", a network file",
                   .expected = "give a config.json, or its folder, as NETWORK",
                   .hint = "a network file says itself what its layers keep",
                   .is_sentence = true});
}

/// A network file, or what it was made of where a flag of configs is given; and whether it is of a config.
std::pair<SpecDocument, bool> read_file(const std::string& path, NetworkOptions& options) {
  if (is_onnx(path)) {
    if (options.onnx == nullptr) {
      throw SpecError(
          {path, "", "an ONNX model", "a network file", "`ooc-paleo import` writes one"});
    }
    return {options.onnx(path, options), false};
  }
  SpecDocument document = read_spec_file(path, options.limits);
  const SpecView view(document);
  const bool is_object = view.type() == SpecType::kObject;
  if (const auto kind = is_object ? view.find("_class_name") : std::nullopt) {
    kind->fail("a config of diffusers", "a network file, or a config.json of Transformers",
               "scripts/from_torch.py writes one of any model");
  }
  if (!is_checkpoint_config(document)) {
    if (!options.kernels && options.loss.empty()) return {std::move(document), false};
    const fs::path file(path);
    const fs::path config = file.parent_path() / "configs" / file.stem() / "config.json";
    std::error_code ignored;
    if (!fs::is_regular_file(config, ignored)) refuse_kernels(document, options);
    document = read_spec_file(config.string(), options.limits);
  }
  return {read_spec_text(import_config(document, options), document.file, options.limits), true};
}

}  // namespace

Network read_network(SpecDocument document, const NetworkOptions& options) {
  if (is_paleo_network(document)) document = convert_paleo_network(document);
  set_symbols(document, options.symbols);
  const bool fused = options.kernels == ImportKernels::kFused;
  if (options.adapters) add_adapters(document, *options.adapters, fused);
  const SpecView root(document);
  Network network;
  read_head(root, network);
  read_training(root, network);
  read_frozen(root, network);
  resolve_numbers(root, options, network);
  network.symbols = document.symbols.values();
  network.expert_parallel = options.expert_parallel;
  read_inputs(root.get("inputs"), network);
  const SpecView layers = root.get("layers");
  const std::optional<SpecView> expect = root.find("expect");
  (void)root.find("outputs");
  root.reject_unknown_keys({"description", "symbols"});

  const InputNames input_names = names_of(network.inputs);
  LayerTree tree = read_layer_tree(layers, input_names, options.copies);
  network.scaling = std::move(tree.scaling);
  UnrolledLayers unrolled = unroll(tree);
  order_layers(unrolled, network);
  network.layers = std::move(unrolled.layers);
  if (network.precision) set_input_bytes(network);
  infer_layers(unrolled.entries, tree.entry_count, network);
  read_outputs(root, tree, network);
  check_all_read(network, unrolled.entries);
  check_experts(network);
  check_ties(unrolled.entries, network);
  expand_parts(unrolled.entries, network);
  check_symbols_read(document);
  find_weight_units(network);

  // What is expected is stated at the file's own sizes.
  if (!expect || options.copies || !options.symbols.empty() || options.expert_parallel > 1) {
    return network;
  }
  options.adapters ? check_frozen(*expect, network) : check_expected(*expect, network);
  return network;
}

Network read_network_file(const std::string& path, const NetworkOptions& options) {
  NetworkOptions own = options;
  auto [document, is_imported] = read_file(path, own);
  const auto description = is_onnx(path) ? SpecView(document).find("description") : std::nullopt;
  std::string remark = description ? description->as_text() : "";
  Network network = read_network(std::move(document), own);
  network.remark = std::move(remark);
  network.is_imported = is_imported;
  return network;
}

}  // namespace ooc
