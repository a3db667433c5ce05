// lms with --lms-action compress or both. The schedule chooses the tensors to compress, so it
// returns a new graph with its plan (model/rewrite/compression.hpp).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "model/rewrite/compression.hpp"
#include "simulator/plan/memory_ledger.hpp"
#include "simulator/schedules/schedule.hpp"
#include "simulator/schedules/sub_batch.hpp"
#include "simulator/schedules/task_plan.hpp"

namespace ooc {

// Decisions of lms for any action: the order in which it chooses tensors, and when each returns
// (lms.cpp). Used for swaps and for compression (lms_compress.hpp).

/// Throws SpecError if --max-swaps is negative.
void check_lms_options(const ScheduleOptions& options);

/// Returns all tensors that lms may move or compress, longest slack (lms.cpp) first; ties: the largest.
[[nodiscard]] std::vector<TensorId> rank_for_lms(const PlanningProblem& problem);

/// Return of a tensor to GPU memory.
struct Restoration {
  TensorId moved;  ///< tensor copied in
  TensorId used;   ///< tensor then read: `moved`, or the decompressed form of `moved`
  std::optional<TaskId> reader = {};  ///< task for which the tensor returns; unset: all readers
};

/// Returns one move for each of `restorations`, which are in order of first use. A tensor returns once the one before
/// has been used and memory has room. `ledger` must lack the tensors before their first backward use; books them.
[[nodiscard]] std::vector<Move> chain_restorations(const PlanningProblem& problem,
                                                   MemoryLedger& ledger,
                                                   const std::vector<Restoration>& restorations);

struct CompressionRequest {
  const PlanningProblem& problem;
  /// Returns the costs of the graph in `compression`, transfers included.
  std::function<CostTable(const Compression& compression)> costs_of;
};

[[nodiscard]] PlannedIteration plan_with_compression(const CompressionRequest& request);

}  // namespace ooc
