// Makes the runs of validation rows: a run is a command line, parsed and carried out as the command
// itself would, but for its output. Networks, machines and runs are kept: rows share many of them.
#pragma once

#include <map>
#include <memory>
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
  [[nodiscard]] RunFigures predict(const Arguments& arguments);
  [[nodiscard]] RunFigures inspect(const Arguments& arguments);
  [[nodiscard]] RunFigures max_batch(const Arguments& arguments);
  [[nodiscard]] RunFigures copy(const RowRun& run);
  [[nodiscard]] CaseOptions options_of(const Arguments& arguments) const;
  [[nodiscard]] const Workload& workload(const std::string& name, const CaseOptions& options);
  [[nodiscard]] const Machine& machine(const std::string& name, const CaseOptions& options);

  ReadLimits limits_;
  std::map<std::string, Workload> workloads_;  ///< by path and what the graph was built with
  std::map<std::string, Machine> machines_;
  std::map<std::string, RunFigures> runs_;  ///< by command line
  std::map<std::string, std::vector<RunFigures>> replays_;
};

}  // namespace ooc
