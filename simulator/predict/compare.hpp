// All schedules for one job, each run as `predict` runs it: the function behind `compare`. Nothing
// here parses flags or prints.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/schedule.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

struct Comparison {
  /// A row for each schedule, in order. In-core with gradient accumulation follows if a schedule accumulates by itself,
  /// or one that moves nothing does not fit; not with --sub-batch, --accumulate, far model states or a batch of 1.
  std::vector<RunReport> rows;
  std::vector<std::string> left_out;  ///< why in-core with accumulation is missing; else empty
};

[[nodiscard]] Comparison compare(const Case& which, std::span<const Schedule* const> chosen);

// All schedules for one job on several machines or links: the function behind `compare` with lists.
// Rules of comparison: docs/notebook/0020-compare-machines.md.

struct MachinesRequest {
  const Workload& workload;
  std::span<const Machine> machines;
  /// By machine: schedules to compare there.
  std::span<const std::vector<const Schedule*>> chosen;
  /// Link rates, each tried on every machine; unset entry: the profile's rates. At least one entry.
  std::span<const std::optional<BytesPerSecond>> links;
  const CaseOptions& options;              ///< options of all rows; `links`, `states` override
  std::span<const std::int64_t> states{};  ///< presets (state_words.hpp); empty: as in `options`
};

/// Returns rows by machine, then link, then preset. Throws SpecError as read_workload() and make_case() do.
[[nodiscard]] MachinesReport compare_machines(const MachinesRequest& request);

// What-if runs: the job again with one thing improved, to find what helps most.

/// Returns runs with link x 2, memory x 1.25, compute x 2 and, with updates in host memory, far updates x 2, each
/// against `report`. Empty if the job does not fit.
[[nodiscard]] std::vector<WhatIf> what_if(const Workload& workload, const Machine& machine,
                                          const CaseOptions& options, const Schedule& schedule,
                                          const RunReport& report);

}  // namespace ooc
