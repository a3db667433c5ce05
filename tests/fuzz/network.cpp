// Network files: whatever the text, read_network_text either throws SpecError or returns a network
// that the next stages can count and build a graph of.

#include "model/graph/build_training_graph.hpp"
#include "model/graph/training_graph.hpp"
#include "model/network/network_json.hpp"
#include "tests/fuzz/target.hpp"

namespace ooc::fuzz {

void consume(std::string_view text) {
  const Network network = read_network_text(text, "fuzz.json");
  (void)total_parameters(network);
  (void)total_forward_macs(network);
  // `repeat` turns a few bytes into a million layers: legal, but a fuzzer has no time for it.
  if (network.layers.size() <= 2000) {
    const TrainingGraph graph = build_training_graph(network);
    (void)live_bytes_per_sample(graph);
  }
}

std::vector<std::filesystem::path> seed_folders() {
  return {"tests/fuzz/seeds/network", "networks"};
}

}  // namespace ooc::fuzz
