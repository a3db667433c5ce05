// One pass over the layers in file order: copies, parts, and a table from old places to new ones.
#include "model/network/expand_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "model/base/errors.hpp"

namespace ooc {
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
                .inputs = {},
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
  const bool is_plain = std::none_of(network.layers.begin(), network.layers.end(),
                                     [](const Layer& layer) { return layer.model->parts; });
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
