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
  /// One row for each schedule, in their order; then in-core with gradient accumulation, if the batch can be divided.
  std::vector<RunReport> rows;
  std::vector<std::string> left_out;  ///< reasons why the row with gradient accumulation is missing
};

[[nodiscard]] Comparison compare(const Case& which, std::span<const Schedule* const> chosen);

// All schedules for one job on several machines or links: the function behind `compare` with lists.
// Rules of comparison: docs/notebook/0020-compare-machines.md.

struct MachinesRequest {
  const Workload& workload;
  std::span<const Machine> machines;
  /// By machine: schedules that it can run.
  std::span<const std::vector<const Schedule*>> chosen;
  /// Links for each machine; unset: the profile's.
  std::span<const std::optional<BytesPerSecond>> links;
  const CaseOptions& options;  ///< without the link, and without states if `states` is set
  std::span<const std::int64_t> states{};  ///< presets (state_words.hpp), or empty
};

/// Returns rows by machine, then link, then preset. Throws SpecError as make_case() does.
[[nodiscard]] MachinesReport compare_machines(const MachinesRequest& request);

// What-if runs: the job again with one thing improved, to find what helps most.

/// Returns link x 2, memory x 1.25 and compute x 2, in this order, each against `report`. Empty if
/// the job does not fit; its smallest budget then tells what helps.
[[nodiscard]] std::vector<WhatIf> what_if(const Workload& workload, const Machine& machine,
                                          const CaseOptions& options, const Schedule& schedule,
                                          const RunReport& report);

}  // namespace ooc
