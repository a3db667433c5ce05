// Is the memory model true where no row of `validate` asks? Saved bytes per image that follow from the layer
// shapes, and a network whose one sample is larger than a card. Sources: docs/validation.md.
#include "model/cost/compute_cost.hpp"
#include "model/cost/transfer_cost.hpp"
#include "model/graph/build_training_graph.hpp"
#include "model/hardware/profile_json.hpp"
#include "model/network/network_json.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/schedules/schedule.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

const std::string kPublishedRoot = OOC_SOURCE_DIR;

Network network(const std::string& name) {
  return read_network_file(kPublishedRoot + "/networks/" + name + ".json");
}

HardwareProfile machine(const std::string& name) {
  return read_profile_file(kPublishedRoot + "/hwprofiles/" + name + ".json");
}

CostTable costs_at(const TrainingGraph& graph, const HardwareProfile& profile, std::int64_t batch) {
  CostTable costs = estimate_compute(graph, profile, {.batch = batch, .layer_times = {}});
  costs.transfers = estimate_transfers(costs.tensor_bytes, profile, {});
  return costs;
}

void check_within(double value, double reference, double tolerance) {
  CAPTURE(value);
  CAPTURE(reference);
  CHECK(value > reference * (1 - tolerance));
  CHECK(value < reference * (1 + tolerance));
}

}  // namespace

TEST_CASE("ResNet-50 saves 84.31 MB and VGG-16 60.99 MB per image under liveness") {
  const Network resnet = network("resnet50");
  const Network vgg = network("vgg16");
  check_within(static_cast<double>(saved_bytes_per_sample(build_training_graph(resnet))) / 1e6,
               84.31, 0.002);
  check_within(static_cast<double>(saved_bytes_per_sample(build_training_graph(vgg))) / 1e6, 60.99,
               0.002);
}

TEST_CASE("the 3D U-Net at 192^3 does not fit 16 GB in-core at batch 1, and does with swapping") {
  const Network net = network("unet3d-brats");
  const TrainingGraph graph = build_training_graph(net);
  const HardwareProfile profile = machine("v100-16gb-pcie3");
  const Bytes budget = profile.near_memory.capacity - profile.near_memory.reserved;
  const CostTable costs = costs_at(graph, profile, 1);
  const PlanResult in_core = find_schedule("in-core")->make_plan({graph, costs, budget});
  REQUIRE(std::holds_alternative<OutOfMemory>(in_core));
  CHECK(saved_bytes_per_sample(graph) > 16'000'000'000);
  const PlanResult swapped = find_schedule("capacity")->make_plan({graph, costs, budget});
  REQUIRE(std::holds_alternative<Plan>(swapped));
  const Outcome outcome =
      simulate({.plan = std::get<Plan>(swapped), .costs = costs, .budget = budget});
  REQUIRE(std::holds_alternative<Timeline>(outcome));
  CHECK(std::get<Timeline>(outcome).peak_near <= budget);
}
