// Makes the runs of validation rows: a run is a command line, parsed and carried out as the command
// itself would, but for its output. Networks, machines and runs are kept: rows share many of them.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "reports/validation/evaluation.hpp"
#include "reports/validation/measured_networks.hpp"
#include "simulator/predict/case.hpp"

namespace ooc {

class RowRunner {
 public:
  explicit RowRunner(ReadLimits limits) : limits_(limits) {}

  /// What is predicted for a measured network, in seconds. Throws SpecError at the row's place.
  [[nodiscard]] double seconds(const MeasuredSet& set, const MeasuredNetwork& row);

  /// The figures of a run whose texts are filled in. Throws SpecError at the run's place.
  [[nodiscard]] std::vector<RunFigures> figures(const RowRun& run);

 private:
  [[nodiscard]] double predicted(const MeasuredSet& set, const MeasuredNetwork& row);
  [[nodiscard]] RunFigures command(const RowRun& run);
  [[nodiscard]] RunFigures made(const Arguments& arguments);
  [[nodiscard]] RunFigures predict(const Arguments& arguments);
  [[nodiscard]] RunFigures layer(const RowRun& run);
  /// use(report, case, run)
  template <class Use>
  [[nodiscard]] auto predicted(const Arguments& arguments, Use use);
  [[nodiscard]] RunFigures inspect(const Arguments& arguments);
  [[nodiscard]] RunFigures max_batch(const Arguments& arguments);
  [[nodiscard]] RunFigures copy(const RowRun& run);
  [[nodiscard]] CaseOptions options_of(const Arguments& arguments) const;
  /// The run's machine; where nobody asks for a framework, the options take the one that it names.
  [[nodiscard]] const Machine& machine_for(const std::string& name, CaseOptions& options);
  [[nodiscard]] const Workload& workload(const std::string& name, const CaseOptions& options);
  [[nodiscard]] const Machine& machine(const std::string& name, const CaseOptions& options);

  ReadLimits limits_;
  std::deque<std::pair<WorkloadOptions, Workload>> workloads_;
  std::map<std::string, Machine> machines_;
  std::map<std::string, RunFigures> runs_;                           ///< by command line
  std::map<std::string, std::map<std::string, RunFigures>> layers_;  ///< likewise, by layer
  std::map<std::string, std::vector<RunFigures>> replays_;
};

}  // namespace ooc
