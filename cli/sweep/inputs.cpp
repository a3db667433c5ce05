// A file given twice, by two spellings, is a mistake; two files that call themselves the same are none:
// a copy with one number changed is what one compares.
#include "cli/sweep/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/load.hpp"
#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"

namespace ooc {
namespace {

/// `paths` are where `given` lead.
void check_files(const std::vector<std::string>& given, const std::vector<std::string>& paths,
                 std::string_view place) {
  for (std::size_t i = 0; i < paths.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::error_code ignored;  // pipes of the shell are no longer there
      if (paths[i] != paths[j] && !std::filesystem::equivalent(paths[i], paths[j], ignored)) {
        continue;
      }
      bad_value(
          place,
          fmt::format("{} and {}, which are one file", in_quotes(given[j]), in_quotes(given[i])),
          "each file once");
    }
  }
}

std::vector<std::string> told_apart(std::vector<std::string> names,
                                    const std::vector<std::string>& given) {
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  const bool meet = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  return meet ? given : names;
}

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
