// Totals, and the order in which layers run. The order is Kahn's algorithm: among the layers whose producers have all run,
// the one that stands first in the file is next, so that a file already in order keeps its order. O((n + e) log n), no
// recursion: a million layers take about a second. Where layers wait for each other no order exists; then the shortest
// cycle through one of the layers that are stuck is named.
#include "model/network/network.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>
#include <utility>

#include "model/base/csr.hpp"
#include "model/base/errors.hpp"
#include "model/base/named.hpp"

namespace ooc {
namespace {

/// For each producer its readers, in the order of the data.
using Readers = Csr<LayerId, LayerId>;

Readers readers_of(const std::vector<std::vector<LayerId>>& producers_of_layer) {
  std::vector<std::pair<LayerId, LayerId>> edges;
  for (std::size_t reader = 0; reader < producers_of_layer.size(); ++reader) {
    for (const LayerId producer : producers_of_layer[reader]) {
      OOC_CHECK(producer.at() < producers_of_layer.size(), "producers are layers of the network");
      edges.emplace_back(producer, make_id<LayerId>(reader));
    }
  }
  return Readers(producers_of_layer.size(), edges);
}

/// A layer on a cycle: from any stuck layer, upwards along stuck producers until one comes again.
/// Every stuck layer has a stuck producer, else it would have run.
LayerId find_layer_on_cycle(const std::vector<std::vector<LayerId>>& producers_of_layer,
                            const std::vector<std::size_t>& missing) {
  std::size_t layer = 0;
  while (missing[layer] == 0) ++layer;
  std::vector<bool> seen(missing.size(), false);
  while (!seen[layer]) {
    seen[layer] = true;
    std::size_t next = layer;
    for (const LayerId producer : producers_of_layer[layer]) {
      if (missing[producer.at()] > 0) next = producer.at();
    }
    layer = next;
  }
  return make_id<LayerId>(layer);
}

/// The shortest cycle through `start`, breadth first; layers in the order of the data.
Cycle shortest_cycle(const Readers& readers, LayerId start) {
  std::vector<std::optional<LayerId>> came_from(readers.rows());
  std::deque<LayerId> queue{start};
  while (!queue.empty()) {
    const LayerId layer = queue.front();
    queue.pop_front();
    for (const LayerId reader : readers[layer]) {
      if (reader == start) {
        Cycle cycle;
        for (LayerId at = layer; at != start; at = *came_from[at.at()]) cycle.layers.push_back(at);
        cycle.layers.push_back(start);
        std::ranges::reverse(cycle.layers);
        return cycle;
      }
      if (came_from[reader.at()]) continue;
      came_from[reader.at()] = layer;
      queue.push_back(reader);
    }
  }
  check_failed("cycle", "a layer on a cycle reaches itself", __FILE__, __LINE__);
}

template <std::int64_t LayerModel::*kCount>
std::int64_t total(const Network& network) {
  std::int64_t sum = 0;
  for (const Layer& layer : network.layers) sum += (*layer.model).*kCount;
  return sum;
}

}  // namespace

std::optional<std::int64_t> symbol_of(const Network& network, std::string_view name) {
  const SymbolValue* symbol = find_named(network.symbols, name);
  return symbol != nullptr ? std::optional(symbol->value) : std::nullopt;
}

// The reader has checked in 128 bits that these sums fit.
std::int64_t bytes_per_element(const Network& network, const Producer& producer) {
  const auto* input = std::get_if<InputId>(&producer);
  const std::int64_t own =
      input != nullptr
          ? network.inputs[input->at()].bytes_per_element
          : network.layers[std::get<LayerId>(producer).at()].model->output_bytes_per_element;
  return own > 0 ? own : dtype_info(network.dtype).bytes;
}

std::int64_t total_parameters(const Network& network) {
  return total<&LayerModel::parameters>(network);
}

std::int64_t trainable_parameters(const Network& network) {
  std::int64_t sum = 0;
  for (const Layer& layer : network.layers) {
    if (!layer.model->is_frozen) sum += layer.model->parameters;
  }
  return sum;
}

std::int64_t largest_trainable_layer(const Network& network) {
  std::int64_t most = 0;
  for (const Layer& layer : network.layers) {
    if (!layer.model->is_frozen) most = std::max(most, layer.model->parameters);
  }
  return most;
}

std::int64_t active_parameters(const Network& network) {
  return total_parameters(network) - total<&LayerModel::idle_parameters>(network);
}

std::int64_t total_forward_macs(const Network& network) {
  return total<&LayerModel::forward_macs>(network);
}

std::variant<std::vector<LayerId>, Cycle> topological_order(
    const std::vector<std::vector<LayerId>>& producers_of_layer) {
  const Readers readers = readers_of(producers_of_layer);
  std::vector<std::size_t> missing(producers_of_layer.size());
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t layer = 0; layer < missing.size(); ++layer) {
    missing[layer] = producers_of_layer[layer].size();
    if (missing[layer] == 0) ready.push(layer);
  }
  std::vector<LayerId> order;
  order.reserve(missing.size());
  while (!ready.empty()) {
    const std::size_t layer = ready.top();
    ready.pop();
    order.push_back(make_id<LayerId>(layer));
    for (const LayerId reader : readers[order.back()]) {
      if (--missing[reader.at()] == 0) ready.push(reader.at());
    }
  }
  if (order.size() == missing.size()) return order;
  return shortest_cycle(readers, find_layer_on_cycle(producers_of_layer, missing));
}

std::variant<std::vector<LayerId>, Cycle> topological_order(const std::vector<Layer>& layers) {
  std::vector<std::vector<LayerId>> producers(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (const Producer& producer : layers[i].inputs) {
      if (const auto* layer = std::get_if<LayerId>(&producer)) producers[i].push_back(*layer);
    }
  }
  return topological_order(producers);
}

// What "repeat" made has slashes, and the number is a part of its own; in names written by hand a part may be "layer1",
// and a number behind it says which one of it: "layer1_0".

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string_view block_name(std::string_view layer) {
  const bool repeated = layer.find('/') != std::string_view::npos;
  const std::string_view separators = repeated ? "/" : "_.";
  std::size_t counted = 0;  // the end of what counts
  for (std::size_t begin = 0;;) {
    const std::size_t end = layer.find_first_of(separators, begin);
    if (end == std::string_view::npos) return layer.substr(0, counted);
    const std::string_view part = layer.substr(begin, end - begin);
    const bool number = !part.empty() && std::ranges::all_of(part, is_digit);
    const bool counts = !repeated && std::ranges::any_of(part, is_digit);
    if (counted > 0 && !number) return layer.substr(0, counted);
    if (number || counts) counted = end;
    if (number) return layer.substr(0, counted);
    begin = end + 1;
  }
}

}  // namespace ooc
