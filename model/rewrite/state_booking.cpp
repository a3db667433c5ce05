// Gradients from their first writer on, weights from their fetch to their last use, states while their update runs.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "model/cost/transfer_cost.hpp"
#include "model/rewrite/iteration.hpp"
#include "model/rewrite/state.hpp"

namespace ooc {
namespace {

class StateBooker {
 public:
  StateBooker(const MovingState& state, std::span<const PlannedRun> runs)
      : state_(state), runs_(runs), first_run_(state.planned.tasks.size()), booked_(runs.size()) {
    for (std::size_t i = runs.size(); i-- > 0;) {
      if (!runs[i].again) first_run_[runs[i].task.at()] = i;
    }
  }

  /// By compute step.
  std::vector<Bytes> all() && {
    book_gradients();
    book_weights();
    book_visits();
    return std::move(booked_);
  }

  Bytes in_any_order() && {
    book_gradients();
    Bytes most = *std::ranges::max_element(booked_);
    std::vector<const StateUnit*> coming;
    for (const StateUnit& unit : state_.units) {
      if (!unit.weights_come) continue;
      if (unit.is_root) {
        most += size(unit.weight);
      } else {
        coming.push_back(&unit);
      }
    }
    const auto bytes = [&](const StateUnit* unit) { return size(unit->weight); };
    std::ranges::sort(coming, std::greater<>(), bytes);
    Bytes all;
    for (const StateUnit* unit : coming) all += bytes(unit);
    Bytes ahead;
    for (std::size_t i = 0; i < coming.size() && i <= state_.options.ahead(true); ++i) {
      ahead += bytes(coming[i]);
    }
    if (coming.empty() || state_.options.live == 0) return most + ahead;
    // As many bytes as so few parameters may have, and one unit more.
    Bytes live = bytes(coming.front());
    std::ranges::sort(coming, std::greater<>(), [&](const StateUnit* unit) {
      return static_cast<double>(bytes(unit).count()) / static_cast<double>(unit->weights);
    });
    std::int64_t near = 0;
    for (std::size_t i = 0; i < coming.size() && near < state_.options.live; ++i) {
      live += bytes(coming[i]);
      near += coming[i]->weights;
    }
    return most + std::max(ahead, std::min(live, all));
  }

 private:
  [[nodiscard]] Bytes size(const std::optional<TensorId>& tensor) const {
    return Bytes(tensor ? state_.graph.tensors[tensor->at()].bytes_fixed : 0);
  }
  [[nodiscard]] bool takes_block(const std::optional<TensorId>& tensor) const {
    return tensor && state_.graph.tensors[tensor->at()].home != TensorHome::kStatic;
  }

  /// A block that only waits for its copy out is booked no more, but for one whose copy waits for all of backward.
  void book_gradients() {
    for (const StateGradient& gradient : state_.gradients) {
      const std::size_t first = gradient.first_writer.value();
      const std::size_t last = gradient.last_writer;
      const std::size_t leaves =
          gradient.sent ? state_.leaves_behind(gradient) : last_update(gradient.unit, last);
      const bool is_cast = gradient.sent && gradient.sent != gradient.gradient;
      if (takes_block(gradient.gradient)) {
        book_from(first, is_cast ? last : leaves, size(gradient.gradient));
      }
      if (is_cast) book_from(last, leaves, size(gradient.sent));
      book_from(last, last, gradient.piece);
      book_from(last, state_.round_end(last) - 1, gradient.held);
    }
  }

  /// From task to task.
  void book_from(std::size_t first, std::size_t last, Bytes bytes) {
    for (std::size_t i = first_run_[first]; i <= first_run_[last]; ++i) booked_[i] += bytes;
  }

  /// Of one within backward: they stand behind the last writer, in a row.
  [[nodiscard]] std::size_t last_update(std::size_t unit, std::size_t last_writer) const {
    std::size_t last = last_writer;
    while (last + 1 < state_.planned.tasks.size() && state_.unit_of[last + 1] == unit &&
           state_.planned.tasks[last + 1].kind == TaskKind::kUpdate) {
      ++last;
    }
    return last;
  }

  void book_weights() {
    for (const WeightStay& stay : weight_stays(state_, runs_)) {
      for (std::size_t i = stay.booked_from; i <= stay.last; ++i) {
        booked_[i] += size(state_.units[stay.unit].weight);
      }
    }
  }

