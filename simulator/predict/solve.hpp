// Smallest link, memory or rate with which a job is as fast as asked; largest batch, deepest network or
// longest sequence that runs: the function behind `need`, `max` and `max-batch`. Neither parses flags nor
// prints. Every value returned was planned and run, and so was the nearest value beyond, which fails.
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

/// Number of a job that is searched for.
struct SolveAxis {
  enum class Unit { kRate, kBytes, kCount };

  std::string_view word;  ///< word of the command line and of results: "near-memory"
  std::string_view flag;  ///< axis that sets it (options.hpp); empty: scaling repeat
  Unit unit = Unit::kRate;
  /// True: the smallest value that is as fast as asked. False: the largest that fits.
  [[nodiscard]] bool is_needed() const { return unit != Unit::kCount; }
};
/// Returns the axes of `need`, then batch, layers and seq.
[[nodiscard]] std::span<const SolveAxis> solve_axes();
/// Returns the axis with this word; null if there is none.
[[nodiscard]] const SolveAxis* find_solve_axis(std::string_view word);

struct SolveRequest {
  const Workload& workload;
  const Machine& machine;
  const CaseOptions& options;  ///< options; the number searched for is ignored
  const SolveAxis& axis;
  std::span<const Schedule* const> chosen;
  std::optional<Duration> time = {};      ///< largest time allowed, for needs; unset: by `within`
  Ratio within{kOne.count() / 100};       ///< allowed excess over the reference
  std::int64_t limit = kMaxBatch;         ///< largest count that is tried
  std::optional<std::int64_t> step = {};  ///< step of sequences; unset: 128, above 32768 1024
};

struct SolveRow {
  std::string schedule;
  std::string options = {};                 ///< options of the schedule, if not the defaults
  std::optional<std::int64_t> value = {};   ///< unset: none suffices; 0: any does
  std::optional<std::int64_t> beyond = {};  ///< nearest value that fails; unset: none was tried
  /// Name of the reason: for needs, why no value or any value suffices; for counts, why no larger one was found.
  std::string reason = {};
  std::string reason_text = {};  ///< the reason for people
  /// Run at `value` as `predict` runs it; for a need without value, with the most there can be.
  std::optional<RunReport> run = {};
  std::optional<Bytes> lacks = {};  ///< bytes that `beyond` lacks
  bool any_in_rounds = false;       ///< any larger batch runs, in micro-batches up to `value`
  /// True if every value beyond fails, too. If false, the next few were tried.
  bool monotone = true;
  int tried = 0;  ///< number of values tried
};

struct SolveReport {
  const SolveAxis* axis = nullptr;
  RunInputs inputs = {};  ///< without schedule and options; number searched for as in the job
  Duration reference_time = {};
  std::int64_t now = 0;             ///< for needs: value in the job; of two directions the slower
  std::vector<SolveRow> rows = {};  ///< rows, best first
  std::vector<std::string> remarks = {};
};

/// Returns a row for each schedule. Throws SpecError for a network without such a number, and for
/// an invalid job. Precondition: the limit is not below the number of devices.
[[nodiscard]] SolveReport solve(const SolveRequest& request);

/// Returns the only scaling repeat; throws SpecError for none or several.
[[nodiscard]] const ScalingRepeat& scaling_repeat(const Workload& workload);
/// Returns `value` over that of in-core; unset if in-core is missing or fits nothing.
[[nodiscard]] std::optional<double> gain_over_in_core(const SolveReport& report,
                                                      const SolveRow& row);

}  // namespace ooc
