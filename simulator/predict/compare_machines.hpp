// All schedules for one job on several machines, or over several links: the function behind `compare` where
// it is given lists. It neither parses flags nor prints. What is alike: docs/notebook/0020-compare-machines.md.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "simulator/predict/compare.hpp"
#include "simulator/summary/machines_report.hpp"

namespace ooc {

struct MachinesRequest {
  const Workload& workload;
  std::span<const Machine> machines;
  /// Of each machine: not all of them can run all.
  std::span<const std::vector<const Schedule*>> chosen;
  /// Each machine with each of these; none: the profile's.
  std::span<const std::optional<BytesPerSecond>> links;
  const CaseOptions& options;  ///< but the link, and what of the state moves where `states` say it
  std::span<const double> prices{};        ///< one a machine and link, or none
  std::span<const std::int64_t> states{};  ///< presets (state_words.hpp), or none
};

/// Rows by machine, then by link, then by state. Throws SpecError for what make_case() refuses on any of them.
[[nodiscard]] MachinesReport compare_machines(const MachinesRequest& request);

}  // namespace ooc
