// Are the compute times true where a profile's efficiencies were set by published ones? T12: the public
// convnet-benchmarks on a Titan X (Maxwell) with cuDNN 4, eight times with one set of efficiencies and
// the fastest algorithms that the model has for that library. T2's baseline: ResNet-50 in core on a
// P100, which sets that chip's efficiency. These are fits, not predictions: the tests hold profiles and
// formulas together. Sources: docs/validation.md.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/cost/compute_cost.hpp"
#include "model/graph/build_training_graph.hpp"
#include "model/hardware/profile_json.hpp"
#include "model/network/network_json.hpp"

using namespace ooc;

namespace {

const std::string kRoot = OOC_SOURCE_DIR;

struct Milliseconds {
  double forward = 0;
  double whole = 0;      ///< forward + backward
  double iteration = 0;  ///< and the updates
};

/// The sum of all tasks, each in its fastest way.
Milliseconds fastest(const std::string& network, const std::string& machine, std::int64_t batch) {
  const Network net = read_network_file(kRoot + "/networks/" + network + ".json");
  const HardwareProfile profile = read_profile_file(kRoot + "/hwprofiles/" + machine + ".json");
  const TrainingGraph graph = build_training_graph(net);
  const CostTable costs = estimate_compute(graph, profile, {.batch = batch, .layer_times = {}});
  Milliseconds sum;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const auto of = [&](std::size_t task) {
      return costs.alternatives.begin() + costs.first_alternative[task];
    };
    const auto least = std::min_element(
        of(i), of(i + 1), [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
    const double time = least->seconds * 1e3;
    if (i < graph.forward_tasks) sum.forward += time;
    if (i < graph.backward_end) sum.whole += time;
    sum.iteration += time;
  }
  return sum;
}

}  // namespace

TEST_CASE("T12: one set of efficiencies meets eight times of convnet-benchmarks within 15 %") {
  struct Case {
    const char* network;
    std::int64_t batch;
    double forward_ms;
    double whole_ms;
  };
  for (const Case& each :
       {Case{"alexnet", 128, 27.4, 90.1}, Case{"overfeat", 128, 91.7, 276.5},
        Case{"googlenet_v1", 128, 125.7, 450.6}, Case{"vgg_a", 64, 164.1, 551.7}}) {
    const Milliseconds ours = fastest(each.network, "titan-x-maxwell", each.batch);
    MESSAGE(std::string(each.network) << ": forward " << ours.forward << " ms against " << each.forward_ms
                         << ", with backward " << ours.whole << " against " << each.whole_ms);
    CHECK(std::abs(ours.forward / each.forward_ms - 1) < 0.15);
    CHECK(std::abs(ours.whole / each.whole_ms - 1) < 0.15);
  }
}

TEST_CASE("T2: the P100 trains ResNet-50 in core at the published 245 images/s, by calibration") {
  const Milliseconds ours = fastest("resnet50", "p100-nvlink1-power8", 191);
  const double rate = 191 / ours.iteration * 1e3;
  MESSAGE("images/s: " << rate);
  CHECK(rate > 245 * 0.99);
  CHECK(rate < 245 * 1.01);
}
