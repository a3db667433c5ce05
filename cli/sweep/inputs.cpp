// Every file a sweep needs is read once, and what no row could be worked out with is refused before any runs.
#include "cli/sweep/inputs.hpp"

#include <optional>
#include <utility>

#include "cli/load.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

void load_frameworks(SweepInputs& inputs, const SweepLists& lists) {
  if (lists.frameworks.empty()) {
    load_framework_of(inputs.options, inputs.machines);
    inputs.frameworks.push_back(inputs.options.framework);
    return;
  }
  std::vector<std::string> names;
  for (const std::string& name : lists.frameworks) {
    load_framework(inputs.options, name, "--framework");
    inputs.frameworks.push_back(inputs.options.framework);
    names.push_back(inputs.options.framework->name);
  }
  inputs.framework_names = told_apart(std::move(names), lists.frameworks);
  inputs.options.framework = inputs.frameworks.front();
}

/// The graphs that rows need: all, or, zipped, those that stand side by side.
std::vector<bool> graphs_in_use(const SweepGrid& grid) {
  const SweepLists& lists = grid.lists();
  std::vector<bool> used(graphs_of(lists), !lists.zip);
  for (std::size_t row = 0; row < grid.rows() && lists.zip; ++row) {
    used[graph_at(grid, grid.place_at(row))] = true;
  }
  return used;
}

/// What a graph is made by.
CaseOptions options_of_graph(const SweepInputs& inputs, const SweepLists& lists,
                             const SweepPlace& place) {
  CaseOptions options = inputs.options;
  options.framework = inputs.frameworks[place[axis_place("--framework")]];
  if (!lists.symbols.empty()) options.symbols = lists.symbols[place[axis_place("--symbol")]];
  for (std::size_t axis = 0; axis < lists.values.size(); ++axis) {
    const Option& kind = axis_kinds()[axis];
    if (kind.level != AxisLevel::kGraph || kind.apply == nullptr) continue;
    if (lists.values[axis].empty()) continue;
    kind.apply(lists.values[axis][place[axis]], options);
  }
  return options;
}

/// A size or a precision may be one that some networks cannot have: then it is rows that say so, unless all of a
/// network's do.
void load_workload_of(SweepInputs& inputs, std::size_t graph, const std::string& name,
                      const CaseOptions& options) {
  try {
    inputs.workloads.push_back(load_workload(name, "NETWORK", options));
    inputs.workload_of[graph] = inputs.workloads.size() - 1;
  } catch (const SpecError& error) {
    inputs.no_workload.emplace(graph, error);
  }
}

void note_columns(const SweepLists& lists, const Workload& workload, RareColumns& columns) {
  const Network& network = *workload.network;
  columns.precision |= network.precision.has_value() || lists.has("--precision");
  columns.offload |= lists.has("--state") || lists.has("--offload");
  for (const SymbolValue& symbol : network.symbols) {
    columns.seq |= symbol.name == kSequence;
    columns.target_seq |= symbol.name == kTargetSequence;
    columns.symbols |= symbol.name != kSequence && symbol.name != kTargetSequence;
  }
}

void load_workloads(SweepInputs& inputs, const SweepGrid& grid) {
  const SweepLists& lists = grid.lists();
  std::vector<std::string> paths;
  std::vector<std::string> names;
  const std::vector<bool> used = graphs_in_use(grid);
  inputs.workload_of.assign(used.size(), kNoWorkload);
  const std::size_t graphs = used.size() / lists.networks.size();
  for (std::size_t i = 0; i < lists.networks.size(); ++i) {
    const std::size_t first = inputs.workloads.size();
    for (std::size_t graph = i * graphs; graph < (i + 1) * graphs; ++graph) {
      if (!used[graph]) continue;
      load_workload_of(inputs, graph, lists.networks[i],
                       options_of_graph(inputs, lists, place_of_graph(lists, graph)));
    }
    if (inputs.workloads.size() == first) {
      throw SpecError(inputs.no_workload.lower_bound(i * graphs)->second);
    }
    const Workload& workload = inputs.workloads[first];
    inputs.first_workload.push_back(first);
    paths.push_back(workload.path);
    names.push_back(workload.network->name);
    note_columns(lists, workload, inputs.columns);
  }
  check_files(lists.networks, paths, "NETWORK");
  inputs.network_names = told_apart(std::move(names), lists.networks);
}

}  // namespace

SweepInputs load_sweep(const SweepGrid& grid, CaseOptions options) {
  const SweepLists& lists = grid.lists();
  SweepInputs inputs;
  inputs.options = std::move(options);
  const auto& devices = lists.of("--devices");
  inputs.devices = devices.empty() ? 1 : static_cast<int>(devices.most());
  inputs.machines = load_machines(lists.hardware, inputs.options);
  load_frameworks(inputs, lists);
  load_workloads(inputs, grid);
  for (const std::size_t workload : inputs.first_workload) {
    if (lists.has("--batch")) break;
    static_cast<void>(batch_of(inputs.options, *inputs.workloads[workload].network));
  }
  return inputs;
}

}  // namespace ooc
