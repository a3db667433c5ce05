// Dice, workloads and links of the property tests. The texts of the networks are written by
// random_layers.hpp (chains and graphs) and random_sequences.hpp.
#include "tests/support/random_networks.hpp"

#include <algorithm>
#include <utility>

#include "model/cost/compute_cost.hpp"
#include "model/graph/build_training_graph.hpp"
#include "model/network/network_json.hpp"
#include "tests/support/random_layers.hpp"
#include "tests/support/random_sequences.hpp"

namespace ooc::test {

std::int64_t Dice::number(std::int64_t lowest, std::int64_t highest) {
  const auto span = static_cast<std::uint64_t>(highest - lowest) + 1;
  return lowest + static_cast<std::int64_t>(engine_() % span);
}

std::size_t Dice::index(std::size_t size) {
  return static_cast<std::size_t>(number(0, static_cast<std::int64_t>(size) - 1));
}

std::int64_t Dice::magnitude(std::int64_t lowest, std::int64_t highest) {
  // Doubling with integers: no logarithm whose last bit differs between machines.
  std::int64_t top = lowest;
  for (std::int64_t doublings = number(0, 62); doublings > 0 && top < highest; --doublings) {
    if (once_in(2)) top = top > highest / 2 ? highest : top * 2;
  }
  return number(lowest, top);
}

namespace {

HardwareProfile machine_of(double flops, double efficiency, std::int64_t near_throughput) {
  HardwareProfile machine;
  machine.name = "test";
  for (const DtypeInfo& type : kDtypes) machine.peak[type.dtype] = {flops};
  machine.efficiency["default"] = Efficiency{{{0.0, efficiency}}};
  machine.efficiency["memory"] = Efficiency{{{0.0, 1.0}}};
  machine.near_memory.throughput = BytesPerSecond(near_throughput);
  machine.peers = {.throughput = BytesPerSecond(1'000'000'000)};
  return machine;
}

HardwareProfile simple_machine() { return machine_of(1e9, 1.0, 1'000'000'000); }

/// Slow enough that the tasks of these little layers take about as long as custom ones.
HardwareProfile random_machine(Dice& dice) {
  const auto flops = static_cast<double>(dice.magnitude(50'000'000, 50'000'000'000));
  const double efficiency = static_cast<double>(dice.number(1, 10)) / 10.0;
  const Duration launch(dice.once_in(2) ? 0 : dice.number(1, 2000));
  HardwareProfile machine =
      machine_of(flops, efficiency, dice.magnitude(50'000'000, 50'000'000'000));
  machine.kernel_launch = launch;
  return machine;
}

}  // namespace

std::string random_network_text(Dice& dice, NetworkForm form, std::int64_t max_layers) {
  LayersWriter writer(dice, max_layers);
  switch (form) {
    case NetworkForm::kCustomChain:
      return writer.custom_chain(false);
    case NetworkForm::kMixedChain:
      return writer.custom_chain(true);
    case NetworkForm::kRealChain:
      return writer.real(false);
    case NetworkForm::kGraph:
      return writer.real(true);
    case NetworkForm::kSequence:
      return SequenceWriter(dice, max_layers).write();
  }
  return {};
}

namespace {

Workload build_workload(Network network, std::int64_t batch, const GraphOptions& options,
                        const HardwareProfile& machine) {
  Workload workload;
  workload.network = std::make_unique<Network>(std::move(network));
  workload.graph = build_training_graph(*workload.network, options);
  ComputeOptions compute;
  compute.batch = batch;
  workload.costs = estimate_compute(workload.graph, machine, compute);
  set_link(workload.costs, {});
  return workload;
}

}  // namespace

Workload workload_of_text(const std::string& text, std::int64_t batch, const GraphOptions& options,
                          const NetworkOptions& network) {
  return build_workload(read_network_text(text, "test.json", network), batch, options,
                        simple_machine());
}

Workload workload_of_file(const std::string& path, std::int64_t batch) {
  return build_workload(read_network_file(path), batch, {}, simple_machine());
}

Keeping random_keeping(Dice& dice) {
  Keeping keeping;
  keeping.activations = static_cast<KeptActivation>(dice.index(3));
  keeping.in_place = static_cast<InPlaceRule>(dice.index(3));
  keeping.pools = static_cast<KeptOfPools>(dice.index(2));
  keeping.mask_bytes = dice.once_in(2) ? 1 : 4;
  keeping.norms = static_cast<KeptOfNorms>(dice.index(2));
  if (dice.once_in(2)) keeping.loss_dtype = Dtype::kFloat32;
  keeping.gradients = static_cast<GradientSharing>(dice.index(2));
  keeping.softmax = static_cast<KeptOfSoftmax>(dice.index(2));
  keeping.in_place_gradients = static_cast<InPlaceGradients>(dice.index(2));
  return keeping;
}

Workload random_workload(Dice& dice, NetworkForm form, std::int64_t max_layers) {
  const std::string text = random_network_text(dice, form, max_layers);
  const std::int64_t batch = dice.number(1, 3);
  GraphOptions options;
  if (dice.once_in(4)) options.accounting = Accounting::kDefineByRun;
  if (dice.once_in(2)) options.optimizer = Optimizer::kAdam;
  if (options.accounting == Accounting::kLiveness && dice.once_in(2)) {
    options.keeping = random_keeping(dice);
  }
  const HardwareProfile machine = random_machine(dice);
  const bool real = form != NetworkForm::kCustomChain && form != NetworkForm::kMixedChain;
  NetworkOptions numbers;
  if (real && dice.once_in(3))
    numbers.precision = kPrecisions[dice.index(kPrecisions.size())].precision;
  Workload workload =
      build_workload(read_network_text(text, "random.json", numbers), batch, options, machine);
  workload.text = text;
  return workload;
}

Workload random_workload(Dice& dice, std::span<const NetworkForm> forms, std::int64_t lowest,
                         std::int64_t highest) {
  const std::int64_t max_layers = dice.number(lowest, highest);
  return random_workload(dice, forms[dice.index(forms.size())], max_layers);
}

void set_link(CostTable& costs, const LinkSpec& link) {
  TransferCosts& transfers = costs.transfers;
  transfers.to_far.clear();
  transfers.to_near.clear();
  for (const Bytes bytes : costs.tensor_bytes) {
    transfers.to_far.push_back(
        {link.latency, link.to_far, link.latency + transfer_time(bytes, link.to_far)});
    transfers.to_near.push_back(
        {link.latency, link.to_near, link.latency + transfer_time(bytes, link.to_near)});
  }
  transfers.to_far_peak = link.to_far;
  transfers.to_near_peak = link.to_near;
  transfers.duplex = link.duplex;
}

void set_pinning(CostTable& costs, Duration pinning) {
  costs.transfers.pinning = pinning;
  for (TransferCost& copy : costs.transfers.to_far) {
    copy.latency += pinning;
    copy.alone += pinning;
  }
}

namespace {

/// One direction keeps more than `share`, the other one as much less, or nearly as much.
Duplex uneven(Dice& dice, Ratio share) {
  const std::int64_t room = std::min(kOne.count() - share.count(), share.count() - 1);
  const Ratio more = share + Ratio(dice.number(0, room));
  const Ratio less = share - Ratio(dice.number(0, more.count() - share.count()));
  return dice.once_in(2) ? Duplex(more, less) : Duplex(less, more);
}

}  // namespace

LinkSpec random_link(Dice& dice, const Workload& workload) {
  LinkSpec link;
  if (dice.once_in(12)) return link;  // free
  if (dice.once_in(2)) link.latency = Duration(dice.magnitude(1, 20'000));
  if (dice.once_in(15)) return link;  // latency alone
  const std::int64_t saved =
      std::max<std::int64_t>(1, saved_bytes_per_sample(workload.graph) * workload.costs.batch);
  const std::int64_t compute =
      std::max<std::int64_t>(1, compute_time(workload.costs, workload.graph).count());
  const auto rate = [&] {
    const Int128 equal = Int128{saved} * 1'000'000'000 / compute;
    const Int128 scaled = equal * dice.magnitude(10, 1000) / 100;
    return BytesPerSecond(
        static_cast<std::int64_t>(std::clamp<Int128>(scaled, 1, kMaxRate.count())));
  };
  link.to_far = rate();
  link.to_near = dice.once_in(2) ? link.to_far : rate();
  Ratio share = kOne;
  if (dice.once_in(3)) {
    share = Ratio(850'000'000);
  } else if (dice.once_in(3)) {
    share = Ratio(0);  // raised to the lower end: half duplex
  }
  const Int128 larger = std::max(link.to_far, link.to_near).count();
  const Int128 sum = Int128{link.to_far.count()} + link.to_near.count();
  const Int128 least = (larger * kOne.count() + sum - 1) / sum;
  share = std::max(share, Ratio(static_cast<std::int64_t>(least)));
  link.duplex = share;
  if (share < kOne && dice.once_in(2)) link.duplex = uneven(dice, share);
  return link;
}

Duration compute_time(const CostTable& costs, const TrainingGraph& graph) {
  Duration sum;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    sum += costs[costs.default_alternative(make_id<TaskId>(i))].time;
  }
  return sum;
}

}  // namespace ooc::test
