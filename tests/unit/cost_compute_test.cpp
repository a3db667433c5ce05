// Task times: the roofline, PALEO's sum, updates, limits.
#include "model/base/errors.hpp"
#include "model/cost/compute_cost.hpp"
#include "model/cost/kernel_cost.hpp"
#include "model/graph/build_training_graph.hpp"
#include "model/hardware/profile_json.hpp"
#include "model/kernels/platform.hpp"
#include "model/kernels/product.hpp"
#include "model/network/network_json.hpp"
#include "tests/support/test.hpp"
#include "tests/support/tiny_specs.hpp"

using namespace ooc;

namespace {

struct Costed {
  Network net;
  TrainingGraph graph;
  HardwareProfile profile;

  Costed(const std::string& layers, const std::string& shape, const std::string& launch = "0 us")
      : net(read_network_text(tiny::network(layers, shape), "tiny")),
        graph(build_training_graph(net)),
        profile(read_profile_text(tiny::machine(launch), "machine")) {}
  Costed(const Costed&) = delete;
  Costed& operator=(const Costed&) = delete;

  [[nodiscard]] Duration time(const std::string& task, const ComputeOptions& options) const {
    const CostTable costs = estimate_compute(graph, profile, options);
    for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
      const TaskId id = make_id<TaskId>(i);
      if (task_name(graph, id) == task) return costs[costs.default_alternative(id)].time;
    }
    FAIL("no task " << task);
    return {};
  }
};

const std::string kLinear = R"({"name": "fc", "type": "linear", "units": 1000, "bias": false})";

/// A V100 by its architecture.
HardwareProfile volta() {
  std::string text = tiny::machine();
  const std::size_t from = text.find("\"efficiency\"");
  const std::size_t to = text.find('}', text.find("kernel_launch"));
  text.replace(from, to - from, R"("architecture": "volta", "multiprocessors": 80)");
  return read_profile_text(
      text, "machine",
      {.limits = {}, .architecture_folders = {OOC_SOURCE_DIR "/hwprofiles/architectures"}});
}

double nanoseconds(double seconds) { return std::round(seconds * 1e9); }

}  // namespace

TEST_CASE("with an architecture a product takes what its kernel takes, whatever the shares say") {
  const Costed it(kLinear, "[1000]");
  const HardwareProfile machine = volta();
  const KernelPlatform platform = kernel_platform(machine, {});
  const CostTable costs = estimate_compute(it.graph, machine, {.batch = 64, .layer_times = {}});
  const double forward = linear_seconds({1000, 64, 1000}, Dtype::kFloat32, platform);
  CHECK(static_cast<double>(costs.alternatives.front().time.count()) == nanoseconds(forward));
  // Twice the machine: the work takes half, the kernel's start what it took.
  const CostTable twice = estimate_compute(
      it.graph, machine, {.batch = 64, .compute_scale = kOne * 2, .layer_times = {}});
  const double start = platform.architecture.kernel_seconds;
  CHECK(twice.alternatives.front().seconds ==
        doctest::Approx((forward - start) / 2 + start).epsilon(1e-9));
}

TEST_CASE("near memory may be infinitely fast, and as fast as rates go times any scale") {
  const Costed it(R"({"name": "c", "type": "conv", "filters": 8, "kernel": 3}, )"
                  R"({"name": "r", "type": "sigmoid"})",
                  "[4, 16, 16]");
  HardwareProfile machine = volta();
  for (const auto& [rate, ratio] :
       {std::pair(kInfiniteRate, kOne), std::pair(kMaxRate, kOne * 1000)}) {
    machine.near_memory.throughput = rate;
    CHECK(kernel_platform(machine, {}, ratio).machine.near_rate >= rate);
    const CostTable costs = estimate_compute(
        it.graph, machine, {.batch = 4, .compute_scale = ratio, .layer_times = {}});
    for (const TaskAlternative& each : costs.alternatives) CHECK(each.time >= Duration(0));
  }
}

