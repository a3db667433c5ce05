// Does `--compute paleo` give PALEO's numbers? Per layer and in all, for networks in PALEO's own form,
// against tables made with PALEO itself (tests/data/paleo-ref): FLOPs exact, times within 1e-9.
#include "model/cost/compute_cost.hpp"
#include "model/graph/build_training_graph.hpp"
#include "model/hardware/profile_json.hpp"
#include "model/network/network_json.hpp"
#include "tests/support/kernel_table.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

const std::string kRoot = OOC_SOURCE_DIR;
using Row = test::TableRow;

/// PALEO's device table: peak in GFLOP/s, bandwidth in the data sheet's GB/s.
HardwareProfile device(const std::string& name) {
  const std::map<std::string, std::pair<std::string, std::string>> table{
      {"K20", {"3520", "208"}},
      {"K40", {"4290", "288"}},
      {"K80", {"5600", "480"}},
      {"TITAN_X", {"6144", "336.5"}}};
  const auto& [gflops, gb] = table.at(name);
  return read_profile_text(
      R"({"format": "ooc-paleo/hardware-profile", "version": 1, "name": "paleo", "description": "PALEO's device",
    "compute": {"peak": {"float32": ")" +
          gflops +
          R"( GFLOP/s"}, "efficiency": {"default": 1.0, "memory": 1.0}, "kernel_launch": "0 us"},
    "near_memory": {"capacity": "12 GiB", "reserved": "0 B", "throughput": ")" +
          gb + R"( GB/s", "latency": "0 us"},
    "far_memory": {"capacity": "512 GiB", "throughput": "76.8 GB/s", "latency": "0 us"},
    "connection": {"name": "none", "duplex": 1.0, "modes": {"pinned": {"to_near": {"throughput": "12 GB/s", "latency": "0 us"},
      "to_far": {"throughput": "12 GB/s", "latency": "0 us"}}}},
    "devices": 1, "provenance": [{"fields": "*", "kind": "published", "source": "PALEO's device table", "date": "2018-03"}]})",
      "paleo device " + name);
}

struct TaskNumbers {
  std::int64_t flops = 0;
  double seconds = 0;
};

void check_ms(double seconds, double reference_ms) {
  CAPTURE(seconds);
  CAPTURE(reference_ms);
  CHECK(std::abs(seconds * 1e3 - reference_ms) <= 1e-9 * reference_ms);
}

/// Compares every layer of the table that our network names; returns how many rows were compared.
int compare(const std::string& network_file, const std::string& table_file) {
  const Network net = read_network_file(kRoot + "/validation/networks/" + network_file);
  const TrainingGraph graph = build_training_graph(net);
  int compared = 0;
  for (const Row& row : test::read_table(kRoot + "/tests/data/paleo-ref/" + table_file)) {
    if (row.at("layer") == "TOTAL" || row.at("type") == "input" || row.at("layer") == "data")
      continue;
    const HardwareProfile profile = device(row.at("device"));
    const std::int64_t batch = std::stoll(row.at("batch"));
    const CostTable costs = estimate_compute(
        graph, profile, {.model = ComputeModel::kPaleo, .batch = batch, .layer_times = {}});
    std::map<TaskKind, TaskNumbers> ours;
    std::string name = row.at("layer");
    std::replace(name.begin(), name.end(), '/', '.');
    bool found = false;
    for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
      const TaskId task = make_id<TaskId>(i);
      if (net.layers[graph.tasks[i].layer.at()].name != name) continue;
      found = true;
      ours[graph.tasks[i].kind] = {task_flops(graph, task, ComputeModel::kPaleo, batch),
                                   costs[costs.default_alternative(task)].seconds};
    }
    CAPTURE(row.at("layer"));
    CAPTURE(row.at("device"));
    CHECK(found);
    const TaskNumbers data = ours.contains(TaskKind::kBackward) ? ours[TaskKind::kBackward]
                                                                : ours[TaskKind::kBackwardData];
    // The reference carries PALEO's floating-point noise (17342595072.000027); its FLOPs are whole.
    CHECK(ours[TaskKind::kForward].flops == std::llround(std::stod(row.at("fwd_flops"))));
    CHECK(data.flops == std::llround(std::stod(row.at("bwd_data_flops"))));
    CHECK(ours[TaskKind::kBackwardWeights].flops ==
          std::llround(std::stod(row.at("bwd_filter_flops"))));
    check_ms(ours[TaskKind::kForward].seconds, std::stod(row.at("fwd_ms")));
    check_ms(data.seconds, std::stod(row.at("bwd_data_ms")));
    check_ms(ours[TaskKind::kBackwardWeights].seconds, std::stod(row.at("bwd_filter_ms")));
    ++compared;
  }
  return compared;
}

}  // namespace

TEST_CASE("networks under PALEO's model agree with PALEO layer by layer") {
  // Layers behind the data x devices x batches. Inception's have batch norms, which PALEO does not count.
  CHECK(compare("paleo_vgg16.json", "vgg16.csv") == 24 * 4 * 2);
  CHECK(compare("paleo_alexnet_v2.json", "alex_v2.csv") == 14 * 4 * 2);
  CHECK(compare("paleo_inception_v3.json", "inception_v3.csv") == 125 * 2);
}

TEST_CASE("whole networks agree with PALEO at either percent of peak") {
  const std::map<std::string, std::string> names{{"vgg16", "paleo_vgg16"},
                                                 {"alex_v2", "paleo_alexnet_v2"},
                                                 {"inception_v3", "paleo_inception_v3"}};
  for (const Row& row : test::read_table(kRoot + "/tests/data/paleo-ref/totals.csv")) {
    const Network net =
        read_network_file(kRoot + "/validation/networks/" + names.at(row.at("net")) + ".json");
    const TrainingGraph graph = build_training_graph(net);
    const CostTable costs = estimate_compute(
        graph, device(row.at("device")),
        {.model = ComputeModel::kPaleo,
         .batch = std::stoll(row.at("batch")),
         .percent_of_peak = Ratio(std::llround(std::stod(row.at("ppp_comp")) * 1e9))});
    std::array<double, 3> seconds{};
    for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
      const std::size_t pass = i < graph.forward_tasks ? 0 : i < graph.backward_end ? 1 : 2;
      seconds[pass] += costs[costs.default_alternative(make_id<TaskId>(i))].seconds;
    }
    CAPTURE(row.at("net"));
    CHECK(total_parameters(net) == std::stoll(row.at("params")));
    check_ms(seconds[0], std::stod(row.at("fwd_ms")));
    check_ms(seconds[1], std::stod(row.at("bwd_ms")));
    check_ms(seconds[2], std::stod(row.at("update_ms")));
  }
}
