// Runs the jobs of validation rows. A job is a command line, run as the command runs it, without
// output. Networks, machines and results are cached, since many rows share them.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "reports/validation/figures.hpp"
#include "simulator/predict/scheduled_case.hpp"

namespace ooc {

/// Result of a row's job. Numbers are by name of a field; NaN: unknown; yes is 1, no is 0.
struct JobResult {
  std::map<std::string, double> numbers = {};
  std::map<std::string, double> of_layers = {};  ///< layers' numbers: "backward_ns of conv1"
  std::string note = {};                         ///< reason why numbers are unknown; empty: none
  std::string job_kind = {};  ///< of a prediction: kind in the table of errors; else empty
};

class RowRunner {
 public:
  explicit RowRunner(ReadLimits limits) : limits_(limits) {}

  /// Returns a field of the result of a row's job. Throws SpecError at the row's place.
  [[nodiscard]] Answer answer(const Asked& asked, const SpecView& place);

  /// Returns the result of a command line: predict, max-batch or inspect. `place`: for errors and relative paths.
  [[nodiscard]] const JobResult& result(const std::vector<std::string>& words,
                                        const SpecView& place);

  /// Function that receives a run of `predict`.
  using UseRun =
      std::function<void(const RunReport& report, const Case& which, const CaseRun& run)>;
  void predict(const std::vector<std::string>& words, const SpecView& place, const UseRun& use);
  void predict(const Arguments& arguments, const UseRun& use);

 private:
  /// Returns the time in core of the part of the iteration that was measured: enough memory, fastest algorithms.
  [[nodiscard]] Answer time(const Asked& asked, const SpecView& place);
  /// Returns the options of jobs whose networks were measured with the software `stack`.
  [[nodiscard]] const CaseOptions& options_under(
      const std::shared_ptr<const MeasuredSoftware>& stack, const SpecView& place);
  [[nodiscard]] const JobResult& kept(const std::string& line, const SpecView& place,
                                      const std::function<JobResult()>& make);
  [[nodiscard]] JobResult made(const Arguments& arguments);
  [[nodiscard]] JobResult inspect(const Arguments& arguments);
  [[nodiscard]] JobResult max_batch(const Arguments& arguments);
  /// Returns the field time_ns of one copy. Throws SpecError at `place`.
  [[nodiscard]] JobResult copy(const Asked& asked, const SpecView& place);
  /// Returns fields of the JSON that `replay` wrote, such as "causes_ns.swap_in.measured".
  [[nodiscard]] JobResult replay(const Asked& asked, const SpecView& place) const;
  [[nodiscard]] CaseOptions options_of(const Arguments& arguments) const;
  /// Returns the machine of --hardware, and sets the options' framework.
  [[nodiscard]] const Machine& machine_for(const Arguments& arguments, CaseOptions& options);
  [[nodiscard]] const Workload& workload(const std::string& name, const CaseOptions& options);
  [[nodiscard]] const Machine& machine(const std::string& name, const CaseOptions& options);

  ReadLimits limits_;
  std::map<std::shared_ptr<const MeasuredSoftware>, CaseOptions> software_;
  std::deque<std::pair<WorkloadOptions, Workload>> workloads_;
  std::map<std::string, Machine> machines_;
  std::map<std::string, JobResult> results_;  ///< by folder of the row and command line
  Bounds bounds_ = Bounds::kNone;             ///< kAll if the current metric needs lower bounds
};

}  // namespace ooc
