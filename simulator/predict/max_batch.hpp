// The largest batch of a network on a machine under schedules: the function behind the command
// `max-batch`, and behind whatever else asks (it neither parses flags nor prints). Feasibility is
// exact: the batch it names was planned and run, the one above it was seen to fail.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/schedule.hpp"
#include "simulator/summary/max_batch_report.hpp"

namespace ooc {

/// A network on a machine at any batch: costs are worked out once per batch, for all schedules.
class BatchCases {
 public:
  /// `options.batch` and `options.schedule.sub_batch` are of no account: one round per iteration.
  /// The objects must outlive it.
  BatchCases(const Workload& workload, const Machine& machine, const CaseOptions& options);

  /// Throws SpecError for what make_case() refuses.
  [[nodiscard]] const Case& at(std::int64_t batch);
  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] const CaseOptions& options() const { return options_; }

 private:
  const Workload& workload_;
  const Machine& machine_;
  CaseOptions options_;
  std::map<std::int64_t, std::unique_ptr<const Case>> cases_;
};

struct MaxBatchRequest {
  const Workload& workload;
  const Machine& machine;
  const CaseOptions& options;  ///< but the batch
  std::int64_t limit = kMaxBatch;
};

/// One schedule. Throws SpecError for what is wrong with a sample (for each device) already.
/// Precondition: the limit is not below that.
[[nodiscard]] MaxBatchRow max_batch(const MaxBatchRequest& request, BatchCases& cases,
                                    const Schedule& schedule);
/// All of them, in their order.
[[nodiscard]] MaxBatchReport max_batches(const MaxBatchRequest& request,
                                         std::span<const Schedule* const> chosen);

}  // namespace ooc
