// What a sweep covers: the product of its lists. Rows come in the order network, machine, batch,
// memory, far memory, schedule, link, the last one changing fastest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

struct SweepGrid {
  std::vector<std::string> networks;
  std::vector<std::string> hardware;
  std::vector<std::optional<std::int64_t>> batches;                 ///< none: the network file's
  std::vector<std::optional<Bytes>> memories;                       ///< none: the profile's
  std::vector<std::optional<Bytes>> far_memories = {std::nullopt};  ///< likewise
  std::vector<std::optional<BytesPerSecond>> links;                 ///< none: the profile's
  std::vector<const Schedule*> schedules;

  /// Configurations that share a plan: all but the links.
  [[nodiscard]] std::size_t units() const {
    return networks.size() * hardware.size() * batches.size() * units_of_costs();
  }
  /// Those of them that share a (network, hardware, batch).
  [[nodiscard]] std::size_t units_of_costs() const {
    return memories.size() * far_memories.size() * schedules.size();
  }
  [[nodiscard]] std::size_t rows() const { return units() * links.size(); }
};

/// Where a unit stands in the lists.
struct SweepUnit {
  std::size_t network;
  std::size_t hardware;
  std::size_t batch;
  std::size_t memory;
  std::size_t far_memory;
  std::size_t schedule;
  std::size_t costs;  ///< index of its (network, hardware, batch)
};
[[nodiscard]] SweepUnit unit_at(const SweepGrid& grid, std::size_t index);

/// Everything that is read from files, in the order of the grid's lists.
struct SweepInputs {
  std::vector<Workload> workloads;
  std::vector<Machine> machines;
  /// What results call them: the names in the files, or, where two of them meet, the texts of the
  /// command line for all, so that no two rows look alike.
  std::vector<std::string> network_names;
  std::vector<std::string> hardware_names;
  int devices = 1;  ///< of every row
};

/// What tells one unit from another, as its rows have it.
struct UnitKeys {
  std::string network;
  std::string hardware;
  std::int64_t batch = 1;
  Bytes memory;
  Bytes far_memory;
  std::string schedule;
};
[[nodiscard]] UnitKeys keys_of(const SweepGrid& grid, const SweepInputs& inputs, std::size_t unit);

}  // namespace ooc
