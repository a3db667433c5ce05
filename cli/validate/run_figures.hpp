// The numbers that formulas of validation rows can name, of each kind of run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "reports/validation/evaluation.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/summary/max_batch_report.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// All metrics of the result format that are numbers or truth values, what a job that does not fit
/// lacks, and sums over the layers: forward_ns, backward_ns, update_ns; mean_near_bytes over time;
/// sections_link_bytes_per_s, the link that hides the copies of every section; backward_layers_delayed, the
/// share of layers whose backward tasks wait for copies or room.
[[nodiscard]] RunFigures figures_of_run(const RunReport& report, const Case& which,
                                        const CaseRun& run);
/// Of each layer, by name: forward_ns and backward_ns, what its tasks compute, and forward_wait_ns and
/// backward_wait_ns, what they wait for. Not known where the job does not fit.
[[nodiscard]] std::map<std::string, RunFigures> figures_of_layers(const RunReport& report,
                                                                  const Case& which,
                                                                  const CaseRun& run);
/// max_batch, and the metrics of the run at that batch.
[[nodiscard]] RunFigures figures_of_max_batch(const MaxBatchRow& row);
[[nodiscard]] RunFigures figures_of_inspection(const NetworkReport& report);
/// Of one result of `ooc-paleo replay --format json`. Throws SpecError for another file.
[[nodiscard]] RunFigures figures_of_replay(const std::string& path, const ReadLimits& limits);

}  // namespace ooc
