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
  std::string_view flag;  ///< flag of its axis (options.hpp); empty: number of layers
  Unit unit = Unit::kRate;
  /// True: search for the smallest value that is as fast as asked. False: for the largest that fits.
  [[nodiscard]] bool is_needed() const { return unit != Unit::kCount; }
};
/// Returns the axes of `need`, then batch, layers and seq.
[[nodiscard]] std::span<const SolveAxis> solve_axes();
/// Returns the axis with this word; null if there is none.
[[nodiscard]] const SolveAxis* find_solve_axis(std::string_view word);

struct SolveRequest {
  const Workload& workload;
  const Machine& machine;
  const CaseOptions& options;  ///< options of the job; the searched quantity is ignored
  const SolveAxis& axis;
  std::span<const Schedule* const> chosen;
  std::optional<Duration> time = {};      ///< `need`: largest time allowed; unset: `within` decides
  Ratio within{kOne.count() / 100};       ///< allowed excess over the reference time, as a fraction
  std::int64_t limit = kMaxBatch;         ///< largest batch, depth or length that is tried
  std::optional<std::int64_t> step = {};  ///< step of sequences; unset: 128, above 32768 1024
};

struct SolveRow {
  std::string schedule;
  std::string options = {};                 ///< options of the schedule, unless defaults
  std::optional<std::int64_t> value = {};   ///< answer; unset: no value suffices; 0: any value does
  std::optional<std::int64_t> beyond = {};  ///< nearest value that fails; unset: none was tried
  /// Name of the reason. `need`: why no value or any value suffices; `max`: why no larger value was found.
  std::string reason = {};
  std::string reason_text = {};  ///< the reason for people
  /// Run at `value`, as `predict` runs it. `need` without an answer: run with the largest value possible.
  std::optional<RunReport> run = {};
  std::optional<Bytes> lacks = {};  ///< bytes that `beyond` lacks
  bool any_in_rounds = false;  ///< true if any larger batch runs as micro-batches of up to `value`
  /// True if every value beyond fails. False: only the next few values were tried.
  bool monotone = true;
  int tried = 0;  ///< number of values tried
};

struct SolveReport {
  RunInputs inputs = {};  ///< without schedule and options; the quantity as in the job
  Duration reference_time = {};
  std::int64_t now = 0;             ///< `need`: value in the job; of two link directions the slower
  std::vector<SolveRow> rows = {};  ///< rows, best first
  std::vector<std::string> remarks = {};
};

/// Returns a row for each schedule. Throws SpecError if the network lacks the quantity, and for an
/// invalid job. Precondition: the limit is not below the number of devices.
[[nodiscard]] SolveReport solve(const SolveRequest& request);

/// Returns the only repeat of layers whose count may vary; throws SpecError for none or several.
[[nodiscard]] const ScalingRepeat& scaling_repeat(const Workload& workload);
/// Returns `value` divided by in-core's; unset if in-core is missing or fits nothing.
[[nodiscard]] std::optional<double> gain_over_in_core(const SolveReport& report,
                                                      const SolveRow& row);

}  // namespace ooc
