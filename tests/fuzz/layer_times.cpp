// Measured times per layer: read_layer_times_text throws SpecError or returns times of layers that there
// are, each once, in their order and within the limits.
#include "cli/layer_times.hpp"

#include "model/network/network_json.hpp"
#include "tests/fuzz/target.hpp"

namespace ooc::fuzz {
namespace {

const Network& network() {
  static const Network kNetwork = read_network_text(
      R"({"format": "ooc-paleo/network", "version": 1, "name": "small",
          "inputs": [{"name": "data", "shape": [3]}],
          "layers": [{"name": "fc1", "type": "linear", "units": 4},
                     {"name": "a,b \"c\"", "type": "relu"},
                     {"name": "fc2", "type": "linear", "units": 2}]})",
      "small.json");
  return kNetwork;
}

}  // namespace

void consume(std::string_view text) {
  const LayerTime* before = nullptr;
  const std::vector<LayerTime> times = read_layer_times_text(text, "fuzz.csv", network());
  for (const LayerTime& time : times) {
    OOC_CHECK(time.layer.at() < network().layers.size(), "times are of layers that there are");
    OOC_CHECK(before == nullptr || before->layer < time.layer, "each layer once, in their order");
    for (const Duration each : {time.forward, time.backward}) {
      OOC_CHECK(each.count() >= 0 && each.count() <= kMaxTimeNs, "times are within the limits");
    }
    before = &time;
  }
}

std::vector<std::filesystem::path> seed_folders() { return {"tests/fuzz/seeds/layer_times"}; }

}  // namespace ooc::fuzz