  /// While an update runs near, what it needs of far memory is there, and what the next unit's needs.
  void book_visits() {
    std::optional<std::size_t> next;
    Bytes next_bytes;
    for (std::size_t i = state_.planned.tasks.size(); i-- > state_.planned.backward_end;) {
      const auto& unit = state_.unit_of[i];
      if (!unit || state_.units[*unit].visits.empty()) continue;
      if (next != unit) {
        next_bytes = next ? visit_bytes(*next) : Bytes(0);
        next = unit;
      }
      book_from(i, i, visit_bytes(*unit) + next_bytes);
    }
  }

  [[nodiscard]] Bytes visit_bytes(std::size_t unit) const {
    Bytes sum;
    for (const TensorId visit : state_.units[unit].visits) sum += size(visit);
    return sum;
  }

  const MovingState& state_;
  std::span<const PlannedRun> runs_;
  std::vector<std::size_t> first_run_;  ///< by task: compute step
  std::vector<Bytes> booked_;           ///< by compute step
};

}  // namespace

std::vector<PlannedRun> runs_once(const MovingState& state) {
  std::vector<PlannedRun> runs;
  for (std::size_t i = 0; i < state.planned.tasks.size(); ++i) runs.push_back({make_id<TaskId>(i)});
  return runs;
}

std::vector<Bytes> booked_by(const MovingState& state, std::span<const PlannedRun> runs) {
  const std::vector<Bytes> by_run = StateBooker(state, runs).all();
  std::vector<Bytes> booked(state.planned.tasks.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Bytes& most = booked[runs[i].task.at()];
    most = std::max(most, by_run[i]);
  }
  return booked;
}

Bytes booked_in_any_order(const MovingState& state) {
  return StateBooker(state, runs_once(state)).in_any_order();
}

std::vector<Bytes> most_of_rounds(const TrainingGraph& round, std::int64_t rounds,
                                  const std::vector<Bytes>& all) {
  std::vector<Bytes> most(round.tasks.size());
  for (std::size_t i = 0; i < most.size(); ++i) {
    for (std::int64_t r = 0; r < rounds; ++r) {
      most[i] = std::max(most[i], all[task_in_round(round, rounds, make_id<TaskId>(i), r).at()]);
    }
  }
  return most;
}

MovingState book_for_rounds(MovingState round, const MovingState& all) {
  const auto rounds =
      static_cast<std::int64_t>(all.planned.backward_end / round.planned.backward_end);
  std::ranges::transform(most_of_rounds(round.planned, rounds, all.booked), round.booked,
                         round.booked.begin(), std::ranges::max);
  round.booked_anywhere = std::max(round.booked_anywhere, all.booked_anywhere);
  return round;
}

std::vector<WeightStay> weight_stays(const MovingState& state, std::span<const PlannedRun> runs) {
  std::vector<WeightUse> uses;
  uses.reserve(runs.size());
  for (const auto& [task, again] : runs) {
    const TaskKind kind = state.planned.tasks[task.at()].kind;
    const bool updates = kind == TaskKind::kUpdate;
    uses.push_back({updates ? std::nullopt : state.unit_of[task.at()], again || is_backward(kind)});
  }
  return weight_stays(uses, state.units, state.options);
}

namespace {

/// Uses of one unit in a row, in one pass.
struct Position {
  std::size_t unit;
  bool backward;
  std::size_t first;
  std::size_t last;
};

/// Weights in front of those in use are asked for as long as fewer parameters than `options.live` are near (DeepSpeed's
/// partitioned_param_coordinator.py, fetch_sub_module). Returns by position how many positions ahead its own are.
std::vector<std::size_t> positions_ahead(const std::vector<Position>& positions,
                                         const std::vector<std::int64_t>& used,
                                         const std::vector<StateUnit>& units,
                                         const StateOptions& options) {
  const std::size_t count = positions.size();
  std::vector<std::size_t> ahead(count);
  std::vector<std::size_t> again(count, count);  // next position of the unit
  std::vector<std::size_t> end(count, count);    // of the micro-batch
  std::vector<std::size_t> later(units.size(), count);
  for (std::size_t q = count; q-- > 0;) {
    if (q + 1 < count) {
      end[q] = positions[q].backward && !positions[q + 1].backward ? q + 1 : end[q + 1];
    }
    std::size_t& next = later[positions[q].unit];
    again[q] = std::exchange(next, q);
  }
  std::vector<bool> is_near(units.size());
  std::int64_t near = 0;
  std::size_t next = 0;
  for (std::size_t q = 0; q < count; ++q) {
    for (; next < count; ++next) {
      const bool is_next = next <= q + options.ahead(positions[next].backward);
      if (!is_next && (next >= end[q] || near >= options.live)) break;
      ahead[next] = next - q;
      const std::size_t unit = positions[next].unit;
      if (!is_near[unit] && units[unit].weights_come) near += units[unit].weights;
      is_near[unit] = true;
    }
    const std::size_t unit = positions[q].unit;
    const bool stays =
        again[q] < next || (again[q] < end[q] && used[again[q]] - used[q + 1] < options.reuse);
    if (stays || !is_near[unit]) continue;
    is_near[unit] = false;
    if (units[unit].weights_come) near -= units[unit].weights;
  }
  return ahead;
}

}  // namespace

std::vector<WeightStay> weight_stays(std::span<const WeightUse> uses,
                                     const std::vector<StateUnit>& units,
                                     const StateOptions& options) {
  std::vector<Position> positions;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (!uses[i].unit) continue;
    const bool same = !positions.empty() && positions.back().unit == *uses[i].unit &&
                      positions.back().backward == uses[i].backward;
    if (!same) positions.push_back({*uses[i].unit, uses[i].backward, i, i});
    positions.back().last = i;
  }
  std::vector<std::int64_t> used{0};  // parameters, by position: those before it
  for (const Position& at : positions) used.push_back(used.back() + units[at.unit].weights);
  const std::vector<std::size_t> aheads = positions_ahead(positions, used, units, options);
  std::size_t begin = 0;  // of the micro-batch
  std::vector<WeightStay> stays;
  std::optional<std::size_t> root;   // index into stays, of this micro-batch
  std::optional<std::size_t> ended;  // last compute step of the root's before it
  std::vector<std::optional<std::size_t>> open(units.size());  // index into stays
  std::vector<std::size_t> last_position(units.size());
  for (std::size_t q = 0; q < positions.size(); ++q) {
    const Position& at = positions[q];
    const std::size_t ahead = aheads[q];
    const bool begins = q == 0 || (positions[q - 1].backward && !at.backward);  // a micro-batch
    if (begins) begin = q;
    if (begins && root) {
      ended = stays[*root].last;
      root.reset();
    }
    if (root) stays[*root].last = at.last;
    if (!units[at.unit].weights_come) continue;
    if (units[at.unit].is_root) {
      if (root) continue;
      root = stays.size();
      stays.push_back({.unit = at.unit,
                       .fetch_after = ended,
                       .booked_from = ended ? *ended + 1 : 0,
                       .first_use = at.first,
                       .last = at.last});
    } else if (open[at.unit] && (q <= last_position[at.unit] + 1 + ahead ||
                                 (last_position[at.unit] >= begin &&
                                  used[q] - used[last_position[at.unit] + 1] < options.reuse))) {
      stays[*open[at.unit]].last = at.last;
    } else {
      open[at.unit] = stays.size();
      WeightStay stay{.unit = at.unit, .first_use = at.first, .last = at.last};
      if (q > ahead) {
        stay.fetch_after = positions[q - ahead - 1].last;
        stay.booked_from = *stay.fetch_after + 1;
      }
      stays.push_back(stay);
    }
    last_position[at.unit] = q;
  }
  return stays;
}

