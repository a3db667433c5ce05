#include "cli/sweep/inputs.hpp"

#include <algorithm>

#include "cli/load.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

/// Costs grow with the batch, and devices need one sample each. Where the largest batch and the smallest
/// both cannot be worked out, no row can; a row of which that is true says so.
void check_costs(const Workload& workload, const Machine& machine, const SweepGrid& grid,
                 const CaseOptions& options) {
  const auto costs_at = [&](const std::optional<std::int64_t>& batch,
                            const std::optional<BytesPerSecond>& link) {
    CaseOptions corner = options;
    corner.batch = batch;
    corner.transfers.link = link;
    static_cast<void>(make_case(workload, machine, corner));
  };
  const auto [fewest, most] = std::minmax_element(grid.batches.begin(), grid.batches.end());
  const auto [slowest, fastest] = std::minmax_element(grid.links.begin(), grid.links.end());
  try {
    costs_at(*most, *slowest);
  } catch (const SpecError&) {
    costs_at(*fewest, *fastest);
  }
}

}  // namespace

SweepInputs load_sweep(const SweepGrid& grid, CaseOptions& options) {
  SweepInputs inputs;
  inputs.devices = options.devices;
  std::vector<std::string> paths;
  std::vector<std::string> names;
  for (const std::string& name : grid.hardware) {
    inputs.machines.push_back(load_hardware(name, "--hardware", options));
    paths.push_back(inputs.machines.back().path);
    names.push_back(inputs.machines.back().profile.name);
  }
  check_files(grid.hardware, paths, "--hardware");
  inputs.hardware_names = told_apart(std::move(names), grid.hardware);
  load_framework_of(options, inputs.machines);
  paths.clear();
  names.clear();
  for (const std::string& name : grid.networks) {
    inputs.workloads.push_back(load_workload(name, "NETWORK", options));
    paths.push_back(inputs.workloads.back().path);
    names.push_back(inputs.workloads.back().network->name);
  }
  check_files(grid.networks, paths, "NETWORK");
  inputs.network_names = told_apart(std::move(names), grid.networks);

  for (const Workload& workload : inputs.workloads) {
    for (const Machine& machine : inputs.machines) {
      check_costs(workload, machine, grid, options);
    }
  }
  return inputs;
}

}  // namespace ooc
