// Cases with model states in host memory (model/rewrite/state.hpp): checks, plans and bounds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/predict/planning.hpp"

namespace ooc {

/// Share of host memory's throughput that far updates (in host memory) reach, unless profile or flag states a rate.
inline constexpr Ratio kFarComputeShare(450'000'000);

/// Returns --far-compute; else the profile's rate or share; else the default share, limited by the software's maximum.
[[nodiscard]] FarCompute far_compute_of(const HardwareProfile& hardware, const CaseOptions& options,
                                        const StateOptions& state);

/// Sets Case::moving.
void add_moving_state(Case& made, const CaseOptions& options);

/// Functions of the pass (planning.hpp) for model states in host memory.
[[nodiscard]] std::string asks_moving_state(const PassJob& job);
[[nodiscard]] std::vector<Exclusion> moving_state_without(const PassJob& job);
/// Removes schedules whose plans cannot include copies of model states.
void keep_carriers(std::vector<const Schedule*>& schedules);

/// Precondition: which.moving.
[[nodiscard]] PlannedIteration plan_with_state(const Case& which, const Schedule& schedule,
                                               Bytes budget);

enum class TaskOrder { kAny, kOnce };
/// Returns a lower bound for any schedule with these states in host memory: the copies of each
/// direction; far updates one after another, after the last gradient if they wait for all. Far
/// weights arrive once, or with kOnce as often as their windows require.
[[nodiscard]] Duration state_bound(const MovingState& state, const CostTable& costs,
                                   TaskOrder order);

/// Returns a text such as "optimizer:0.5,gradients; update far, after each".
[[nodiscard]] std::string state_text(const StateOptions& options);

/// Describes model states in host memory in the report's text fields.
void add_state_words(const Case& which, RunReport& report);

}  // namespace ooc
