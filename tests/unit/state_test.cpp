// Do weights, gradients and optimiser state that move take the time that a sum on paper says? Three layers with 10 ms
// forward and 20 ms backward, weights and gradients of 1 GB each, 100 GB/s both ways (10 ms a copy), far updates of
// 30 ms each, near ones for nothing.
#include "simulator/predict/planning.hpp"
#include "simulator/summary/memory_use.hpp"
#include "tests/support/schedule_example.hpp"
#include "tests/support/state_example.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

/// 250 million float32 weights a layer. Backward of `a` has one task, of the others two.
Workload three_layers(Optimizer optimizer = Optimizer::kSgd, bool freezes = false) {
  std::string text = R"({
    "format": "ooc-paleo/network", "version": 1, "name": "three", "source": "made up",
    "dtype": "float32", "inputs": [ { "name": "data", "shape": [1] } ],
    "layers": [
      { "name": "a", "type": "linear", "units": 250000000, "bias": false },
      { "name": "b", "type": "linear", "units": 1, "bias": false },
      { "name": "c", "type": "linear", "units": 250000000, "bias": false }
    ] })";
  for (const char* name : {"\"a\"", "\"c\""}) {
    if (freezes) text.insert(text.find(name) + 3, ", \"frozen\": true");
  }
  Workload made = workload_of_text(text.c_str(), 1);
  made.graph = build_training_graph(*made.network, {.optimizer = optimizer});
  for (std::size_t i = 0; i < made.graph.tasks.size(); ++i) {
    const Task& task = made.graph.tasks[i];
    Duration& time =
        made.costs.alternatives[static_cast<std::size_t>(made.costs.first_alternative[i])].time;
    time = kMillisecond * 10;
    if (task.kind == TaskKind::kBackwardWeights && task.layer.at() == 0) time = kMillisecond * 20;
    if (task.kind == TaskKind::kUpdate) time = Duration(0);
  }
  made.costs.static_bytes =
      Bytes(made.graph.weight_bytes + made.graph.gradient_bytes + made.graph.optimizer_bytes);
  return made;
}

