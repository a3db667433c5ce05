// Computes RunReport from plan and Timeline, and NetworkReport from a network. Everything that
// writers print is computed here once, so that table, JSON, CSV and trace agree.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/analytic/closed_forms.hpp"
#include "model/cost/compute_cost.hpp"
#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "model/rewrite/iteration.hpp"
#include "model/rewrite/state.hpp"
#include "simulator/summary/paper_estimate.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Extent of a report; each level includes the one before. Sweeps use kTotals. kPeaks adds the peaks by category.
enum class Detail { kTotals, kPeaks, kLayers };

/// Micro-batches that the job asks for (--accumulate); the last may be smaller.
struct MicroBatches {
  CostTable each;
  CostTable last;
  std::int64_t count = 1;
};

struct SummaryInput {
  const RunInputs& inputs;
  const Iteration& job;                         ///< iteration of the network before any rewriting
  const Iteration& about;                       ///< iteration of `plan`, `outcome` and `bounds`
  const PlanResult& plan;                       ///< plan, or OutOfMemory (CaseRun::verdict())
  const std::optional<Outcome>& outcome;        ///< unset if and only if `plan` is an OutOfMemory
  Bytes in_core_peak;                           ///< in_core_peak() of `job`, or of its micro-batch
  const MicroBatches* micro_batches = nullptr;  ///< null: none are asked for
  std::optional<LowerBounds> bounds = {};
  std::string_view bound_class = "schedules that only move tensors";
  ComputeModel compute_model = ComputeModel::kNative;  ///< model whose FLOPs are reported
  std::vector<std::string> assumed = {};               ///< assumed fields of the profile in use
  ClosedForm closed_form = ClosedForm::kNone;          ///< the schedule's, for RunReport::paper
  PaperChain* paper = nullptr;  ///< chain of this plan, kept for its next runs; null: not kept
  std::optional<Bytes> peak_far = {};  ///< peak of host memory; unset: from Timeline::events
  Detail detail = Detail::kLayers;
};

[[nodiscard]] RunReport summarize(const SummaryInput& input);
/// Updates the totals in a report of the same plan after a run at other copy costs, but not its inputs. Returns the
/// timeline; null: the job does not fit.
const Timeline* summarize_run(const SummaryInput& input, RunReport& report);

struct InspectionInput {
  const TrainingGraph& graph;
  RunInputs inputs = {};
  const Iteration* job = nullptr;  ///< the network's iteration, with costs; null: no times
  /// Sizes, used if `job` is null. Null: estimate_sizes() at the batch of `inputs`.
  const CostTable* sizes = nullptr;
  Accounting accounting = Accounting::kLiveness;
  ComputeModel compute_model = ComputeModel::kNative;
  std::vector<std::string> assumed = {};
};

[[nodiscard]] NetworkReport summarize_network(const InspectionInput& input);

/// Returns indices of `reports`, best first: by iteration time, then jobs that do not fit by the
/// smallest budget needed (unknown ones last). Equals keep their order.
[[nodiscard]] std::vector<std::size_t> best_first(const std::vector<RunReport>& reports);

// Peak of GPU memory if nothing moves, static bytes included (docs/model.md, 3); reported as `in_core_peak_bytes`.

/// Returns the peak in bytes. Liveness and define-by-run: the largest sum over tasks of live tensors and the first
/// algorithm's workspace. Rules without lifetimes: their footprint and the largest workspace.
[[nodiscard]] Bytes in_core_peak(const TrainingGraph& graph, const CostTable& costs,
                                 Accounting accounting);

}  // namespace ooc
