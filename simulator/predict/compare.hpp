// All schedules for one job, each run as `predict` runs it: the functions behind `compare`. They print nothing.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/schedule.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Calls run(i) once for each i in [0, count), several at a time, then rethrows the exception of the first i, if any.
void run_all(std::size_t count, const std::function<void(std::size_t)>& run);

struct Comparison {
  /// A row for each schedule, in order. One more, in-core with gradient accumulation, follows if a schedule has
  /// Trait::kSubBatches or if one that moves nothing does not fit. It is missing if in-core fits without accumulation,
  /// with --sub-batch or --accumulate, for a batch of 1, if model states move, and with is_footprint() accountings.
  std::vector<RunReport> rows;
  std::vector<std::string> left_out;  ///< message if in-core's row has too many tasks; else empty
};

[[nodiscard]] Comparison compare(const Case& which, std::span<const Schedule* const> chosen);

// All schedules for one job on several machines or links: the function behind `compare` with lists.
// Rules of comparison: docs/notebook/0020-compare-machines.md.

struct MachinesRequest {
  const Workload& workload;
  std::span<const Machine> machines;
  /// By machine: schedules compared on it.
  std::span<const std::vector<const Schedule*>> chosen;
  /// Link rates, each tried on every machine; an unset entry: the profile's rates. Precondition: one entry or more.
  std::span<const std::optional<BytesPerSecond>> links;
  const CaseOptions& options;              ///< options of all rows, but for `links` and `states`
  std::span<const std::int64_t> states{};  ///< presets (state_words.hpp); empty: as `options` says
};

/// Returns a row for each machine, link and preset; presets vary fastest, and each row is sorted best first. Throws
/// SpecError as read_workload(), make_case() and plan_job() do.
[[nodiscard]] MachinesReport compare_machines(const MachinesRequest& request);

// What-if runs: the job again with one thing improved, to find what helps most.

/// Returns runs with link x 2, memory x 1.25, compute x 2 and, for updates on the host at a finite rate, far updates
/// x 2. `report`: of the unchanged job; savings are relative to its time. Empty if the job does not fit.
[[nodiscard]] std::vector<WhatIf> what_if(const Workload& workload, const Machine& machine,
                                          const CaseOptions& options, const Schedule& schedule,
                                          const RunReport& report);

}  // namespace ooc
