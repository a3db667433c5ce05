// Reader of the network format, version 1 (docs/formats.md, 2). The steps: head and inputs; the
// tree of layers with resolved names (layer_tree.hpp); unrolling (unroll.hpp); the order of
// execution; shapes and costs in that order (infer_layers.hpp); outputs; the parts of layers that
// unroll over time (expand_parts.hpp); and the sums that the file expects.
#include "model/network/network_json.hpp"

#include <fmt/format.h>

#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"
#include "model/network/expand_parts.hpp"
#include "model/network/infer_layers.hpp"
#include "model/network/layer_tree.hpp"
#include "model/network/unroll.hpp"

namespace ooc {
namespace {

void read_head(const SpecView& root, Network& network) {
  const SpecView format = root.get("format");
  if (format.as_text() != "ooc-paleo/network") {
    format.fail(format.found(), "\"ooc-paleo/network\"");
  }
  (void)root.get("version").as_integer(1, 1);
  network.name = read_short_text(root.get("name"));
  if (const auto source = root.find("source")) network.source = source->as_text();
  if (const auto batch = root.find("batch")) network.batch = batch->as_integer(1, kMaxBatch);
  if (const auto dtype = root.find("dtype")) {
    std::vector<std::string> names;
    for (const DtypeInfo& info : kDtypes) names.emplace_back(info.name);
    network.dtype = *find_dtype(dtype->as_choice(names));
  }
}

NetworkInput read_input(const SpecView& spec, Dtype dtype) {
  NetworkInput input{.name = read_name(spec.get("name")), .shape = {}};
  const SpecView shape = spec.get("shape");
  std::vector<std::int64_t> dims;
  for (const SpecView& item : shape.items()) dims.push_back(item.as_integer(1, kMaxSize));
  if (dims.empty()) shape.fail("an empty list", "one or more sizes, channels first");
  input.shape = output_shape(shape, {.shapes = {}, .dtype = dtype}, dims);
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

void check_expected(const SpecView& expect, std::string_view key, std::int64_t actual) {
  const std::optional<SpecView> stated = expect.find(key);
  if (!stated) return;
  const std::int64_t number = stated->as_integer(0, std::numeric_limits<std::int64_t>::max());
  if (number == actual) return;
  stated->fail(fmt::format("{}", number), fmt::format("{}, the sum over the layers", actual));
}

}  // namespace

Network read_network(const SpecDocument& document, const NetworkOptions& options) {
  const SpecView root(document);
  Network network;
  read_head(root, network);
  network.dtype = options.dtype.value_or(network.dtype);
  read_inputs(root.get("inputs"), network);
  const SpecView layers = root.get("layers");
  const std::optional<SpecView> expect = root.find("expect");
  (void)root.find("outputs");
  root.reject_unknown_keys({"$schema", "description"});

  InputNames input_names;
  for (const NetworkInput& input : network.inputs) input_names.push_back(input.name);
  LayerTree tree = read_layer_tree(layers, input_names, options.copies);
  network.scaling = std::move(tree.scaling);
  UnrolledLayers unrolled = unroll(tree);
  order_layers(unrolled, network);
  network.layers = std::move(unrolled.layers);
  infer_layers(unrolled.entries, tree.entry_count, network);
  read_outputs(root, tree, network);
  check_all_read(network, unrolled.entries);
  expand_parts(unrolled.entries, network);

  if (expect && !options.copies) {
    check_expected(*expect, "parameters", total_parameters(network));
    check_expected(*expect, "forward_macs", total_forward_macs(network));
    expect->reject_unknown_keys();
  }
  return network;
}

Network read_network_file(const std::string& path, const NetworkOptions& options) {
  return read_network(read_spec_file(path, options.limits), options);
}

Network read_network_text(std::string_view text, const std::string& file) {
  return read_network(read_spec_text(text, file));
}

}  // namespace ooc
