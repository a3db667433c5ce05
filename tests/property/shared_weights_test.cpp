// Do weights count once, whoever uses them? Units add up to the network's parameters, their owners run first,
// and of every unit there is one update, behind the last task that writes its gradient; shared ones last.
#include "tests/support/property_cases.hpp"
#include "tests/support/random_networks.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

void check_units(const Network& network) {
  std::vector<std::size_t> rank(network.layers.size());
  for (std::size_t i = 0; i < rank.size(); ++i) rank[network.execution_order[i].at()] = i;
  std::int64_t parameters = 0;
  std::size_t tied = 0;
  for (const WeightUnit& unit : network.units) {
    parameters += unit.parameters;
    tied += unit.tied.size();
    REQUIRE(network.layers[unit.owner.at()].model->parameters == unit.parameters);
    for (const LayerId user : unit.tied) {
      REQUIRE(network.layers[user.at()].tied_to == unit.owner);
      REQUIRE(rank[unit.owner.at()] < rank[user.at()]);
    }
  }
  REQUIRE(parameters == total_parameters(network));
  REQUIRE(std::count_if(network.layers.begin(), network.layers.end(), [](const Layer& layer) {
            return layer.tied_to.has_value();
          }) == static_cast<std::ptrdiff_t>(tied));
}

bool writes_weights(TaskKind kind) {
  return kind == TaskKind::kBackward || kind == TaskKind::kBackwardWeights;
}

void check_updates(const TrainingGraph& graph) {
  const Network& network = *graph.network;
  std::vector<std::size_t> writer(network.layers.size(), 0);
  std::vector<std::size_t> update(network.layers.size(), 0);
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Task& task = graph.tasks[i];
    if (writes_weights(task.kind)) writer[task.layer.at()] = i;
    if (task.kind != TaskKind::kUpdate) continue;
    REQUIRE(update[task.layer.at()] == 0);
    update[task.layer.at()] = i;
  }
  std::size_t last_own = 0;
  std::size_t first_shared = graph.tasks.size();
  for (const WeightUnit& unit : network.units) {
    if (network.layers[unit.owner.at()].model->custom) continue;
    const std::size_t at = update[unit.owner.at()];
    REQUIRE(unit.is_frozen == (at == 0));
    if (unit.is_frozen) continue;
    REQUIRE(at > writer[unit.owner.at()]);
    // The owner's task completes what the users' began.
    for (const LayerId user : unit.tied) REQUIRE(writer[user.at()] < writer[unit.owner.at()]);
    if (unit.tied.empty()) {
      last_own = std::max(last_own, at);
    } else {
      first_shared = std::min(first_shared, at);
    }
  }
  REQUIRE(last_own < first_shared);
}

TEST_CASE("shared weights have one unit, one gradient and one update") {
  std::set<std::string_view> kinds;
  std::size_t shared = 0;
  const std::uint64_t cases = for_each_seed(600, [&](std::uint64_t seed) {
    Dice dice(seed);
    const NetworkForm form = dice.once_in(4) ? NetworkForm::kGraph : NetworkForm::kSequence;
    const Workload workload = random_workload(dice, form, 20);
    INFO(rerun("property_shared_weights", seed));
    INFO(workload.text);
    check_units(*workload.network);
    check_updates(workload.graph);
    for (const Layer& layer : workload.network->layers) kinds.insert(layer.kind->name);
    for (const WeightUnit& unit : workload.network->units) shared += unit.tied.size();
  });
  if (cases < 600) return;
  CHECK(shared > 20);
  // What the random networks of all properties are made of.
  for (const std::string_view kind :
       {"rms_norm", "rotary", "gated", "parameter", "attention", "layer_norm", "embedding",
        "linear_cross_entropy", "routes", "dispatch", "combine"}) {
    CAPTURE(kind);
    CHECK(kinds.contains(kind));
  }
}

}  // namespace
}  // namespace ooc::test
