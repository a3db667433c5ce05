// Smallest link, memory or rate with which a job is as fast as asked; largest batch, deepest
// network or longest sequence that runs: the function behind `need`, `max` and `max-batch`. Every
// value returned was planned and run, and so was the nearest value beyond that fails, if one does.
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
  std::string_view flag;  ///< flag of its sweep axis; empty for "layers", which has none
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
  const CaseOptions& options;  ///< options of the job; the search sets the quantity in them
  const SolveAxis& axis;
  std::span<const Schedule* const> chosen;
  std::optional<Duration> time = {};  ///< `need`: longest iteration allowed; unset: see `within`
  Ratio within{kOne.count() / 100};  ///< `need`: allowed excess over the reference time, a fraction
  std::int64_t limit = kMaxBatch;    ///< `max`: largest batch, number of layers or length
  std::optional<std::int64_t> step = {};  ///< step between lengths; unset: 128, above 32768 1024
};

struct SolveRow {
  std::string schedule;
  std::string options = {};                 ///< options of the schedule that are not defaults
  std::optional<std::int64_t> value = {};   ///< answer; unset: none does; 0 (`need`): any does
  std::optional<std::int64_t> beyond = {};  ///< nearest value tried that fails; unset: none failed
  /// Name of a reason. `need`: why no value or any value suffices, else empty. `max`: why no larger value was found.
  std::string reason = {};
  std::string reason_text = {};  ///< the reason in words, for people
  /// Run at `value`, as `predict` runs it. `need` without an answer: run at the largest value. Unset: no run to report.
  std::optional<RunReport> run = {};
  std::optional<Bytes> lacks = {};  ///< `max`: bytes missing at `beyond`; unset: none, or unknown
  bool any_in_rounds = false;       ///< true: larger batches run as micro-batches of up to `value`
  /// `max`: true if all values above a failing one must fail; false: only the next few were tried. `need`: not checked.
  bool monotone = true;
  int tried = 0;  ///< number of values tried
};

struct SolveReport {
  RunInputs inputs = {};  ///< without the schedule's; `max`: the quantity varied means nothing
  Duration reference_time = {};
  std::int64_t now = 0;             ///< `need`: the job's value (link: slower direction); `max`: 0
  std::vector<SolveRow> rows = {};  ///< rows, best first
  std::vector<std::string> remarks = {};
};

/// Returns a row for each schedule. Throws SpecError if the network lacks the quantity, for a limit
/// below the step, and for an invalid job. Precondition: limit >= number of devices x --accumulate.
[[nodiscard]] SolveReport solve(const SolveRequest& request);

/// Returns the only repeat of layers marked "scale": true; throws SpecError for none or several.
[[nodiscard]] const ScalingRepeat& scaling_repeat(const Workload& workload);
/// Returns `row.value` divided by that of in-core's row; unset if one of the two has no value.
[[nodiscard]] std::optional<double> gain_over_in_core(const SolveReport& report,
                                                      const SolveRow& row);

}  // namespace ooc
