// The smallest link, memory or rate with which a job is as fast as asked, the largest batch that runs, the deepest
// network, the longest sequence: the function behind `need`, `max` and `max-batch`. It neither parses flags nor prints.
// Every value that it names was planned and run, and so was the nearest one beyond it, which does not do.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// A number of a job that is searched.
struct SolveAxis {
  enum class Unit { kRate, kBytes, kCount };

  std::string_view word;  ///< of the command line and of results: "near-memory"
  std::string_view
      flag;  ///< the axis of sweeps that sets it (options.hpp); empty: copies of the repeat that scales
  Unit unit = Unit::kRate;
  /// Searched is the smallest value that is as fast as asked; else the largest that fits.
  [[nodiscard]] bool is_needed() const { return unit != Unit::kCount; }
};
/// Those of `need`, then batch, layers and seq.
[[nodiscard]] std::span<const SolveAxis> solve_axes();
/// The axis of that word, or null.
[[nodiscard]] const SolveAxis* find_solve_axis(std::string_view word);

struct SolveRequest {
  const Workload& workload;
  const Machine& machine;
  const CaseOptions& options;  ///< but what is searched
  const SolveAxis& axis;
  std::span<const Schedule* const> chosen;
  std::optional<Duration> time = {};      ///< goal of what is needed; unset: `within`
  Ratio within{kOne.count() / 100};       ///< of the reference, above it
  std::int64_t limit = kMaxBatch;         ///< largest count that is tried
  std::optional<std::int64_t> step = {};  ///< of a sequence; unset: 128, beyond 32768 1024
};

struct SolveRow {
  std::string schedule;
  std::string options = {};                ///< of the schedule, where they are not the defaults
  std::optional<std::int64_t> value = {};  ///< bytes/s, bytes or a count; unset: none does; 0: any
  std::optional<std::int64_t> beyond =
      {};  ///< nearest value that does not do; unset: none was tried
  /// What is needed: why there is no value, or why any will do. Of counts: why no larger one was found.
  std::string reason = {};
  std::string reason_text = {};  ///< the same for people
  /// At `value`, as `predict` runs it; of what is needed and has no value with as much as there can be.
  std::optional<RunReport> run = {};
  std::optional<Bytes> lacks = {};  ///< of `beyond`: memory that it lacks
  bool any_in_rounds = false;       ///< any larger batch runs in rounds of at most `value` samples
  /// Whatever lies beyond fails as well. If not, the next few were tried.
  bool monotone = true;
  int tried = 0;  ///< values
};

struct SolveReport {
  const SolveAxis* axis = nullptr;
  RunInputs inputs = {};  ///< without schedule and options; of what is searched as the job has it
  Duration reference_time = {};
  std::int64_t now = 0;  ///< of what is needed: what the job has; of two directions the slower one
  std::vector<SolveRow> rows = {};  ///< best first
  std::vector<std::string> remarks = {};
};

/// One row a schedule. Throws SpecError for a network that has no such number, and for what is wrong with the job.
/// Precondition: the limit is not below the number of devices.
[[nodiscard]] SolveReport solve(const SolveRequest& request);

/// The one repeat that scales; SpecError for none or several.
[[nodiscard]] const ScalingRepeat& scaling_repeat(const Workload& workload);
/// How much larger than with in-core, where that is among the rows and anything fits in it.
[[nodiscard]] std::optional<double> gain_over_in_core(const SolveReport& report,
                                                      const SolveRow& row);

}  // namespace ooc