/// sgd in float32: 4 B of gradient and 4 B of weight read, 4 B written: 3 GB a layer.
constexpr FarCompute kFar{.throughput = BytesPerSecond(100'000'000'000)};
constexpr LinkSpec kLink{.to_far = BytesPerSecond(100'000'000'000),
                         .to_near = BytesPerSecond(100'000'000'000)};
constexpr Bytes kPlenty = kGigabyte * 100;

struct StateRan {
  std::int64_t milliseconds = 0;
  Bytes peak;
  Duration update_waits;
  Duration hooks;
};

StateRan ran(const StateOptions& options, std::int64_t rounds = 1, Duration issue = {},
             const FarCompute& far = kFar) {
  Workload workload = three_layers();
  for (std::size_t i = 0; i < workload.graph.backward_end; ++i) {
    const std::int32_t first = workload.costs.first_alternative[i];
    workload.costs.alternatives[static_cast<std::size_t>(first)].issue = issue;
  }
  const StateExample example(workload, options, far, kLink, rounds);
  const Timeline timeline = example.run(*find_schedule("in-core"), kPlenty);
  // Each round but the first begins with its input, a word: 1 ns.
  CHECK(timeline.iteration_time.count() % kMillisecond.count() <= rounds - 1);
  Duration sum = timeline.busy;
  for (const Duration stall : timeline.stall_totals) sum += stall;
  CHECK(sum == timeline.iteration_time);
  return {timeline.iteration_time.count() / kMillisecond.count(), timeline.peak_near,
          timeline.stall_totals[static_cast<std::size_t>(StallCause::kUpdate)],
          timeline.stall_totals[static_cast<std::size_t>(StallCause::kHooks)]};
}

TEST_CASE("state: near updates of nothing take what computing takes") {
  const Workload workload = three_layers();
  const StateExample example(workload, {}, kFar, kLink);
  CHECK(example.run(*find_schedule("in-core"), kPlenty).iteration_time == kMillisecond * 90);
}

TEST_CASE("state: far updates after all gradients") {
  // Gradients go at 50, 70 and 90 and take 10 ms; updates 100 to 190, each weight 10 ms behind its own.
  const StateRan all = ran({.optimizer = kOne, .gradients = true});
  CHECK(all.milliseconds == 200);
  CHECK(all.update_waits == kMillisecond * 100);
  // Pageable ones behind all updates: 190 to 220.
  CHECK(ran({.optimizer = kOne, .gradients = true, .pageable_returns = true}).milliseconds == 220);
  // 90: all out by 120 (megatron's way); updates to 210; weights 210 to 240.
  CHECK(ran({.optimizer = kOne, .pipelined = false}).milliseconds == 240);
}

TEST_CASE("state: far updates each after its own gradient") {
  // 60 to 90, 90 to 120, 120 to 150, the last weight to 160.
  const StateRan each = ran({.optimizer = kOne, .gradients = true, .after = UpdateAfter::kEach});
  CHECK(each.milliseconds == 160);
  CHECK(each.update_waits == kMillisecond * 70);
}

TEST_CASE("state: far updates tensor by tensor begin behind all that the host launches") {
  const StateOptions each{.optimizer = kOne, .gradients = true, .after = UpdateAfter::kEach};
  // Eight tasks issued by 80, the last of which ends at 100; updates 80 to 110, 140, 170, the last weight to 180.
  CHECK(ran(each, 1, kMillisecond * 10).milliseconds == 180);
  FarCompute slow = kFar;
  slow.per_tensor = kMillisecond * 5;
  CHECK(ran(each, 1, kMillisecond * 10, slow).milliseconds == 195);
  // All at once, they wait for the last gradient anyway: 110 to 200.
  CHECK(ran({.optimizer = kOne, .gradients = true}, 1, kMillisecond * 10, slow).milliseconds ==
        210);
  FarCompute clipping = kFar;
  clipping.ns_to_clip = 0.02;  // 5 ms of 250 M parameters a layer
  CHECK(ran({.optimizer = kOne, .gradients = true}, 1, {}, clipping).milliseconds == 215);
}

TEST_CASE("state: hooks on weights hold the host up") {
  StateOptions far{.optimizer = kOne, .gradients = true, .hooks = kMillisecond * 80};
  CHECK(ran(far).milliseconds == 200);  // none on weights that stay near
  // Forward issued at 40, 80, 120, backward at 140, 160, 180, 200, 240; the last gradient out at 270, updates to 360.
  far.hooks_on = HooksOn::kAll;
  CHECK(ran(far).milliseconds == 370);
  CHECK(ran(far).hooks == kMillisecond * 170);  // to 260, of which 90 compute
  far.hooks_on = HooksOn::kUnits;               // of one tensor each
  CHECK(ran(far).milliseconds == 370);
  StateOptions whole = far;  // what is in no block is one unit of three tensors: 30 ms each
  whole.hooks = kMillisecond * 90;
  whole.units = StateUnits::kBlock;
  whole.sharding = Sharding::kFsdp1;
  StateOptions parts = whole;
  parts.hooks_on = HooksOn::kAll;
  parts.hooks = kMillisecond * 30;
  CHECK(ran(whole).milliseconds == ran(parts).milliseconds);
  CHECK(ran(whole).milliseconds < 370);
  far.hooks_on = HooksOn::kSharded;
  const StateOptions summed{.hooks = kMillisecond * 80, .shard = Shard::kGradients, .devices = 4};
  CHECK(ran(summed).hooks > Duration(0));
  far.hooks_on = HooksOn::kAll;
  far.update_passes = 12;  // as many bytes again; sums of 3 GB
  CHECK(ran(far, 2).milliseconds == 240 + 370 + 90 + 30);
}

TEST_CASE("state: far updates one step late hide behind the iteration") {
  // 0 to 90; the weights then, 90 to 120.
  CHECK(ran({.optimizer = kOne, .gradients = true, .delayed = true}).milliseconds == 120);
}

TEST_CASE("state: weights come one unit ahead, the turn stays") {
  // Weights 0-10, 10-20, 20-30, 40-50, 60-70; forward 10-40, backward 40-100, the last gradient 110, updates 110-200.
  const StateRan far = ran({.optimizer = kOne, .gradients = true, .weights = kOne});
  CHECK(far.milliseconds == 200);
  // Two units of weights and two of gradients at most; activations are words.
  CHECK(far.peak >= kGigabyte * 4);
  CHECK(far.peak < kGigabyte * 4 + kGigabyte * 4);
  // Without looking ahead every unit waits: 10 + 10 thrice, c stays for the turn, backward 20 + 10 + 20 + 10 + 20.
  const StateRan none = ran({.optimizer = kOne, .gradients = true, .weights = kOne, .prefetch = 0});
  CHECK(none.milliseconds == 60 + 20 + 30 + 30 + 10 + 90);
}

TEST_CASE("state: shards of four devices are summed, updated and gathered") {
  // Of 1 GB three quarters go over the devices' links, 75 GB/s: 10 ms. Gradients 50-60, 70-80, 90-100, updates of
  // nothing, weights to 130.
  const auto sharded = [](Shard what) { return StateOptions{.shard = what, .devices = 4}; };
  CHECK(ran(sharded(Shard::kOptimizer)).milliseconds == 130);
  CHECK(ran(sharded(Shard::kGradients)).milliseconds == 130);
  // Weights 0-10, 10-20, 20-30, 40-50, 60-70; forward 10-40, backward 40-100, the last gradient to 110.
  CHECK(ran(sharded(Shard::kWeights)).milliseconds == 110);
  // Each micro-batch's gradients are summed: the second's to 190, weights to 220. Behind both: the same.
  CHECK(ran(sharded(Shard::kGradients), 2).milliseconds == 220);
  StateOptions alone = sharded(Shard::kWeights);
  alone.devices = 1;
  CHECK(ran(alone).milliseconds == 90);
}

TEST_CASE("state: devices that share none sum whole gradients by buckets") {
  // Three quarters of 1 GB to each device, then as much from each, at 75 GB/s: 20 ms. Backward completes c at 50, b at
  // 70, a at 90.
  StateOptions options{.devices = 4};
  CHECK(ran(options).milliseconds == 110);
  CHECK(ran(options, 2).milliseconds == 200);  // those of both micro-batches
  options.pipelined = false;
  CHECK(ran(options).milliseconds == 150);
  // c fills the first, a 25th of 1.5 GB; b and a the second.
  options = {.devices = 4, .bucket = 1'500'000'000};
  CHECK(ran(options).milliseconds == 90 + 40);
  const MovingState moving = move_state(three_layers().graph, options);
  REQUIRE(moving.gradients.size() == 2);
  CHECK(moving.units[0].owners.size() == 2);
  CHECK(tensor_name(moving.graph, moving.gradients[0].gradient) == "bucket.1.weight.grad");
  CHECK(moving.graph.gradient_bytes == three_layers().graph.gradient_bytes);
  CHECK(largest_share(10, 4) == 3);
}

TEST_CASE("state: gradients of layers whose times are stated are summed too") {
  // Forward 1 ms, backward 2 ms; 2 MB of gradients, 3 MB at 75 GB/s: 40 us.
  const Workload workload = workload_of_text(R"({
    "format": "ooc-paleo/network", "version": 1, "name": "stated", "source": "made up",
    "dtype": "float32", "inputs": [{"name": "data", "shape": [10]}],
    "layers": [{"name": "a", "type": "custom", "output_shape": [10], "forward_time": "1 ms",
                "backward_time": "2 ms", "parameters": 500000}]})",
                                             1);
  const StateExample example(workload, {.devices = 4}, kFar, kLink);
  CHECK(example.run(*find_schedule("in-core"), kPlenty).iteration_time == Duration(3'040'000));
}

TEST_CASE("state: no plan is quicker than compute up to the first gradient and all sums") {
  const Workload workload = three_layers();
  for (const bool pipelined : {true, false}) {
    const StateExample example(workload, {.pipelined = pipelined, .devices = 4}, kFar, kLink);
    CHECK(state_bound(example.moving, example.costs, TaskOrder::kOnce) ==
          example.run(*find_schedule("in-core"), kPlenty).iteration_time);
  }
}

TEST_CASE("state: collectives take from the kernels beside them") {
  const auto slowed = [](const StateOptions& options, std::int64_t rounds, double taken,
                         bool is_root = false) {
    const Workload workload = three_layers();
    StateExample example(workload, options, kFar, kLink, rounds);
    example.moving.units[0].is_root = is_root;
    PeerLink peers = kPeers;
    peers.taken = Ratio(std::llround(taken * static_cast<double>(kOne.count())));
    slow_beside_collectives(example.moving, peers, example.costs);
    const Timeline timeline = example.run(*find_schedule("in-core"), kPlenty);
    return timeline.iteration_time.count() / kMillisecond.count();
  };
  StateOptions options{.shard = Shard::kGradients, .devices = 4};
  // Sums of 10 ms beside a backward pass of 20 a layer, a fifth of which is lost: 3 x 2 ms more.
  CHECK(slowed(options, 1, 0.2) == 130 + 6);
  CHECK(slowed(options, 2, 0.2) == 220 + 12);
  // Copies behind all that computes take nothing.
  options.pipelined = false;
  CHECK(slowed(options, 1, 0.2) == slowed(options, 1, 0));
  // Gathers of 10 ms beside 10 and 20 as well: 3 x 2 + 3 x 4 ms more than 110.
  options = {.shard = Shard::kWeights, .devices = 4};
  CHECK(slowed(options, 1, 0.2) == 128);
  // FSDP's root is gathered once: nothing beside backward but its sum.
  CHECK(slowed(options, 1, 0.2, true) == 126);
  // Whole gradients of 20 ms, of which the last is summed behind backward: 3 x 4 ms more than 110.
  CHECK(slowed({.devices = 4}, 1, 0.2) == 122);
  // Half as quick for as long as a pass takes: 10 ms are 15, the 5 that are left run alone; 20 and 20 are 30.
  CHECK(slowed(options, 1, 0.5) == 110 + 15 + 30);
}

TEST_CASE("state: weights that are used again soon stay") {
  std::vector<StateUnit> units{{.name = "x", .weights = 10}, {.name = "y", .weights = 10}};
  for (StateUnit& unit : units) unit.weights_come = true;
  std::vector<WeightUse> uses;  // two micro-batches
  for (int round = 0; round < 2; ++round) {
    for (const std::size_t unit : {0U, 1U}) uses.push_back({unit, false});
    for (const std::size_t unit : {1U, 0U}) uses.push_back({unit, true});
  }
  StateOptions options{.prefetch = 0, .shard = Shard::kWeights, .devices = 4};
  // y stays for the turn, x comes for each use, of which two are side by side between micro-batches.
  CHECK(weight_stays(uses, units, options).size() == 5);
  options.reuse = 21;  // y is used twice before x is again
  CHECK(weight_stays(uses, units, options).size() == 3);
  options.reuse = 20;
  CHECK(weight_stays(uses, units, options).size() == 5);
}

TEST_CASE("state: weights that come next are fetched while few are near") {
  std::vector<StateUnit> units(4, {.name = "x", .weights = 10});
  for (StateUnit& unit : units) unit.weights_come = true;
  std::vector<WeightUse> uses;  // two micro-batches
  for (int round = 0; round < 2; ++round) {
    for (const std::size_t unit : {0U, 1U, 2U, 3U}) uses.push_back({unit, false});
    for (const std::size_t unit : {3U, 2U, 1U, 0U}) uses.push_back({unit, true});
  }
  StateOptions options{.prefetch = 0, .live = 25, .shard = Shard::kWeights, .devices = 4};
  const std::vector<WeightStay> stays = weight_stays(uses, units, options);
  // Three at the start, the fourth when one has gone, the first again when the fourth has.
  REQUIRE(stays.size() == 9);
  CHECK_FALSE(stays[2].fetch_after.has_value());
  CHECK(stays[3].fetch_after == 0);
  CHECK(stays[4].unit == 0);
  CHECK(stays[4].fetch_after == 4);
  // What is fetched when it has just gone stays.
  CHECK(stays[1].last == 6);
  // No use in a micro-batch has weights of the next fetched.
  CHECK(stays[5].first_use == 9);
  CHECK(stays[5].fetch_after == 7);
  options.live = 0;
  CHECK(weight_stays(uses, units, options)[1].fetch_after == 0);
}

TEST_CASE("state: FSDP keeps its root whole in a micro-batch, and gathers two ahead in backward") {
  // The root, then two blocks and back; twice.
  std::vector<StateUnit> units{{.name = "root", .is_root = true}, {.name = "x"}, {.name = "y"}};
  for (StateUnit& unit : units) unit.weights_come = true;
  std::vector<WeightUse> uses;
  for (int round = 0; round < 2; ++round) {
    for (const std::size_t unit : {0U, 1U, 2U, 0U}) uses.push_back({unit, false});
    for (const std::size_t unit : {0U, 2U, 1U, 0U}) uses.push_back({unit, true});
  }
  const StateOptions options{.sharding = Sharding::kFsdp1, .shard = Shard::kWeights, .devices = 4};
  const std::vector<WeightStay> stays = weight_stays(uses, units, options);
  REQUIRE(stays.size() == 8);
  CHECK(stays[0].unit == 0);
  CHECK(stays[0].last == 7);
  // The last block stays for backward, which would be too far ahead in forward; the other comes again.
  CHECK(stays[2].last == 5);
  CHECK(stays[3].first_use == 6);
  CHECK(stays[3].fetch_after == 3);
  CHECK(stays[4].unit == 0);
  CHECK(stays[4].fetch_after == 7);
  CHECK(stays[4].booked_from == 8);
}

TEST_CASE(
    "state: FSDP joins a unit's gradients, and keeps far ones' shards to the end of backward") {
  StateOptions options{.optimizer = kOne,
                       .gradients = true,
                       .weights = kOne,
                       .prefetch = 0,
                       .shard = Shard::kWeights,
                       .devices = 4};
  const Bytes by_use = ran(options).peak;
  options.sharding = Sharding::kFsdp1;
  // Weights one ahead, joined gradients, two shards; and backward, which waits for no weights, still has gradients of
  // the layer before.
  CHECK(ran(options).peak - by_use == Bytes(3'500'000'000));
  // The root is gathered behind the second round's input, and no wait for it is named after a word.
  const Workload workload = three_layers();
  StateExample two(workload, {.shard = Shard::kWeights, .devices = 4}, kFar, kLink, 2);
  two.moving.units[0].is_root = true;
  const Timeline timeline = two.run(*find_schedule("in-core"), kPlenty);
  const auto last = timeline.spans[timeline.stalls.at(1).culprit.value().at()];
  CHECK(last.end - last.start == kMillisecond * 10);
}

TEST_CASE("state: a shard goes to far memory behind the sum, and comes back before the gather") {
  // A gradient 10 ms, its quarter 2.5: the last 90 to 102.5. All devices' updates on one host: to 192.5. A weight's
  // quarter 2.5, the gather 10: 205.
  const Workload workload = three_layers();
  const StateOptions far{
      .optimizer = kOne, .gradients = true, .shard = Shard::kGradients, .devices = 4};
  const StateExample example(workload, far, kFar, kLink);
  CHECK(example.run(*find_schedule("in-core"), kPlenty).iteration_time == kMillisecond * 205);
  // Gathered for each use, backward ends 10 ms later and the weights' quarters return alone: 202.5 and 2.5.
  StateOptions whole = far;
  whole.shard = Shard::kWeights;
  const StateExample third(workload, whole, kFar, kLink);
  CHECK(third.run(*find_schedule("in-core"), kPlenty).iteration_time == kMillisecond * 205);
}

TEST_CASE("state: memory of shards") {
  // Weights, gradients and Adam's state of three units: 3, 3 and 6 GB.
  const Workload workload = three_layers(Optimizer::kAdam);
  const auto held = [&](StateOptions options, Shard what) {
    options.shard = what;
    options.devices = 4;
    return StateExample(workload, options, kFar, kLink).costs.static_bytes;
  };
  CHECK(held({}, Shard::kOptimizer) == Bytes(7'500'000'000));  // 3 + 3 + 1.5
  CHECK(held({}, Shard::kGradients) == Bytes(5'250'000'000));  // 3 + 0.75 + 1.5
  CHECK(held({}, Shard::kWeights) == kGigabyte * 3);           // 0.75 + 0.75 + 1.5
  const StateOptions far{.optimizer = kOne, .gradients = true};
  CHECK(held(far, Shard::kGradients) == kGigabyte * 3);
  CHECK(held(far, Shard::kWeights) == Bytes(750'000'000));
}

TEST_CASE("state: split experts are sharded over the devices that have the same ones") {
  // A block with a router of 8 parameters and four experts of 18, of which a device has two: 36. Adam in float32.
  const Network network = read_network_text(R"({
    "format": "ooc-paleo/network", "version": 1, "name": "experts", "dtype": "float32",
    "inputs": [ { "name": "data", "shape": [4, 2] } ],
    "layers": [ { "name": "block", "type": "repeat", "times": 2, "layers": [
      { "name": "m", "type": "moe", "experts": 4, "top_k": 2, "units": 3, "bias": false } ] } ]
    })",
                                            "experts.json", {.expert_parallel = 2});
  const TrainingGraph graph = build_training_graph(network, {.optimizer = Optimizer::kAdam});
  const auto moved = [&](StateOptions options, int devices) {
    options.devices = devices;
    return move_state(graph, options);
  };
  // Of two devices each has its own experts whole, and half of the router.
  const MovingState two = moved({.shard = Shard::kWeights}, 2);
  REQUIRE(two.units.size() == 4);
  CHECK(two.units[0].name == "block/0");
  CHECK(two.units[1].name == "block/0/experts");
  CHECK(two.units[0].devices == 2);
  CHECK(two.units[1].devices == 1);
  CHECK_FALSE(two.units[1].weights_come);
  CHECK_FALSE(two.units[1].gradient);
  CHECK(two.graph.weight_bytes == 2 * 4 * (8 / 2 + 36));
  CHECK(two.graph.gradient_bytes == 2 * 4 * (8 / 2 + 36));
  CHECK(two.graph.optimizer_bytes == 2 * 8 * (8 / 2 + 36));
  // Of four two have the same.
  const MovingState four = moved({.shard = Shard::kWeights}, 4);
  CHECK(four.units[1].devices == 2);
  CHECK(four.units[1].weights_come);
  CHECK(four.graph.weight_bytes == 2 * 4 * (8 / 4 + 36 / 2));
  CHECK(four.graph.optimizer_bytes == 2 * 8 * (8 / 4 + 36 / 2));
  CHECK(moved({.shard = Shard::kOptimizer}, 4).graph.weight_bytes == 2 * 4 * (8 + 36));
  // Far: a device's own part there, 28 bytes a parameter to update, of all four experts and all devices.
  const MovingState far =
      moved({.optimizer = kOne, .gradients = true, .shard = Shard::kWeights}, 4);
  CHECK(far.graph.tensors[far.units[1].state->at()].bytes_fixed == 8 * 36 / 2);
  REQUIRE(far.far_bytes.size() == 4);
  CHECK(far.far_bytes[0] == 28 * 8);
  CHECK(far.far_bytes[1] == 28 * 72);
  // Two of the four on each host.
  const MovingState hosts =
      moved({.optimizer = kOne, .gradients = true, .shard = Shard::kWeights, .host_devices = 2}, 4);
  CHECK(hosts.far_bytes[0] == 28 * 8 / 2);
  CHECK(hosts.far_bytes[1] == 28 * 72 / 2);
}

TEST_CASE("state: gradients of two rounds add up in far memory where they leave") {
  // The first round's gradients go at 50, 70, 90; the second's at 140, 160, 180. 4 B of them and 8 of the sum a
  // parameter: 30 ms to add one, 150 to 240; updates to 330, the last weight to 340.
  CHECK(ran({.optimizer = kOne, .gradients = true}, 2).milliseconds == 340);
  // Each behind its own sum: c 150 to 210, b to 270, a to 330, its weight to 340.
  CHECK(ran({.optimizer = kOne, .gradients = true, .after = UpdateAfter::kEach}, 2).milliseconds ==
        340);
  // 16 bits on the link: 5 ms and 25 to add: 145 to 220, and 4 B of the sum to update: to 310, 320.
  CHECK(ran({.optimizer = kOne, .gradients = true, .gradient_bytes = 2}, 2).milliseconds == 320);
  // Nothing beside them: out 90 to 120, 180 to 210; added 190 to 280, updated to 370, weights to 400.
  CHECK(ran({.optimizer = kOne, .gradients = true, .pipelined = false}, 2).milliseconds == 400);
}

TEST_CASE("state: a gradient leaves once the host has added the one before") {
  // The host adds the second round's from 150, 300 ms each: c to 450, b to 750, a to 1,050.
  const Workload workload = three_layers();
  const StateExample example(workload, {.optimizer = kOne, .gradients = true},
                             {.throughput = BytesPerSecond(10'000'000'000)}, kLink, 3);
  const PlanResult made = example.result(*find_schedule("in-core"), kPlenty);
  const Timeline timeline = example.run(*find_schedule("in-core"), kPlenty);
  std::vector<std::int64_t> starts;
  for (std::size_t i = 0; i < timeline.spans.size(); ++i) {
    if (std::get<Plan>(made).steps[i].kind != StepKind::kToFar) continue;
    starts.push_back(timeline.spans[i].start.count() / kMillisecond.count());
  }
  CHECK(starts == std::vector<std::int64_t>{50, 70, 90, 140, 160, 180, 450, 750, 1050});
}

TEST_CASE("state: gradients that add up near leave with the last round") {
  // 140 to 150, 160 to 170, 180 to 190; updates to 280; the last weight to 290. Or each: 150 to 240, 250.
  const StateOptions near{.optimizer = kOne, .gradients = true, .accumulate = AccumulateAt::kNear};
  const StateRan all = ran(near, 2);
  CHECK(all.milliseconds == 290);
  StateOptions each = near;
  each.after = UpdateAfter::kEach;
  CHECK(ran(each, 2).milliseconds == 250);
  // While b's gradient is written, in memory's fullest moment, a's and c's are there, too.
  CHECK(all.peak - ran({.optimizer = kOne, .gradients = true}, 2).peak == kGigabyte * 2);
  // Where they never leave the same holds.
  CHECK(ran({.optimizer = kOne}, 2).milliseconds == 290);
}

TEST_CASE("state: far weights come anew in each round") {
  const StateOptions options{.optimizer = kOne, .gradients = true, .weights = kOne};
  // The first round ends at 100; a stays, b and c come 100 to 120 and nothing waits: 190, the last gradient 200. Added 160
  // to 250, updated to 340.
  CHECK(ran(options, 2).milliseconds == 340);
  const Workload workload = three_layers();
  const StateExample example(workload, options, kFar, kLink, 2);
  const PlanResult made = example.result(*find_schedule("in-core"), kPlenty);
  std::int64_t fetched = 0;
  for (const Step& step : std::get<Plan>(made).steps) {
    const bool weight = step.kind == StepKind::kToNear &&
                        example.moving.graph.tensors[static_cast<std::size_t>(step.object)].role ==
                            TensorRole::kWeight;
    fetched += weight ? 1 : 0;
  }
  CHECK(fetched == 5 + 4);
}

TEST_CASE("state: frozen weights are fetched and never updated") {
  // Forward 30, then c's gradient of data and b's of weights: a has nothing to do. 50 if nothing moves.
  const Workload workload = three_layers(Optimizer::kSgd, true);
  const auto ran_frozen = [&](const StateOptions& options) {
    const StateExample example(workload, options, kFar, kLink);
    return example.run(*find_schedule("in-core"), kPlenty).iteration_time.count() /
           kMillisecond.count();
  };
  CHECK(ran_frozen({}) == 50);
  // a 0 to 10, c behind a's task 20 to 30, beside b's: 60. Without looking ahead c comes 30 to 40.
  CHECK(ran_frozen({.weights = kOne}) == 60);
  CHECK(ran_frozen({.weights = kOne, .prefetch = 0}) == 70);
  const MovingState alone = move_state(workload.graph, {.weights = kOne});
  CHECK(alone.graph.weight_bytes == 1'000'000'000);  // b's
  CHECK(alone.graph.gradient_bytes == 1'000'000'000);
  CHECK(alone.graph.tasks.size() == workload.graph.tasks.size());
  // With b's, too: its gradient 60 to 70, updated to 100.
  const StateOptions all{.optimizer = kOne, .gradients = true, .weights = kOne};
  CHECK(ran_frozen(all) == 100);
  CHECK(move_state(workload.graph, all).far_bytes == std::vector<std::int64_t>{3'000'000'000});
}

TEST_CASE("state: what comes near to be updated has two slots") {
  const Workload workload = three_layers(Optimizer::kAdam);
  const auto milliseconds = [&](StateOptions options) {
    options.update = UpdateAt::kNear;
    StateExample example(workload, options, kFar, kLink);
    for (const StateUnit& unit : example.moving.units) {
      if (unit.state) example.costs.tensor_bytes[unit.state->at()] = kGigabyte * 6;
    }
    set_link(example.costs, kLink);
    return example.run(*find_schedule("in-core"), kPlenty).iteration_time.count() /
           kMillisecond.count();
  };
  // 90 + 3 x 60 + 60.
  CHECK(milliseconds({.optimizer = kOne}) == 330);
  // The last gradient leaves by 100; each comes back with its state: 100 + 3 x 70 + 60.
  CHECK(milliseconds({.optimizer = kOne, .gradients = true}) == 370);
  // Weights come one unit ahead, so backward ends at 100 and the last gradient leaves by 110: 110 + 3 x 80 + 70.
  CHECK(milliseconds({.optimizer = kOne, .gradients = true, .weights = kOne}) == 420);
  // Weights alone: 100 + 3 x 10 + 10.
  CHECK(milliseconds({.weights = kOne}) == 140);
}

TEST_CASE(
    "state: gradients that come back are sums of all rounds, and stay in far memory as the "
    "software keeps them") {
  const Workload workload = three_layers();
  StateOptions options{.optimizer = kOne, .gradients = true, .update = UpdateAt::kNear};
  // The second round's are added 150 to 240, a's last, which is updated first: sums come 240 to 270.
  CHECK(ran(options, 2).milliseconds == 270);
  const auto peak = [&](FarGradients kept) {
    options.far_gradients = kept;
    const StateExample example(workload, options, kFar, kLink);
    const Plan plan = std::get<Plan>(example.result(*find_schedule("in-core"), kPlenty));
    const Timeline timeline = example.run(*find_schedule("in-core"), kPlenty);
    const auto samples = far_memory_over_time(plan, example.moving.graph, example.costs, timeline);
    return samples[samples.size() - 2].held.total();  // before the iteration ends
  };
  CHECK(peak(FarGradients::kFreed) == kGigabyte * 1);
  CHECK(peak(FarGradients::kHeld) == kGigabyte * 3);
}

TEST_CASE("state: gradients in a wider type take a block of their own on their way") {
  const Workload workload = three_layers();
  const StateExample narrow(workload, {.optimizer = kOne, .gradients = true, .gradient_bytes = 2},
                            kFar, kLink);
  // 5 ms a gradient: the last one comes at 95. 2 + 4 + 4 B a parameter: 25 ms an update, then 10 of a weight.
  CHECK(narrow.run(*find_schedule("in-core"), kPlenty).iteration_time == kMillisecond * 180);
}

TEST_CASE("state: gradients stay in far memory as long as the software keeps them there") {
  const Workload workload = three_layers();
  const auto peak = [&](UpdateAfter after, FarGradients kept) {
    const StateExample example(
        workload, {.optimizer = kOne, .gradients = true, .after = after, .far_gradients = kept},
        kFar, kLink);
    const Plan plan = std::get<Plan>(example.result(*find_schedule("in-core"), kPlenty));
    const Timeline timeline = example.run(*find_schedule("in-core"), kPlenty);
    const FarMemory far = far_memory(plan, example.moving.graph, example.costs);
    const auto from_start = std::count_if(far.initial.begin(), far.initial.end(), [&](BlockId id) {
      return far.blocks[id.at()].bytes == kGigabyte;
    });
    CHECK(from_start == (kept == FarGradients::kAllocated ? 3 : 0));
    return peak_far_by_category(plan, example.moving.graph, example.costs, timeline).total();
  };
  // They come at 50, 70 and 90; updated with at once they go at 90, 120 and 150.
  CHECK(peak(UpdateAfter::kEach, FarGradients::kFreed) == kGigabyte * 2);
  CHECK(peak(UpdateAfter::kEach, FarGradients::kHeld) == kGigabyte * 3);
  CHECK(peak(UpdateAfter::kEach, FarGradients::kAllocated) == kGigabyte * 3);
  CHECK(peak(UpdateAfter::kAll, FarGradients::kFreed) == kGigabyte * 3);
}

TEST_CASE("state: adapters move in their own type") {
  // Rank 2 beside 4 x 4: 16 parameters of 4 bytes, gradients of 4, 8 bytes of Adam's state.
  const Workload workload = workload_of_text(R"({
    "format": "ooc-paleo/network", "version": 1, "name": "adapted", "source": "made up",
    "precision": "bf16", "frozen": true, "inputs": [ { "name": "data", "shape": [4] } ],
    "layers": [ { "name": "q", "type": "linear", "units": 4, "bias": false,
                  "lora": { "rank": 2, "dtype": "float32" } } ] })",
                                             1);
  const TrainingGraph graph =
      build_training_graph(*workload.network, {.optimizer = Optimizer::kAdam});
  const MovingState moving =
      move_state(graph, {.optimizer = kOne, .gradients = true, .gradient_bytes = 4});
  std::int64_t read_and_written = 0;
  for (const std::int64_t bytes : moving.far_bytes) read_and_written += bytes;
  CHECK(read_and_written == 16 * (4 + 4 + 4 + 2 * 8));  // gradient, weight twice, moments twice
  for (const StateGradient& each : moving.gradients) CHECK(each.sent == each.gradient);
}

TEST_CASE("state: a share of the optimiser is exact in parameters and comes from the last layers") {
  const Workload workload = three_layers(Optimizer::kAdam);
  // Half of 750 million: c, and half of b.
  const MovingState half = move_state(workload.graph, {.optimizer = Ratio(kOne.count() / 2)});
  CHECK(half.units[0].far_parameters == 0);
  CHECK(half.units[1].far_parameters == 125'000'000);
  CHECK(half.units[2].far_parameters == 250'000'000);
  CHECK(workload.graph.optimizer_bytes - half.graph.optimizer_bytes == 375'000'000LL * 8);
  CHECK(half.graph.gradient_bytes == workload.graph.gradient_bytes);
  // a's update and the rest of b's run near.
  CHECK(half.planned.tasks.size() - half.planned.backward_end == 2);
  CHECK(half.share.back() == Ratio(kOne.count() / 2));
}

TEST_CASE("state: updates within backward free gradients, and take no more time") {
  const Workload workload = three_layers();
  const StateExample at_end(workload, {}, kFar, kLink);
  const StateExample within(workload, {.in_backward = true}, kFar, kLink);
  const Timeline before = at_end.run(*find_schedule("in-core"), kPlenty);
  const Timeline after = within.run(*find_schedule("in-core"), kPlenty);
  CHECK(after.iteration_time == before.iteration_time);
  // Three gradients of 1 GB, of which b's, the largest, is there alone: 250 million words beside what it computes.
  CHECK(before.peak_near - after.peak_near == kGigabyte * 2);
  // c's update stands behind its backward, a's at the end: forward 3, backward 2, update, 2, update, 1, update.
  const TrainingGraph& planned = within.moving.planned;
  CHECK(planned.tasks[5].kind == TaskKind::kUpdate);
  CHECK(planned.tasks[8].kind == TaskKind::kUpdate);
  CHECK(planned.backward_end == planned.tasks.size() - 1);
}

TEST_CASE("state: what nobody could run is refused") {
  CHECK_THROWS_AS(check_state({.gradients = true}), SpecError);
  CHECK_THROWS_AS(static_cast<void>(move_state(three_layers().graph, {.weights = kOne})),
                  SpecError);
  CHECK_THROWS_AS(check_state({.optimizer = Ratio(1), .weights = kOne}), SpecError);
  CHECK_THROWS_AS(check_state({.optimizer = kOne, .accumulate = AccumulateAt::kFar}), SpecError);
  CHECK_THROWS_AS(check_state({.optimizer = kOne, .weights = kOne, .delayed = true}), SpecError);
  CHECK_THROWS_AS(check_state({.optimizer = kOne, .update = UpdateAt::kNear, .delayed = true}),
                  SpecError);
  CHECK_THROWS_AS(check_state({.optimizer = kOne, .gradients = true, .in_backward = true}),
                  SpecError);
  CHECK_THROWS_AS(check_state({.optimizer = kOne, .update = UpdateAt::kNear, .in_backward = true}),
                  SpecError);
  CHECK_THROWS_AS(check_state({.weights = kOne, .update = UpdateAt::kNear, .in_backward = true}),
                  SpecError);
}

}  // namespace
}  // namespace ooc::test
