#include "simulator/predict/compare.hpp"

#include <algorithm>

#include "model/base/errors.hpp"
#include "simulator/predict/planning.hpp"
#include "simulator/predict/scheduled_case.hpp"

namespace ooc {
namespace {

/// Of in-core with --sub-batch auto: what everything that moves tensors has to be seen against, where the whole batch
/// does not fit.
void add_in_rounds(const CompareRequest& request, Comparison& result) {
  const Schedule& in_core = *find_schedule("in-core");
  const std::string name = std::string(in_core.name) + ", in rounds";
  Case which = request.which;
  which.schedule_options.sub_batch.kind = SubBatch::Kind::kAuto;
  if (!which.inputs.asked.empty()) ask(which.inputs.asked, "sub_batch", "\"auto\"");
  try {
    RunReport report = predict(which, in_core, Detail::kPeaks);
    if (report.feasible && report.rounds == 1) return;
    report.inputs.row = name;
    result.rows.push_back(std::move(report));
  } catch (const SpecError& error) {  // more rounds than can be written out
    if (error.parts().place != "--sub-batch") throw;
    result.left_out.push_back(name + ": " + error.what());
  }
}

}  // namespace

Comparison compare(const CompareRequest& request) {
  const Case& which = request.which;
  Comparison result;
  bool asks_for_rounds = false;
  for (const Schedule* schedule : request.chosen) {
    result.rows.push_back(predict(which, *schedule, Detail::kPeaks));
    asks_for_rounds = asks_for_rounds || schedule->is(Trait::kSubBatches) ||
                      (schedule->is(Trait::kMovesNothing) && !result.rows.back().feasible);
  }
  const bool can_be_cut = which.costs.batch > 1 && !is_footprint(which.accounting) && !which.moving;
  const bool usual = which.schedule_options.sub_batch.kind == SubBatch::Kind::kUsual;
  if (asks_for_rounds && can_be_cut && usual) add_in_rounds(request, result);
  return result;
}

}  // namespace ooc