// What tasks take and tensors are where state moves: the network's own costs, and those of what runs far.

namespace {

/// Host time of hooks by planned task: half of a layer's in forward, half in its backward tasks.
std::vector<Duration> hook_times(const MovingState& state) {
  const TrainingGraph& planned = state.planned;
  std::vector<Duration> times(planned.tasks.size());
  if (state.options.hooks == Duration(0)) return times;
  const auto tensors_of = [&](LayerId layer) {
    return planned.network->layers[layer.at()].model->launches.update;
  };
  std::vector<int> backward(planned.network->layers.size(), 0);
  std::vector<std::int64_t> held(state.units.size(), 0);  // tensors, by unit
  for (std::size_t i = 0; i < planned.tasks.size(); ++i) {
    const Task& task = planned.tasks[i];
    backward[task.layer.at()] += is_backward(task.kind);
    const bool once =
        task.kind == TaskKind::kForward && (planned.round_tasks == 0 || i < planned.round_tasks);
    if (once && state.unit_of[i]) held[*state.unit_of[i]] += tensors_of(task.layer);
  }
  const std::size_t rounds =
      planned.round_tasks > 0 ? planned.backward_end / planned.round_tasks : 1;
  for (std::size_t i = 0; i < planned.tasks.size(); ++i) {
    const Task& task = planned.tasks[i];
    const auto unit = state.unit_of[i];
    if (!unit || task.kind == TaskKind::kUpdate) continue;
    if (state.options.hooks_on == HooksOn::kSharded && !state.units[*unit].weights_come &&
        !state.options.shards(Shard::kGradients)) {
      continue;
    }
    const auto shares = static_cast<std::int64_t>(
        is_backward(task.kind) ? static_cast<std::size_t>(backward[task.layer.at()]) / rounds : 1);
    const std::int64_t of = state.options.hooks_on == HooksOn::kUnits ? held[*unit] : 1;
    times[i] = Duration(state.options.hooks.count() * tensors_of(task.layer) /
                        (2 * std::max<std::int64_t>(shares, 1) * std::max<std::int64_t>(of, 1)));
  }
  return times;
}

}  // namespace

