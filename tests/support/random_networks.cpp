// Networks grow layer by layer from the tensors at hand. A graph's pieces (plain layer, residual block,
// branches joined by concat or product, skip from far back) each leave one open end, so that every layer
// is read and the reader has nothing to refuse.
#include "tests/support/random_networks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/cost/compute_cost.hpp"
#include "model/graph/build_training_graph.hpp"
#include "model/network/network_json.hpp"
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

struct Open {  ///< a tensor that may be read: a layer or an input, and its shape (channels, height)
  std::string name;
  std::int64_t channels = 1;
  std::int64_t size = 1;
};

class NetworkWriter {
 public:
  NetworkWriter(Dice& dice, std::int64_t max_layers)
      : dice_(dice), left_(dice.number(1, max_layers)) {}

  std::string custom_chain(bool mixed) {
    inputs_ = R"({"name": "data", "shape": [)" + std::to_string(custom_size()) + "]}";
    while (left_ > 0) {
      std::string fields =
          fmt::format(R"("output_shape": [{}], "forward_time": "{} ns", "backward_time": "{} ns")",
                      custom_size(), custom_time(), custom_time());
      if (mixed) {
        static constexpr const char* kSaves[] = {"output", "input", "both", "none"};
        fields += fmt::format(R"(, "saves": "{}")", kSaves[dice_.index(4)]);
        if (dice_.once_in(3)) {
          fields += fmt::format(R"(, "workspace": "{} B")", dice_.number(0, 4000));
        }
        if (dice_.once_in(4)) fields += fmt::format(R"(, "parameters": {})", dice_.number(0, 50));
      }
      add("custom", fields);
    }
    return text();
  }

  std::string real(bool graph) {
    Open at{"data", dice_.number(1, 4), dice_.number(2, 12)};
    inputs_ = fmt::format(R"({{"name": "data", "shape": [{0}, {1}, {1}]}})", at.channels, at.size);
    std::vector<Open> seen{at};
    while (left_ > 0) {
      at = graph ? piece(at, seen) : plain(at);
      seen.push_back(at);
    }
    finish(at);
    return text();
  }

