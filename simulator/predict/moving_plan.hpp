// A case whose weights, gradients or optimiser state move (model/rewrite/state.hpp): what it goes with, its plans and what
// bounds them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/sub_batch.hpp"

namespace ooc {

/// Far memory's share of its throughput that updates by its processor reach where no profile and no flag says it.
inline constexpr double kFarComputeShare = 0.45;

/// --far-compute, else the profile's, else that share.
[[nodiscard]] FarCompute far_compute_of(const HardwareProfile& hardware,
                                        const TransferOptions& transfers,
                                        std::optional<BytesPerSecond> asked);

/// Fills in Case::moving. Throws SpecError for what does not go with it.
void add_moving_state(Case& made, const CaseOptions& options);

/// Throws SpecError where its plans cannot carry state.
void check_carries_state(const Schedule& schedule);
/// Leaves those whose plans can.
void keep_carriers(std::vector<const Schedule*>& schedules);

/// What a schedule is handed for a graph and costs.
using ProblemOf = PlanningProblem (*)(const Case& which, const TrainingGraph& graph,
                                      const CostTable& costs, Bytes budget);
/// Precondition: which.moving.
[[nodiscard]] RoundsResult plan_with_state(const Case& which, const Schedule& schedule,
                                           Bytes budget, ProblemOf problem_of);

/// No schedule with this placement of state is quicker: the copies of each direction, far updates one after the other,
/// and, where these wait for all gradients, all of them behind the last gradient. Far weights come once, or, where no
/// task runs again, as often as their windows in the order of the tasks say.
enum class TaskOrder { kAny, kOnce };
[[nodiscard]] Duration state_bound(const MovingState& state, const CostTable& costs,
                                   TaskOrder order);

/// "optimizer:0.5,gradients; update far, after each"
[[nodiscard]] std::string state_text(const StateOptions& options);

/// What a report says of it in words.
void add_state_words(const Case& which, RunReport& report);

}  // namespace ooc
