// Weights, their gradients and the optimiser's state as tensors that move (docs/model.md, 10). Like an iteration in rounds
// (rounds.hpp) it is written out as a training graph: behind the tensors of the network those of state, behind its tasks
// the updates that the processor at far memory runs. Only what moves becomes a tensor; the rest stays static.
//
// Schedules do not plan with that graph but with `planned`, which is the network's own without the updates that run far:
// same tensors, same tasks. What state takes of near memory while a task runs is known before any plan (`booked`), and is
// planned for as workspace of that task; then the copies of state are woven into the finished plan
// (simulator/plan/weave_state.hpp, docs/notebook/0028-state-that-moves.md).
//
// State moves by units: the layers of a block ("blk/3"), or one layer. Weights that several layers share are a unit of
// their own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "model/hardware/hardware_profile.hpp"
#include "model/rewrite/far_gradients.hpp"

namespace ooc {

enum class UpdateAt { kNear, kFar };
enum class UpdateAfter {
  kAll,   ///< once all gradients have come: software that clips them, or looks for overflows
  kEach,  ///< once its own gradient has
};
/// Where gradients of several rounds add up.
enum class AccumulateAt {
  kUsual,  ///< kFar where they leave near memory, else kNear
  kNear,   ///< all of them are there from the first round to the last, and leave in that one
  kFar,    ///< those of each round leave; the processor there adds them
};
enum class StateUnits {
  kAuto,
  kLayer,
  kBlock
};  ///< kAuto: blocks where there are several of more than one layer

/// What of the state is in far memory between iterations, and how it moves. By default nothing does.
struct StateOptions {
  std::optional<Ratio> optimizer =
      {};                  ///< that share of the parameters, those whose gradients come first
  bool gradients = false;  ///< leave near memory as soon as they are complete
  /// That share of the units, evenly spread; without far updates of all only what is frozen of them.
  std::optional<Ratio> weights = {};
  UpdateAt update = UpdateAt::kFar;
  UpdateAfter after = UpdateAfter::kAll;
  bool delayed = false;    ///< the updates are those of the iteration before
  bool pipelined = true;   ///< else: all gradients out, then all updates, then all weights in
  int prefetch = 1;        ///< units of weights that come while another is in use
  int gradient_slots = 2;  ///< units of gradients that are near at once
  std::optional<std::int64_t> gradient_bytes = {};  ///< an element on the link; none: as near
  StateUnits units = StateUnits::kAuto;
  /// Updates run as soon as their gradients are complete, which near memory then holds no longer.
  bool in_backward = false;
  AccumulateAt accumulate = AccumulateAt::kUsual;
  FarGradients far_gradients = FarGradients::kFreed;

  [[nodiscard]] bool any() const { return optimizer || gradients || weights || in_backward; }
  [[nodiscard]] bool operator==(const StateOptions&) const = default;
};

/// Throws SpecError, which names the flag, for what nobody could run.
void check_state(const StateOptions& options);

/// Layers whose state moves together.
struct StateUnit {
  std::string name;
  std::vector<LayerId> owners;
  std::int64_t parameters = 0;        ///< that are learnt
  ParameterBytes learnt = {0, 0, 0};  ///< bytes of all of them
  std::int64_t frozen_bytes = 0;      ///< weights that are not; counted where weights move
  std::int64_t far_parameters = 0;    ///< of them those whose optimiser's state is far
  // In MovingState::graph, where they are tensors:
  std::optional<TensorId> weight = {};
  /// Of far updates, and of near ones within backward; where rounds have their own, the first one's.
  std::optional<TensorId> gradient = {};
  std::optional<TensorId> sum = {};  ///< where those of rounds add up, in far memory
  std::optional<TensorId> state = {};
  std::optional<TaskId> update = {};  ///< far
  bool weights_far = false;
};

/// What near memory has of a unit's gradients: of all rounds, or, where they add up in far memory, of one.
struct StateGradient {
  std::size_t unit = 0;
  TensorId gradient;
  std::optional<TensorId> sent = {};  ///< what is copied of it: itself, or it in another type
  std::optional<TaskId> added = {};   ///< far, from the second round on
  bool is_last = true;                ///< the unit's
};

struct MovingState {
  StateOptions options;
  TrainingGraph planned;         ///< what schedules see
  TrainingGraph graph;           ///< what plans are about
  std::vector<StateUnit> units;  ///< by the first of their layers
  /// By task of `planned`: the unit whose weights it uses, whose gradients it writes, or that it updates.
  std::vector<std::optional<std::size_t>> unit_of;
  std::vector<std::size_t> by_gradient;  ///< units in the order in which gradients are complete
  std::vector<StateGradient> gradients;  ///< by unit, then round
  std::vector<std::optional<std::size_t>> gradient_of;  ///< by task of `planned`: which it writes
  std::vector<TaskId> task_of;                          ///< by task of `planned`: the network's
  std::vector<Ratio> share;   ///< likewise: of that task; less than one of a part of an update
  std::vector<Bytes> booked;  ///< likewise: near memory that state takes meanwhile
  Bytes booked_anywhere;      ///< as much as it takes in any order of the tasks before the updates
  std::vector<std::int64_t> far_bytes;  ///< by far task: read and written in far memory
};

/// `graph`: one device. It must outlive nothing: what is needed of it is copied. Throws SpecError.
[[nodiscard]] MovingState move_state(const TrainingGraph& graph, const StateOptions& options);

/// What far memory holds of state at one time whatever the schedule: all that is at home there, and gradients that have
/// buffers there or have all come before the first update. Other gradients come on top.
[[nodiscard]] Bytes least_far_bytes(const MovingState& state);

/// `round`, of an iteration in one round, with what its tasks take at the most in any round of `all`, the iteration in
/// several: what a schedule plans a round with.
[[nodiscard]] MovingState book_for_rounds(MovingState round, const MovingState& all);

/// A stretch of computes during which a unit's weights are near, and what it begins with.
struct WeightStay {
  std::size_t unit = 0;
  std::optional<std::size_t>
      fetch_after;              ///< the compute behind which its copy in may start; none: at once
  std::size_t booked_from = 0;  ///< the compute behind that
  std::size_t first_use = 0;
  std::size_t last = 0;  ///< the last compute of it
};
/// What one compute of a sequence uses.
struct WeightUse {
  std::optional<std::size_t> unit;
  bool backward = false;
};
/// Positions are runs of computes that use one unit in one pass. While one runs, the units of it and of the
/// `prefetch` positions behind it are near or coming, no others. In the order in which they come.
[[nodiscard]] std::vector<WeightStay> weight_stays(std::span<const WeightUse> uses,
                                                   const std::vector<StateUnit>& units,
                                                   int prefetch);
/// The same of the tasks of `planned`, each once and in their order.
[[nodiscard]] std::vector<WeightStay> weight_stays(const MovingState& state);

/// Costs of `planned` (no transfers), from those of the network's graph. `anywhere`: the schedule runs tasks again, so
/// that each must find room for any state.
enum class Booking { kByTask, kAnywhere };
[[nodiscard]] CostTable planned_costs(const MovingState& state, const CostTable& costs,
                                      Booking booking);
/// Costs of `graph` without transfers.
[[nodiscard]] CostTable moving_costs(const MovingState& state, const CostTable& costs,
                                     const FarCompute& far);

}  // namespace ooc