 private:
  std::int64_t custom_size() { return dice_.once_in(6) ? 1 : dice_.number(1, 1000); }
  std::int64_t custom_time() { return dice_.once_in(8) ? 0 : dice_.number(1, 20'000); }

  /// Appends a layer; its name. `inputs` empty: the layer before.
  std::string add(const std::string& type, const std::string& fields,
                  const std::vector<std::string>& inputs = {}) {
    const std::string name = fmt::format("l{}", count_++);
    --left_;
    if (!layers_.empty()) layers_ += ",\n  ";
    layers_ += fmt::format(R"({{"name": "{}", "type": "{}")", name, type);
    if (!fields.empty()) layers_ += ", " + fields;
    if (!inputs.empty()) {
      std::string list;
      for (const std::string& input : inputs) list += (list.empty() ? "\"" : "\", \"") + input;
      layers_ += ", \"inputs\": [" + list + "\"]";
    }
    layers_ += "}";
    return name;
  }

  Open conv(const Open& from, std::int64_t filters) {
    std::string fields =
        fmt::format(R"("filters": {}, "kernel": [3, 3], "padding": [1, 1])", filters);
    return {add("conv", fields, {from.name}), filters, from.size};
  }

  Open same(const Open& from, const std::string& type, const std::string& fields = "") {
    return {add(type, fields, {from.name}), from.channels, from.size};
  }

  /// One layer on top of another.
  Open plain(const Open& from) {
    switch (dice_.number(0, 11)) {
      case 0:
      case 1:
      case 2:
        return conv(from, dice_.number(1, 8));
      case 3:
        if (from.size < 2) return conv(from, dice_.number(1, 8));
        return {add(dice_.once_in(3) ? "avg_pool" : "max_pool", R"("kernel": [2, 2])", {from.name}),
                from.channels, from.size / 2};
      case 4:
        return same(from, "batch_norm");
      case 5:
      case 6:
        return same(from, "relu");
      case 7:
        return same(from, "dropout", R"("rate": 0.5)");
      case 8:
        return same(from, dice_.once_in(2) ? "gelu" : "sigmoid");
      case 9:
        return same(from, "lrn");
      case 10:
        return same(from, "relu", R"("in_place": false)");
      default: {
        const std::string fields = fmt::format(
            R"("output_shape": [{0}, {1}, {1}], "forward_time": "{2} ns", "backward_time": "{3} ns")",
            from.channels, from.size, custom_time(), custom_time());
        return same(from, "custom", fields);
      }
    }
  }

  /// A run of layers that keep the shape, ending in `channels` channels.
  Open branch(Open at, std::int64_t channels) {
    for (std::int64_t i = dice_.number(0, 2); i > 0; --i) {
      at = dice_.once_in(2) ? conv(at, channels)
                            : same(at, dice_.once_in(2) ? "batch_norm" : "relu");
    }
    return conv(at, channels);
  }

  Open second_input(const Open& like) {
    const std::string name = fmt::format("more{}", ++more_inputs_);
    inputs_ += fmt::format(R"(, {{"name": "{0}", "shape": [{1}, {2}, {2}]}})", name, like.channels,
                           like.size);
    return {name, like.channels, like.size};
  }

  Open piece(const Open& at, const std::vector<Open>& seen) {
    switch (dice_.number(0, 7)) {
      case 0: {  // residual
        const Open end = branch(at, at.channels);
        return {add("add", "", {at.name, end.name}), at.channels, at.size};
      }
      case 1: {  // branches
        const Open a = branch(at, dice_.number(1, 4));
        const Open b = branch(at, dice_.number(1, 4));
        std::vector<std::string> names{a.name, b.name};
        std::int64_t channels = a.channels + b.channels;
        if (dice_.once_in(2)) {
          names.push_back(at.name);
          channels += at.channels;
        }
        return {add("concat", R"("axis": 0)", names), channels, at.size};
      }
      case 2: {  // product of two branches, or with an input that comes late
        const Open other =
            dice_.once_in(3) ? second_input(at) : same(branch(at, at.channels), "sigmoid");
        return {add("multiply", "", {at.name, other.name}), at.channels, at.size};
      }
      case 3: {  // skip from anywhere that has the same height
        std::vector<Open> fitting;
        for (const Open& open : seen) {
          if (open.size == at.size && open.name != at.name) fitting.push_back(open);
        }
        if (fitting.empty()) return plain(at);
        const Open from = fitting[dice_.index(fitting.size())];
        if (from.channels == at.channels && dice_.once_in(2)) {
          return {add("add", "", {from.name, at.name}), at.channels, at.size};
        }
        return {add("concat", R"("axis": 0)", {from.name, at.name}), from.channels + at.channels,
                at.size};
      }
      default:
        return plain(at);
    }
  }

  void finish(Open at) {
    if (dice_.once_in(4)) return;  // no loss
    if (dice_.once_in(2)) at = {add("global_avg_pool", "", {at.name}), at.channels, 1};
    at.name = add("flatten", "", {at.name});
    for (std::int64_t i = dice_.number(1, 2); i > 0; --i) {
      at.name = add("linear", fmt::format(R"("units": {})", dice_.number(1, 20)), {at.name});
      if (dice_.once_in(2)) at.name = add("relu", "", {at.name});
    }
    add("softmax_cross_entropy", "", {at.name});
  }

  [[nodiscard]] std::string text() const {
    return R"({"format": "ooc-paleo/network", "version": 1, "name": "random", "source": "a property test",
"inputs": [)" +
           inputs_ + "],\n\"layers\": [\n  " + layers_ + "\n]}\n";
  }

  Dice& dice_;
  std::int64_t left_;
  int count_ = 0;
  int more_inputs_ = 0;
  std::string inputs_;
  std::string layers_;
};

HardwareProfile machine_of(double flops, double efficiency, std::int64_t near_throughput) {
  HardwareProfile machine;
  machine.name = "test";
  machine.peak[Dtype::kFloat32] = {flops};
  machine.efficiency["default"] = Efficiency{{{0.0, efficiency}}};
  machine.efficiency["memory"] = Efficiency{{{0.0, 1.0}}};
  machine.near_memory.throughput = BytesPerSecond(near_throughput);
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
  NetworkWriter writer(dice, max_layers);
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

Workload workload_of_text(const std::string& text, std::int64_t batch) {
  return build_workload(read_network_text(text, "test.json"), batch, {}, simple_machine());
}

Workload workload_of_file(const std::string& path, std::int64_t batch) {
  return build_workload(read_network_file(path), batch, {}, simple_machine());
}

Workload random_workload(Dice& dice, NetworkForm form, std::int64_t max_layers) {
  const std::string text = random_network_text(dice, form, max_layers);
  const std::int64_t batch = dice.number(1, 3);
  GraphOptions options;
  if (dice.once_in(4)) options.accounting = Accounting::kDefineByRun;
  if (dice.once_in(2)) options.optimizer = Optimizer::kAdam;
  Workload workload =
      build_workload(read_network_text(text, "random.json"), batch, options, random_machine(dice));
  workload.text = text;
  return workload;
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
  if (dice.once_in(3)) {
    link.duplex = Ratio(850'000'000);
  } else if (dice.once_in(3)) {
    link.duplex = Ratio(0);  // raised to the lower end: half duplex
  }
  const Int128 larger = std::max(link.to_far, link.to_near).count();
  const Int128 sum = Int128{link.to_far.count()} + link.to_near.count();
  const Int128 least = (larger * kOne.count() + sum - 1) / sum;
  link.duplex = std::max(link.duplex, Ratio(static_cast<std::int64_t>(least)));
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
