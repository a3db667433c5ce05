// Smallest link, memory or rate with which a job is as fast as asked; largest batch, deepest
// network or longest sequence that runs: the function behind `need`, `max` and `max-batch`. Every
// value returned was planned and run, and so was the nearest value beyond, which fails.
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

/// Quantity that a search varies.
struct SolveAxis {
  enum class Unit { kRate, kBytes, kCount };

  std::string_view word;  ///< name on the command line and in results: "near-memory"
  std::string_view flag;  ///< flag of its axis (options.hpp); empty: "layers" has none
  Unit unit = Unit::kRate;
  /// True: search for the smallest value that is as fast as asked. False: for the largest that fits.
  [[nodiscard]] bool is_needed() const { return unit != Unit::kCount; }
};
/// Returns the axes of `need`, then those of `max`: batch, layers, seq.
[[nodiscard]] std::span<const SolveAxis> solve_axes();
/// Returns the axis with this word; null if there is none.
[[nodiscard]] const SolveAxis* find_solve_axis(std::string_view word);

struct SolveRequest {
  const Workload& workload;
  const Machine& machine;
  const CaseOptions& options;  ///< options of the job; the search replaces its quantity
  const SolveAxis& axis;
  std::span<const Schedule* const> chosen;
  std::optional<Duration> time = {};      ///< `need`: largest time allowed; unset: `within` decides
  Ratio within{kOne.count() / 100};       ///< allowed excess over the reference time, as a fraction
  std::int64_t limit = kMaxBatch;         ///< largest batch, depth or length that is tried
  std::optional<std::int64_t> step = {};  ///< step of sequences; unset: 128, above 32768 1024
};

struct SolveRow {
  std::string schedule;
  std::string options = {};                 ///< options of the schedule that are not defaults
  std::optional<std::int64_t> value = {};   ///< answer; unset: no value does; 0: any value does
  std::optional<std::int64_t> beyond = {};  ///< nearest value that fails; unset: none found
  /// Name of a reason. `need`: why no value or any value suffices, else empty; `max`: why no larger value was found.
  std::string reason = {};
  std::string reason_text = {};  ///< the reason in words, for people
  /// Run at `value`, as `predict` runs it. `need` without an answer: run with the largest value. Unset: none ran.
  std::optional<RunReport> run = {};
  std::optional<Bytes> lacks = {};  ///< `max`: bytes missing at `beyond`; unset: it fails otherwise
  bool any_in_rounds = false;       ///< true: larger batches run as micro-batches of up to `value`
  /// `max`: true if every larger value must fail; false: only the next few were tried. `need`: true, not checked.
  bool monotone = true;
  int tried = 0;  ///< number of values tried
};

struct SolveReport {
  RunInputs inputs = {};  ///< without schedule and options; `max`: without the quantity asked for
  Duration reference_time = {};
  std::int64_t now = 0;             ///< `need`: the job's value, of the slower direction; `max`: 0
  std::vector<SolveRow> rows = {};  ///< rows, best first
  std::vector<std::string> remarks = {};
};

/// Returns a row for each schedule. Throws SpecError if the network lacks the quantity, for a limit
/// below the step, and for an invalid job. Precondition: limit >= number of devices.
[[nodiscard]] SolveReport solve(const SolveRequest& request);

/// Returns the only repeat of layers marked "scale": true; throws SpecError for none or several.
[[nodiscard]] const ScalingRepeat& scaling_repeat(const Workload& workload);
/// Returns `row.value` divided by that of in-core's row; unset if one of the two has no value.
[[nodiscard]] std::optional<double> gain_over_in_core(const SolveReport& report,
                                                      const SolveRow& row);

}  // namespace ooc
