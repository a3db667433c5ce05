// Case whose model states move (model/rewrite/state.hpp): checks, plans and bounds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/predict/planning.hpp"

namespace ooc {

/// Share of host memory's throughput that far updates reach, if neither profile nor flag states a rate.
inline constexpr Ratio kFarComputeShare(450'000'000);

/// Returns --far-compute, else the profile's rate or share, else the default share up to the software's limit.
[[nodiscard]] FarCompute far_compute_of(const HardwareProfile& hardware, const CaseOptions& options,
                                        const StateOptions& state);

/// Sets Case::moving.
void add_moving_state(Case& made, const CaseOptions& options);

/// The pass of moving states, as Pass has it.
[[nodiscard]] std::string asks_moving_state(const PassJob& job);
[[nodiscard]] std::vector<Exclusion> moving_state_without(const PassJob& job);
/// Keeps the schedules whose plans can carry moving states.
void keep_carriers(std::vector<const Schedule*>& schedules);

/// Precondition: which.moving.
[[nodiscard]] PlannedIteration plan_with_state(const Case& which, const Schedule& schedule,
                                               Bytes budget);

enum class TaskOrder { kAny, kOnce };
/// Returns a lower bound for any schedule with this placement of states: the copies of each
/// direction; far updates one after another, after the last gradient if they wait for all. Far
/// weights arrive once, or with kOnce as often as their windows require.
[[nodiscard]] Duration state_bound(const MovingState& state, const CostTable& costs,
                                   TaskOrder order);

/// Returns a text such as "optimizer:0.5,gradients; update far, after each".
[[nodiscard]] std::string state_text(const StateOptions& options);

/// Adds moving states in words to the report.
void add_state_words(const Case& which, RunReport& report);

}  // namespace ooc
