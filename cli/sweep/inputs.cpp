// Every file a sweep needs is read once, and what no row could be worked out with is refused before any runs.
#include "cli/sweep/inputs.hpp"

#include <algorithm>
#include <utility>

#include "cli/load.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

/// What every row has of an axis: the value at its harder end, or at its easier one.
CaseOptions corner_of(const SweepLists& lists, CaseOptions options, bool harder) {
  for (std::size_t i = 0; i < lists.values.size(); ++i) {
    const AxisKind& axis = axis_kinds()[i];
    const auto& values = lists.values[i];
    if (axis.apply == nullptr || values.empty()) continue;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    axis.apply(harder == axis.more_is_harder ? *most : *least, options);
  }
  return options;
}

/// Costs grow with the batch, and devices need one sample each. Where the hardest row and the easiest both cannot
/// be worked out, no row can; a row of which that is true says so.
void check_costs(const Workload& workload, const Machine& machine, const SweepLists& lists,
                 const CaseOptions& options) {
  const auto try_corner = [&](bool harder) {
    static_cast<void>(make_case(workload, machine, corner_of(lists, options, harder)));
  };
  try {
    try_corner(true);
  } catch (const SpecError&) {
    try_corner(false);
  }
}

void load_machines(SweepInputs& inputs, const SweepLists& lists) {
  std::vector<std::string> paths;
  std::vector<std::string> names;
  for (const std::string& name : lists.hardware) {
    inputs.machines.push_back(load_hardware(name, "--hardware", inputs.options));
    paths.push_back(inputs.machines.back().path);
    names.push_back(inputs.machines.back().profile.name);
  }
  check_files(lists.hardware, paths, "--hardware");
  inputs.hardware_names = told_apart(std::move(names), lists.hardware);
}

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
std::vector<bool> graphs_in_use(const SweepGrid& grid, std::size_t count, std::size_t frameworks) {
  const SweepLists& lists = grid.lists();
  std::vector<bool> used(count, !lists.zip);
  for (std::size_t row = 0; row < grid.rows() && lists.zip; ++row) {
    used[graph_at(grid, grid.place_at(row), frameworks)] = true;
  }
  return used;
}

void load_workloads(SweepInputs& inputs, const SweepGrid& grid) {
  const SweepLists& lists = grid.lists();
  const std::size_t frameworks = inputs.frameworks.size();
  std::vector<std::string> paths;
  std::vector<std::string> names;
  const std::vector<bool> used =
      graphs_in_use(grid, lists.networks.size() * frameworks, frameworks);
  for (std::size_t i = 0; i < used.size(); ++i) {
    inputs.workload_of.push_back(inputs.workloads.size());
    if (!used[i]) continue;
    const std::string& name = lists.networks[i / frameworks];
    CaseOptions options = inputs.options;
    options.framework = inputs.frameworks[i % frameworks];
    inputs.workloads.push_back(load_workload(name, "NETWORK", options));
    if (names.size() > i / frameworks) continue;
    paths.push_back(inputs.workloads.back().path);
    names.push_back(inputs.workloads.back().network->name);
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
  inputs.devices =
      devices.empty() ? 1 : static_cast<int>(*std::max_element(devices.begin(), devices.end()));
  load_machines(inputs, lists);
  load_frameworks(inputs, lists);
  load_workloads(inputs, grid);
  if (lists.zip) return inputs;  // which values meet in a row, only the rows know
  for (std::size_t i = 0; i < inputs.workloads.size(); ++i) {
    CaseOptions with_framework = inputs.options;
    with_framework.framework = inputs.frameworks[i % inputs.frameworks.size()];
    for (const Machine& machine : inputs.machines) {
      check_costs(inputs.workloads[i], machine, lists, with_framework);
    }
  }
  return inputs;
}

}  // namespace ooc