CostTable planned_costs(const MovingState& state, const CostTable& costs, Booking booking) {
  CostTable planned;
  planned.batch = costs.batch;
  planned.tensor_bytes = costs.tensor_bytes;
  planned.copied_bytes = costs.copied_bytes;
  planned.static_bytes = costs.static_bytes;
  planned.static_bytes -= state.taken;
  const std::vector<Duration> hooks = hook_times(state);
  for (std::size_t i = 0; i < state.planned.tasks.size(); ++i) {
    const std::size_t added = planned.alternatives.size();
    planned.add_task(costs.alternatives_of(state.task_of[i]));
    if (!costs.held.empty()) planned.held.push_back(costs.held[state.task_of[i].at()]);
    const bool anywhere = booking == Booking::kAnywhere && i < state.planned.backward_end;
    for (std::size_t at = added; at < planned.alternatives.size(); ++at) {
      TaskAlternative& way = planned.alternatives[at];
      if (booking != Booking::kNone) {
        way.workspace += anywhere ? state.booked_anywhere : state.booked[i];
      }
      if (const Ratio share = state.share[i]; share != kOne) {
        way.time = Duration(share_of(way.time.count(), share));
        way.seconds *= share / kOne;
      }
      way.issue += hooks[i];
      way.hooks = hooks[i];
    }
  }
  planned.held_inputs = costs.held_inputs;
  planned.transfers = costs.transfers;
  return planned;
}

namespace {

/// Time to gather or sum the shards of a tensor, or to sum them and gather the sums; 0 if it has none.
Duration collective_time(const MovingState& state, std::size_t tensor, const PeerLink& peers,
                         const CostTable& costs) {
  const int shards = state.graph.tensors[tensor].shards;
  if (shards == 1) return {};
  const Bytes whole = costs.tensor_bytes[tensor];
  const Bytes own(share_of_shard(whole.count(), shards));
  const int passes = state.options.shards(Shard::kOptimizer) ? 1 : 2;
  return peers.latency + transfer_time((whole - own) * passes, peers.throughput);
}

enum Pass : std::uint8_t { kForwardPass, kBackwardPass, kPasses };
using ByPass = std::array<Duration, kPasses>;

/// By unit: time of collectives beside its passes, of all rounds.
std::vector<ByPass> collectives_beside(const MovingState& state, const PeerLink& peers,
                                       const CostTable& costs) {
  std::vector<ByPass> beside(state.units.size());
  const auto tasks = static_cast<std::int64_t>(state.planned.tasks.size());
  const auto round = static_cast<std::int64_t>(state.planned.round_tasks);
  const std::int64_t rounds = round > 0 ? tasks / round : 1;
  for (std::size_t i = 0; i < state.units.size(); ++i) {
    const StateUnit& unit = state.units[i];
    if (!unit.weights_come || state.options.prefetch == 0) continue;
    const Duration gather = collective_time(state, unit.weight->at(), peers, costs);
    beside[i][kForwardPass] += rounds * gather;
    if (!unit.is_root) beside[i][kBackwardPass] += rounds * gather;
  }
  for (const StateGradient& gradient : state.gradients) {
    if (!gradient.sent || !state.options.pipelined) continue;
    beside[gradient.unit][kBackwardPass] +=
        collective_time(state, gradient.sent->at(), peers, costs);
  }
  return beside;
}

}  // namespace

