// The smallest link, memory or rate with which a job comes as near to computing alone, or to a given time, as
// asked: the function behind the command `need`. It neither parses flags nor prints.
#pragma once

#include <optional>
#include <span>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/schedule.hpp"
#include "simulator/summary/need_report.hpp"

namespace ooc {

struct NeedRequest {
  const Workload& workload;
  const Machine& machine;
  const CaseOptions& options;
  std::span<const Schedule* const> chosen;
  Needed what = Needed::kLink;
  std::optional<Duration> time = {};  ///< the goal; none: `within`
  Ratio within{kOne.count() / 100};   ///< of the reference, above it
};

/// A row for each schedule, in their order. A value was run and does; so was the lower end of its bracket, at
/// most 1 % below, and does not. Below that, something else may do again: on graphs with skips schedules are
/// not quite monotone (docs/model.md).
[[nodiscard]] NeedReport needs(const NeedRequest& request);

}  // namespace ooc