TEST_CASE(
    "a convolution's algorithms are its methods, from the one without workspace to the fastest") {
  const Costed it(R"({"name": "c", "type": "conv", "filters": 128, "kernel": 3, "padding": 1})",
                  "[128, 28, 28]");
  const HardwareProfile machine = volta();
  const CostTable costs = estimate_compute(it.graph, machine, {.batch = 32, .layer_times = {}});
  const auto algorithms = costs.alternatives_of(TaskId{0});
  REQUIRE(algorithms.size() >= 3);
  CHECK(algorithms.front().algorithm == Algorithm::kImplicitGemm);
  CHECK(algorithms.front().workspace == Bytes(0));
  for (std::size_t i = 1; i < algorithms.size(); ++i) {
    CHECK(algorithms[i].workspace > algorithms[i - 1].workspace);
    CHECK(algorithms[i].time < algorithms[i - 1].time);
  }
  const KernelPlatform platform = kernel_platform(machine, {});
  const KernelPricer pricer(it.graph, platform, 32);
  CHECK(static_cast<double>(algorithms.back().time.count()) ==
        nanoseconds(pricer.seconds(it.graph.tasks.front())));
  // Of an old library, other ways.
  HardwareProfile old = machine;
  old.cudnn = std::pair{4, 0};
  const CostTable before = estimate_compute(it.graph, old, {.batch = 32, .layer_times = {}});
  for (const TaskAlternative& algorithm : before.alternatives_of(TaskId{0})) {
    CHECK(algorithm.algorithm != Algorithm::kWinograd);
    CHECK(algorithm.algorithm != Algorithm::kWinogradNonfused);
  }
}

TEST_CASE(
    "the sum of a tensor's gradients is paid where the last of them is found, whatever its "
    "algorithm") {
  const auto backward_of = [](const std::string& layers, const char* task) {
    const Costed it(layers, "[64, 32, 32]");
    const CostTable costs = estimate_compute(it.graph, volta(), {.batch = 16, .layer_times = {}});
    for (std::size_t i = 0; i < it.graph.tasks.size(); ++i) {
      const TaskId id = make_id<TaskId>(i);
      if (task_name(it.graph, id) != task) continue;
      return std::pair(costs.alternatives_of(id).front().seconds,
                       costs.alternatives_of(id).back().seconds);
    }
    FAIL("no task " << task);
    return std::pair(0.0, 0.0);
  };
  const std::string first = R"({"name": "a", "type": "conv", "filters": 64, "kernel": 1}, )";
  // Read twice, written once: 64 x 32 x 32 x 16 x 4 B.
  const double sum = streaming_seconds({.bytes = 3.0 * 64 * 32 * 32 * 16 * 4, .kernels = 0},
                                       kernel_platform(volta(), {}));
  for (
      const auto& [reader, task] :
      {std::pair(R"({"name": "b", "type": "sigmoid", "inputs": ["a"]})", "b.backward"),
       std::pair(
           R"({"name": "b", "type": "conv", "filters": 64, "kernel": 3, "padding": 1, "inputs": ["a"]})",
           "b.backward_weights")}) {
    const auto alone = backward_of(first + reader, task);
    const auto both = backward_of(
        first + reader + R"(, {"name": "d", "type": "add", "inputs": ["a", "b"]})", task);
    CHECK(both.first == doctest::Approx(alone.first + sum).epsilon(1e-6));
    CHECK(both.second == doctest::Approx(alone.second + sum).epsilon(1e-6));
  }
}

TEST_CASE("steps of a recurrent layer cost together what the layer costs") {
  const Costed it(R"({"name": "r", "type": "lstm", "units": 256})", "[20, 128]");
  const HardwareProfile machine = volta();
  const CostTable costs = estimate_compute(it.graph, machine, {.batch = 32, .layer_times = {}});
  double forward = 0;
  for (std::size_t i = 0; i < it.graph.forward_tasks; ++i) forward += costs.alternatives[i].seconds;
  const RecurrentTimes layer = recurrent_times(
      {.cell = RecurrentCellKind::kLstm, .hidden = 256, .batch = 32, .steps = 20, .features = 128},
      kernel_platform(machine, {}));
  // And the copies that gather the steps' outputs.
  CHECK(forward >= layer.forward);
  CHECK(forward < layer.forward * 1.3);
}

