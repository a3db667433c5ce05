// Plan and Timeline -> RunReport, and Network -> NetworkReport: everything that any writer prints
// is worked out here once, so that table, JSON, CSV and trace cannot disagree.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/analytic/closed_forms.hpp"
#include "model/cost/compute_cost.hpp"
#include "model/rewrite/data_parallel.hpp"
#include "model/rewrite/rounds.hpp"
#include "model/rewrite/state.hpp"
#include "simulator/summary/paper_estimate.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// How much of the report to fill, each more than the one before: a sweep needs totals only.
enum class Detail { kTotals, kPeaks, kLayers, kSteps };

struct SummaryInput {
  const RunInputs& inputs;
  const TrainingGraph& graph;
  const CostTable& costs;
  const PlanResult& plan;                 ///< as make_plan returned it
  const std::optional<Outcome>& outcome;  ///< none exactly where `plan` is an OutOfMemory
  /// What `plan`, `outcome` and `bounds` are about where there are several rounds; null: of `graph`.
  const Rounds* rounds = nullptr;
  /// What `plan` and `outcome` are about on several devices; else null. Graph, costs, rounds and bounds are
  /// then those of the first one's share.
  const DataParallel* devices = nullptr;
  Bytes in_core_peak;  ///< in_core_peak() of in_core_peak.hpp
  std::optional<LowerBounds> bounds = {};
  std::string_view bound_class = "schedules that only move tensors";
  ComputeModel compute_model = ComputeModel::kNative;  ///< whose FLOPs are reported
  std::vector<std::string> assumed = {};               ///< HardwareProfile::assumed
  ClosedForm closed_form = ClosedForm::kNone;          ///< of the schedule
  PaperChain* paper = nullptr;         ///< of the same plan, to be kept between runs of it
  std::optional<Bytes> peak_far = {};  ///< where it is worked out already
  Detail detail = Detail::kLayers;
  const MovingState* moving = nullptr;  ///< whose graph `rounds` has; null: state stays near
};

[[nodiscard]] RunReport summarize(const SummaryInput& input);
/// The totals of another run of the same plan, at other prices of copies, into the report of the first. Of the inputs
/// only the prices differ, and these the caller repeats.
void summarize_again(const SummaryInput& input, RunReport& report);

/// A run that stopped, said like any other job that does not fit. The smallest budget is unknown.
[[nodiscard]] OutOfMemory out_of_memory_of(const Blocked& blocked, const Plan& plan,
                                           const TrainingGraph& graph);

struct InspectionInput {
  const TrainingGraph& graph;
  std::int64_t batch = 1;
  const CostTable* costs = nullptr;  ///< null without --hardware: no times
  /// Bytes alone, where there are no costs; null: estimate_sizes() of the batch.
  const CostTable* sizes = nullptr;
  std::optional<std::string> hardware = {};
  std::string framework = "ideal";
  std::string framework_meaning = {};
  Accounting accounting = Accounting::kLiveness;
  ComputeModel compute_model = ComputeModel::kNative;
  std::vector<std::string> assumed = {};
};

/// Throws SpecError (place --batch) for what is too large to count.
/// "float32" where what the network learns has a type of its own (adapters), else empty.
[[nodiscard]] std::string adapter_dtype(const Network& network);
[[nodiscard]] NetworkReport summarize_network(const InspectionInput& input);

/// Indices of `reports`, best first: by iteration time, then what does not fit by the smallest
/// budget it would need (unknown ones last). Equals keep their order.
[[nodiscard]] std::vector<std::size_t> best_first(const std::vector<RunReport>& reports);

}  // namespace ooc