void slow_beside_collectives(const MovingState& state, const PeerLink& peers, CostTable& costs) {
  if (peers.taken == Ratio(0)) return;
  const std::vector<ByPass> beside = collectives_beside(state, peers, costs);
  const auto pass_of = [&](std::size_t task) {
    return state.planned.tasks[task].kind == TaskKind::kForward ? kForwardPass : kBackwardPass;
  };
  std::vector<ByPass> computes(state.units.size());
  const auto each_task = [&](const auto& visit) {
    for (std::size_t i = 0; i < state.planned.tasks.size(); ++i) {
      if (state.unit_of[i] && state.planned.tasks[i].kind != TaskKind::kUpdate) {
        visit(i, *state.unit_of[i], pass_of(i));
      }
    }
  };
  each_task([&](std::size_t task, std::size_t unit, Pass pass) {
    computes[unit][pass] += costs[costs.default_alternative(make_id<TaskId>(task))].time;
  });
  each_task([&](std::size_t task, std::size_t unit, Pass pass) {
    lengthen(costs, make_id<TaskId>(task),
             slowdown_beside(peers, beside[unit][pass], computes[unit][pass]));
  });
}

void add_collectives(const MovingState& state, const PeerLink& peers, CostTable& costs) {
  for (std::size_t i = 0; i < state.graph.tensors.size(); ++i) {
    const Tensor& tensor = state.graph.tensors[i];
    if (tensor.shards == 1) continue;
    const Bytes whole = costs.tensor_bytes[i];
    const Duration time = collective_time(state, i, peers, costs);
    for (auto* copies : {&costs.transfers.to_far, &costs.transfers.to_near}) {
      TransferCost& copy = (*copies)[i];
      if (tensor.shard_far == 0) {
        copy = {.latency = time, .rate = kInfiniteRate, .alone = time};
        continue;
      }
      // The link moves the shard while the copy moves the whole.
      copy.latency += time;
      copy.alone += time;
      if (copy.rate == kInfiniteRate) continue;
      const double rate = static_cast<double>(copy.rate.count()) *
                          static_cast<double>(whole.count()) /
                          static_cast<double>(tensor.shard_far);
      copy.rate = BytesPerSecond(std::llround(rate));
    }
  }
}

CostTable moving_costs(const MovingState& state, const CostTable& costs, const FarCompute& far) {
  CostTable moving = planned_costs(state, costs, Booking::kNone);
  // Updates of single tensors are a loop of the program's behind all that it launches.
  const StateOptions& options = state.options;
  const bool by_tensor =
      options.after == UpdateAfter::kEach && !options.delayed && !options.in_backward;
  Duration launched;
  for (const TaskAlternative& task : moving.alternatives) launched += task.issue;
  for (std::size_t i = 0; i < state.far_bytes.size(); ++i) {
    const Task& task = state.graph.tasks[state.planned.tasks.size() + i];
    const bool updates = by_tensor && task.kind == TaskKind::kFarUpdate;
    Duration time = far.latency + transfer_time(Bytes(state.far_bytes[i]), far.throughput);
    const StateUnit& unit = state.units[static_cast<std::size_t>(task.unit)];
    if (task.kind == TaskKind::kFarUpdate) {
      const auto parameters = static_cast<double>(unit.far_parameters / unit.devices);
      time += Duration(std::llround(parameters * far.ns_to_clip));
    }
    if (updates) {
      for (const LayerId owner : unit.owners) {
        time += far.per_tensor * state.graph.network->layers[owner.at()].model->launches.update;
      }
    }
    moving.add_task(std::array{TaskAlternative{.algorithm = Algorithm::kDefault,
                                               .time = time,
                                               .workspace = Bytes(0),
                                               .seconds = static_cast<double>(time.count()) / 1e9,
                                               .issue = updates ? launched : Duration(0)}});
  }
  for (std::size_t i = moving.tensor_bytes.size(); i < state.graph.tensors.size(); ++i) {
    moving.tensor_bytes.push_back(Bytes(state.graph.tensors[i].bytes_fixed));
    if (!costs.copied_bytes.empty()) moving.copied_bytes.push_back(moving.tensor_bytes.back());
  }
  moving.transfers = {};
  return moving;
}

}  // namespace ooc
