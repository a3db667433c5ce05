// All schedules for one job on several machines or links: the function behind `compare` with lists.
// Neither parses flags nor prints. Rules of comparison: docs/notebook/0020-compare-machines.md.
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
  /// By machine: the schedules that it can run.
  std::span<const std::vector<const Schedule*>> chosen;
  /// Links for each machine; unset: the profile's.
  std::span<const std::optional<BytesPerSecond>> links;
  const CaseOptions& options;  ///< the link is ignored; so are moving states if `states` is set
  std::span<const double> prices{};        ///< one a machine and link, or empty
  std::span<const std::int64_t> states{};  ///< presets (state_words.hpp), or empty
};

/// Returns rows by machine, then link, then state. Throws SpecError as make_case() does for any of them.
[[nodiscard]] MachinesReport compare_machines(const MachinesRequest& request);

}  // namespace ooc
