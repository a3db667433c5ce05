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

/// Throws SpecError for numbers out of range.
void check_lms_options(const ScheduleOptions& options);

/// Returns the tensors that may be chosen, longest slack first, before --max-swaps.
[[nodiscard]] std::vector<TensorId> rank_for_lms(const PlanningProblem& problem);

/// Return of a tensor: the tensor copied in, and the tensor then read, which differs if it is decompressed.
struct Restoration {
  TensorId moved;
  TensorId used;
  std::optional<TaskId> reader = {};  ///< backward task that it returns for; unset: all its readers
};

/// Returns one move for each restoration, in order of first use, one after another. Precondition:
/// `ledger` lacks the tensors up to their first backward use.
[[nodiscard]] std::vector<Move> chain_restorations(const PlanningProblem& problem,
                                                   MemoryLedger& ledger,
                                                   const std::vector<Restoration>& restorations);

struct CompressionRequest {
  const PlanningProblem& problem;
  /// Returns the costs of the compressed graph, transfers included.
  std::function<CostTable(const Compression& compression)> costs_of;
};

[[nodiscard]] PlannedIteration plan_with_compression(const CompressionRequest& request);

}  // namespace ooc
