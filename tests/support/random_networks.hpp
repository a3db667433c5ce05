// Seeded random networks, machines, links and budgets for the property tests. Networks are written as
// JSON text and read by the real reader, so a failing case can be printed, kept and run by hand. Sizes
// are small and awkward on purpose (odd bytes, zero times), times and links are of the same order, so that
// copies hide half the time.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>

#include "model/cost/cost_table.hpp"
#include "model/graph/build_training_graph.hpp"
#include "model/graph/training_graph.hpp"
#include "model/network/network.hpp"
#include "model/network/network_json.hpp"

namespace ooc::test {

/// Random numbers, equal on every platform (unlike the standard's distributions). Draw in the order
/// written, one a full expression or in braces: compilers differ in the order of arguments, and a
/// seed must mean one case.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  /// Integer in [lowest, highest].
  std::int64_t number(std::int64_t lowest, std::int64_t highest);
  std::size_t index(std::size_t size);
  /// True once in `times`.
  bool once_in(std::int64_t times) { return number(1, times) == 1; }
  /// Number of any order of magnitude between the two, both > 0.
  std::int64_t magnitude(std::int64_t lowest, std::int64_t highest);

 private:
  std::mt19937_64 engine_;
};

enum class NetworkForm {
  kCustomChain,  ///< custom layers that save their outputs: the paper's abstract model
  kMixedChain,   ///< custom layers of every kind of `saves`, with workspace
  kRealChain,    ///< convolutions, pools, norms, activations, linear layers, a loss or none
  kGraph,        ///< kRealChain with skips, branches, concats, products and second inputs
  kSequence,     ///< recurrent layers, attention, embeddings on [steps, features]
};

/// Network file text with at most `max_layers` layers (a few more where a graph is closed).
[[nodiscard]] std::string random_network_text(Dice& dice, NetworkForm form,
                                              std::int64_t max_layers);

/// Random framework.
[[nodiscard]] Keeping random_keeping(Dice& dice);

/// Network with its graph and its costs at some batch on some machine. The link is still free.
struct Workload {
  std::string text;  ///< of a random network, for printing
  std::unique_ptr<Network> network;
  TrainingGraph graph;
  CostTable costs;
};
[[nodiscard]] Workload random_workload(Dice& dice, NetworkForm form, std::int64_t max_layers);
/// Random workload of one of `forms`, with `lowest` to `highest` layers at most.
[[nodiscard]] Workload random_workload(Dice& dice, std::span<const NetworkForm> forms,
                                       std::int64_t lowest, std::int64_t highest);
/// Workload from a given text. Defaults: liveness, sgd, 1 GFLOP/s, 1 GB/s GPU memory.
[[nodiscard]] Workload workload_of_text(const std::string& text, std::int64_t batch,
                                        const GraphOptions& options = {},
                                        const NetworkOptions& network = {});
[[nodiscard]] Workload workload_of_file(const std::string& path, std::int64_t batch);

struct LinkSpec {
  BytesPerSecond to_far = kInfiniteRate;
  BytesPerSecond to_near = kInfiniteRate;
  Duration latency{};
  Duplex duplex = {};
};
void set_link(CostTable& costs, const LinkSpec& link);
/// Pins memory for every copy out, in the given time. Call once, after set_link().
void set_pinning(CostTable& costs, Duration pinning);
/// Copies of the whole saved set take between a tenth and ten times the compute, or no time at all.
[[nodiscard]] LinkSpec random_link(Dice& dice, const Workload& workload);

/// Sum of the tasks' default times.
[[nodiscard]] Duration compute_time(const CostTable& costs, const TrainingGraph& graph);

}  // namespace ooc::test