TEST_CASE("PALEO's model and stated times go before the architecture's prices") {
  const Costed it(kLinear, "[1000]");
  const HardwareProfile machine = volta();
  const CostTable paleo = estimate_compute(
      it.graph, machine, {.model = ComputeModel::kPaleo, .batch = 1, .layer_times = {}});
  CHECK(paleo.alternatives.front().time == Duration(39'327));
  const CostTable stated =
      estimate_compute(it.graph, machine,
                       {.batch = 1, .layer_times = {{LayerId{0}, Duration(1000), Duration(4000)}}});
  CHECK(stated.alternatives.front().time == Duration(1000));
}

TEST_CASE("the host issues by launch what eager operations launch, casts among them") {
  const auto issued = [](const std::string& layer, std::string_view precision = "") {
    std::string text =
        tiny::network(R"({"name": "in", "type": "linear", "units": 64},)" + layer, "[4, 64]");
    if (!precision.empty()) text.insert(1, fmt::format(R"("precision": "{}",)", precision));
    const Network network = read_network_text(text, "tiny");
    const TrainingGraph graph = build_training_graph(network);
    Software software;
    software.issue = Duration(10);
    software.issued_by = IssuedBy::kLaunch;
    HardwareProfile machine = volta();
    machine.peak[Dtype::kFloat16] = machine.peak.at(Dtype::kFloat32);
    const CostTable costs = estimate_compute(graph, machine, {.batch = 2, .software = software});
    std::vector<std::int64_t> times;
    for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
      if (graph.tasks[i].layer == LayerId{1}) {
        times.push_back(
            costs.alternatives[static_cast<std::size_t>(costs.first_alternative[i])].issue.count());
      }
    }
    return times;
  };
  using Times = std::vector<std::int64_t>;
  // The bias' gradient is a sum of its own; updates are free.
  CHECK(issued(R"({"name": "fc", "type": "linear", "units": 8})") == Times{10, 10, 20, 0});
  CHECK(issued(R"({"name": "n", "type": "rms_norm", "form": "eager"})") == Times{60, 120, 0});
  // Its input's other reader has a gradient, too: one sum.
  CHECK(
      issued(
          R"({"name": "a", "type": "relu"}, {"name": "b", "type": "add", "inputs": ["in", "a"]})") ==
      Times{10, 20});
  // Autocast makes 16 bits of weights and bias, and float32 of their gradients; "in" writes 16 bits.
  CHECK(issued(R"({"name": "fc", "type": "linear", "units": 8})", "amp-fp16") ==
        Times{30, 10, 40, 0});
}

TEST_CASE("the host issues a layer's backward tasks together, and updates for nothing") {
  const Costed it(kLinear, "[1000]");
  Software software;
  software.issue = Duration(60);
  const CostTable costs =
      estimate_compute(it.graph, volta(), {.batch = 1, .layer_times = {}, .software = software});
  CHECK(costs.alternatives.front().issue == Duration(60));
  Duration backward;
  for (std::size_t i = it.graph.forward_tasks; i < it.graph.backward_end; ++i) {
    backward += costs.alternatives[i].issue;
  }
  CHECK(backward == Duration(60));
  CHECK(costs.alternatives.back().issue == Duration(0));
}

TEST_CASE("a compute-bound task takes its FLOPs over peak times efficiency") {
  const Costed it(kLinear, "[1000]");
  // 2 x 1000 x 1000 x 1000 samples = 2 GFLOP at 0.5 x 1 TFLOP/s = 4 ms (memory: 12 MB / 100 GB/s =
  // 0.12 ms).
  CHECK(it.time("fc.forward", {.batch = 1000, .layer_times = {}}) == Duration(4'000'000));
}

TEST_CASE("a memory-bound task takes its bytes over the near throughput") {
  const Costed it(kLinear, "[1000]");
  // Batch 1: 2 MFLOP at 0.5 TFLOP/s = 4 us; 4 MB of weights + 8 kB at 100 GB/s = 40.08 us.
  CHECK(it.time("fc.forward", {.batch = 1, .layer_times = {}}) == Duration(40'080));
}

TEST_CASE("products of experts have an efficiency of their own, else that of linear layers") {
  // 1000 rows of 1000 features, each by 1000 units of one of two experts: as many FLOPs as one matrix.
  Costed it(
      R"({"name": "fc", "type": "linear", "units": 1000, "bias": false, "experts": 2, "active": 1})",
      "[1000, 1000]");
  const ComputeOptions options{.batch = 1, .layer_times = {}};
  CHECK(it.time("fc.forward", options) == Duration(4'000'000));
  it.profile.efficiency["linear"] = {{{1.0, 0.8}}};
  CHECK(it.time("fc.forward", options) == Duration(2'500'000));
  it.profile.efficiency["moe"] = {{{1.0, 0.25}}};
  CHECK(it.time("fc.forward", options) == Duration(8'000'000));
}

TEST_CASE("rows for other devices' experts take the time of their link, forward and backward") {
  const std::string moe = tiny::network(
      R"({"name": "m", "type": "moe", "experts": 4, "top_k": 2, "units": 8})", "[1000, 1000]");
  const Network network = read_network_text(moe, "tiny", {.expert_parallel = 4});
  const TrainingGraph graph = build_training_graph(network);
  HardwareProfile machine = read_profile_text(tiny::machine(), "machine");
  machine.peers = {.throughput = BytesPerSecond(100'000'000'000)};
  const ComputeOptions options{
      .batch = 2, .compute_scale = Ratio(2 * kOne.count()), .layer_times = {}};
  const CostTable costs = estimate_compute(graph, machine, options);
  int found = 0;
  for (std::size_t i = 0; i < graph.backward_end; ++i) {
    const std::string& layer = network.layers[graph.tasks[i].layer.at()].name;
    if (layer != "m/send" && layer != "m/back") continue;
    // Three quarters of 2 x 2000 rows of 4 kB at 100 GB/s: 120 us, 20 more to begin.
    CHECK(costs[costs.default_alternative(make_id<TaskId>(i))].time == Duration(140'000));
    ++found;
  }
  CHECK(found == 3);  // nobody wants the gradient of the data, which went with `send`
}

TEST_CASE("every task pays one kernel launch") {
  const Costed it(kLinear, "[1000]", "7 us");
  CHECK(it.time("fc.forward", {.batch = 1, .layer_times = {}}) == Duration(47'080));
}

TEST_CASE("an update moves three elements per parameter and two more of fp32 state with momentum") {
  const Costed it(kLinear, "[1000]");
  // 1e6 parameters x 12 B / 100 GB/s = 120 us.
  CHECK(it.time("fc.update", {.batch = 1, .layer_times = {}}) == Duration(120'000));
  CHECK(it.time("fc.update", {.batch = 1, .layer_times = {}, .clips = true}) == Duration(240'000));
  const TrainingGraph momentum = build_training_graph(it.net, {.optimizer = Optimizer::kMomentum});
  const CostTable costs = estimate_compute(momentum, it.profile, {.batch = 1, .layer_times = {}});
  // 1e6 x 20 B = 200 us; the update is the last task.
  CHECK(costs.alternatives.back().time == Duration(200'000));
}

TEST_CASE("PALEO adds compute and memory time and takes GB/s as GiB/s") {
  const Costed it(kLinear, "[1000]");
  // 2 MFLOP / 1 TFLOP/s = 2 us; (1000 + 1e6 + 1000) x 4 B / (100 x 1.073741824e9 B/s)
  // = 37.32703...e-6 s.
  CHECK(it.time("fc.forward", {.model = ComputeModel::kPaleo, .batch = 1, .layer_times = {}}) ==
        Duration(39'327));
}

TEST_CASE("custom layers take their stated times, halved when compute is twice as fast") {
  const Costed it(
      R"({"name": "a", "type": "custom", "output_shape": [4], "forward_time": "3 ms", "backward_time": "5 ms"})",
      "[2]", "7 us");
  CHECK(it.time("a.forward", {.batch = 64, .layer_times = {}}) == Duration(3'000'000));
  CHECK(it.time("a.backward", {.batch = 64, .layer_times = {}}) == Duration(5'000'000));
  CHECK(it.time("a.backward",
                {.batch = 64, .compute_scale = Ratio(2'000'000'000), .layer_times = {}}) ==
        Duration(2'500'000));
}

TEST_CASE("measured layer times replace the model's; backward is shared out as the model's stand") {
  const Costed it(R"({"name": "one", "type": "linear", "units": 1000, "bias": false},
                   {"name": "two", "type": "linear", "units": 1000, "bias": false})",
                  "[1000]");
  const ComputeOptions options{
      .batch = 1000, .layer_times = {{LayerId{1}, Duration(1'000'000), Duration(6'000'000)}}};
  CHECK(it.time("two.forward", options) == Duration(1'000'000));
  // Both backward tasks of "two" are 2 GFLOP: half of 6 ms each.
  CHECK(it.time("two.backward_data", options) == Duration(3'000'000));
  CHECK(it.time("two.backward_weights", options) == Duration(3'000'000));
  CHECK(it.time("one.forward", options) == Duration(4'000'000));
}

TEST_CASE("a measured time for a task that does not exist is refused, zero is not") {
  const Costed it(kLinear + R"(, {"name": "flat", "type": "flatten"})", "[1000]");
  const auto with = [&](Duration forward, Duration backward, LayerId layer) {
    return ComputeOptions{.batch = 1, .layer_times = {{layer, forward, backward}}};
  };
  CHECK_THROWS_WITH_AS(static_cast<void>(estimate_compute(
                           it.graph, it.profile, with(Duration(1), Duration(0), LayerId{1}))),
                       "--layer-times: layer \"flat\": found a forward time, expected 0 there, or "
                       "a layer that runs a forward "
                       "task (\"flat\" (flatten) has none in this network)",
                       SpecError);
  CHECK_THROWS_AS(static_cast<void>(estimate_compute(it.graph, it.profile,
                                                     with(Duration(0), Duration(1), LayerId{1}))),
                  SpecError);
  CHECK_NOTHROW(static_cast<void>(
      estimate_compute(it.graph, it.profile, with(Duration(0), Duration(0), LayerId{1}))));
}

TEST_CASE("sizes beyond the limits are refused, not wrapped") {
  const Costed it(kLinear, "[1000]");
  CHECK_THROWS_AS(
      static_cast<void>(estimate_compute(it.graph, it.profile, {.batch = 0, .layer_times = {}})),
      SpecError);
  CHECK_THROWS_AS(static_cast<void>(estimate_compute(
                      it.graph, it.profile, {.batch = 1'000'000'000'000, .layer_times = {}})),
                  SpecError);
  // 2^31 samples x 4000 B stay below 2^48; 2^31 x 400 kB do not.
  CHECK_NOTHROW(static_cast<void>(
      estimate_compute(it.graph, it.profile, {.batch = kMaxBatch, .layer_times = {}})));
  const Costed wide(kLinear, "[100000]");
  CHECK_THROWS_AS(static_cast<void>(estimate_compute(wide.graph, wide.profile,
                                                     {.batch = kMaxBatch, .layer_times = {}})),
                  SpecError);
}

TEST_CASE("a profile without the network's dtype says which field to add") {
  const Costed it(kLinear, "[1000]");
  Network half = it.net;
  half.dtype = Dtype::kFloat16;
  const TrainingGraph graph = build_training_graph(half);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(estimate_compute(graph, it.profile, {.batch = 1, .layer_times = {}})),
      "machine: /compute/peak/float16: found nothing, expected the peak rate of float16, the "
      "dtype of network \"tiny\" (add e.g. \"float16\": \"15.7 TFLOP/s\" with its provenance, or "
      "ask for another --dtype: float32)",
      SpecError);
}

TEST_CASE("the workspace of a task grows with the batch, whichever model gives the time") {
  // 16 pairs of queries and keys, 4 bytes each, in the backward task alone.
  const Costed it(R"({"name": "fc", "type": "linear", "units": 6},
    {"name": "a", "type": "attention", "heads": 1})",
                  "[4, 6]");
  for (const ComputeModel model : {ComputeModel::kNative, ComputeModel::kPaleo}) {
    const CostTable costs =
        estimate_compute(it.graph, it.profile, {.model = model, .batch = 3, .layer_times = {}});
    for (std::size_t i = 0; i < it.graph.tasks.size(); ++i) {
      const TaskId id = make_id<TaskId>(i);
      const std::string name = task_name(it.graph, id);
      CAPTURE(name);
      CHECK(costs[costs.default_alternative(id)].workspace ==
            Bytes(name == "a.backward" ? 192 : 0));
    }
  }
}

TEST_CASE("sums over the layers are refused with their value before they wrap") {
  // 32,000 numbers a tensor: at 2^31 samples 2^47.97 bytes. MACs: 5 x 32,000^2 x 2^31 > 2^63.
  const std::string layers =
      R"({"type": "repeat", "times": 5, "layers": [{"name": "fc", "type": "linear", "units": 32000,
          "bias": false}]})";
  const Costed five(layers, "[32000]");
  const auto refusal = [](const Costed& it, std::int64_t batch) {
    const ComputeOptions options{.batch = batch, .layer_times = {}};
    return error_parts([&] { return estimate_compute(it.graph, it.profile, options); }).found;
  };
  CHECK(refusal(five, kMaxBatch) == "10995116277760000000 forward MACs");
  // One layer fewer than wraps MACs: 2 forward, 2 (of the first layer) or 4 backward FLOPs each, and updates.
  const Costed two(R"({"name": "a", "type": "linear", "units": 32000, "bias": false},
                    {"name": "b", "type": "linear", "units": 32000, "bias": false})",
                   "[32000]");
  CHECK(refusal(two, kMaxBatch) == "21990232559616000000 FLOPs in one iteration");
  CHECK(refusal(two, kMaxBatch / 4) == "no error");
  const Costed wide(kLinear, "[40000]");
  CHECK(refusal(wide, kMaxBatch) == "343597383680000 bytes in tensor data");
}

TEST_CASE("work in chunks needs the workspace of a chunk, however large the batch") {
  // 4 rows a sample of 5 logits of 4 + 4 bytes; chunks of 10 rows.
  const Costed it(R"({"name": "fc", "type": "linear", "units": 6},
    {"name": "head", "type": "linear_cross_entropy", "vocabulary": 5, "chunk": 10})",
                  "[4, 6]");
  const auto workspace = [&](std::int64_t batch) {
    const CostTable costs =
        estimate_compute(it.graph, it.profile, {.batch = batch, .layer_times = {}});
    return costs[costs.default_alternative(TaskId{1})].workspace;
  };
  CHECK(workspace(1) == Bytes(160));
  CHECK(workspace(2) == Bytes(320));
  CHECK(workspace(3) == Bytes(400));
  CHECK(workspace(1000) == Bytes(400));
}

TEST_CASE("times and workspace of a custom layer are for the batch, or for each sample") {
  const auto layer = [](const std::string& more) {
    return R"({"name": "a", "type": "custom", "output_shape": [4], "forward_time": "5 us",
               "backward_time": "7 us", "workspace": "10 B")" +
           more + "}";
  };
  const ComputeOptions three{.batch = 3, .layer_times = {}};
  const Costed whole(layer(""), "[4]");
  CHECK(whole.time("a.forward", three) == Duration(5'000));
  const Costed each(layer(R"(, "per": "sample")"), "[4]");
  CHECK(each.time("a.forward", three) == Duration(15'000));
  CHECK(each.time("a.backward", three) == Duration(21'000));
  const CostTable costs = estimate_compute(each.graph, each.profile, three);
  CHECK(costs[costs.default_alternative(TaskId{0})].workspace == Bytes(30));
}
