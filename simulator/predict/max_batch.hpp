// The largest batch of a network on a machine under schedules, or the deepest network: the function behind
// the commands `max` and `max-batch`, and behind whatever else asks (it neither parses flags nor prints).
// Feasibility is exact: the size it names was planned and run, the one above it was seen to fail.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/schedule.hpp"
#include "simulator/summary/max_batch_report.hpp"

namespace ooc {

struct MaxBatchRequest {
  const Workload& workload;
  const Machine& machine;
  const CaseOptions& options;  ///< but what is looked for
  std::int64_t limit = kMaxBatch;
  MaxOf of = MaxOf::kBatch;
};

/// A job of some size.
struct SizedCase {
  std::unique_ptr<const Workload> workload = {};  ///< where it is not that of the request
  std::unique_ptr<const Case> which;
};

/// Of what the largest is looked for: how a job of a size is built, and what is known of sizes.
struct SizeAxis {
  /// Throws SpecError for what read_workload() and make_case() refuse.
  std::function<SizedCase(std::int64_t size)> build;
  std::int64_t first = 1;   ///< nothing smaller is tried
  std::int64_t growth = 2;  ///< BatchSearch::growth
  std::size_t kept = 4;     ///< jobs that are kept for the next schedule
  /// Any batch fits in rounds: so they are left out of the search, and what is found runs as usual afterwards.
  bool in_one_round = false;
};
/// The objects of the request must outlive it. Throws SpecError for a network that has no such size.
[[nodiscard]] SizeAxis size_axis_of(const MaxBatchRequest& request);

/// The one repeat that scales; SpecError for none or several.
[[nodiscard]] const ScalingRepeat& scaling_repeat(const Workload& workload);

/// Jobs by size: costs are worked out once per size, for all schedules.
class SizedCases {
 public:
  explicit SizedCases(SizeAxis axis) : axis_(std::move(axis)) {}

  /// Stands until the next call.
  [[nodiscard]] const Case& at(std::int64_t size);
  [[nodiscard]] const SizeAxis& axis() const { return axis_; }

 private:
  SizeAxis axis_;
  std::map<std::int64_t, SizedCase> cases_;
};

/// One schedule. Throws SpecError for what is wrong with the first size already.
/// Precondition: the limit is not below that.
[[nodiscard]] MaxBatchRow max_batch(const MaxBatchRequest& request, SizedCases& cases,
                                    const Schedule& schedule);
/// All of them, in their order.
[[nodiscard]] MaxBatchReport max_batches(const MaxBatchRequest& request,
                                         std::span<const Schedule* const> chosen);

}  // namespace ooc
