// Small networks for the tests of the reader.
#include "tests/unit/network_support.hpp"

namespace ooc {

std::string network_text(const std::string& layers, const std::string& more) {
  return R"({"format": "ooc-paleo/network", "version": 1, "name": "tiny",
             "inputs": [{"name": "data", "shape": [4, 8, 8]}], "layers": [)" +
         layers + "]" + more + "}";
}

Network read_layers(const std::string& layers, const std::string& more) {
  return read_network_text(network_text(layers, more), "tiny.json");
}

std::string file_error(const std::string& text) {
  return message_of([&] { return read_network_text(text, "tiny.json"); });
}

std::string network_error(const std::string& layers, const std::string& more) {
  return file_error(network_text(layers, more));
}

std::string producer_name(const Network& network, Producer producer) {
  if (const auto* input = std::get_if<InputId>(&producer)) return network.inputs[input->at()].name;
  return network.layers[std::get<LayerId>(producer).at()].name;
}

std::vector<std::string> wiring(const Network& network) {
  std::vector<std::string> lines;
  for (const Layer& layer : network.layers) {
    std::string line = layer.name + ":";
    for (const Producer producer : layer.inputs) line += " " + producer_name(network, producer);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace ooc
