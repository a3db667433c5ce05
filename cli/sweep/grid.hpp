// What a sweep covers: the product of its lists. Rows come in the order network, machine, batch,
// memory, schedule, link, the last one changing fastest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

struct SweepGrid {
  std::vector<std::string> networks;
  std::vector<std::string> hardware;
  std::vector<std::optional<std::int64_t>> batches;  ///< none: the network file's
  std::vector<std::optional<Bytes>> memories;        ///< none: the profile's
  std::vector<std::optional<BytesPerSecond>> links;  ///< none: the profile's
  std::vector<const Schedule*> schedules;

  /// Configurations that share a plan: all but the links.
  [[nodiscard]] std::size_t units() const {
    return networks.size() * hardware.size() * batches.size() * memories.size() * schedules.size();
  }
  [[nodiscard]] std::size_t rows() const { return units() * links.size(); }
};

/// Throws SpecError for what is missing, repeated or too much.
[[nodiscard]] SweepGrid sweep_grid(const Arguments& arguments);

/// Where a unit stands in the lists.
struct SweepUnit {
  std::size_t network;
  std::size_t hardware;
  std::size_t batch;
  std::size_t memory;
  std::size_t schedule;
  std::size_t costs;  ///< index of its (network, hardware, batch)
};
[[nodiscard]] SweepUnit unit_at(const SweepGrid& grid, std::size_t index);

}  // namespace ooc
