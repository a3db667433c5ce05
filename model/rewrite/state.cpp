// Everything here is about one network at any batch: state does not grow with it.
#include "model/rewrite/state.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "model/base/errors.hpp"
#include "model/base/precision.hpp"
#include "model/graph/graph_writer.hpp"
#include "model/network/network.hpp"

namespace ooc {
namespace {

/// Of a parameter's gradient that adds up in far memory: float32, as software has it.
constexpr std::int64_t kSumBytes = 4;

class StateMover {
 public:
  StateMover(const TrainingGraph& graph, const StateOptions& options)
      : from_(graph),
        network_(*graph.network),
        writer_(graph),
        unit_of_layer_(network_.layers.size()) {
    to_.options = options;
    if (from_.round_tasks > 0) rounds_ = from_.backward_end / from_.round_tasks;
  }

  MovingState run() && {
    find_units();
    find_gradient_order();
    choose_far();
    plan_tasks();
    add_tensors();
    add_far_tasks();
    to_.graph = std::move(writer_).finish();
    to_.graph.backward_end = to_.planned.backward_end;
    reduce_static_bytes();
    to_.booked = booked_by(to_, runs_once(to_));
    to_.booked_anywhere = booked_in_any_order(to_);
    return std::move(to_);
  }

 private:
  [[nodiscard]] const LayerModel& model(LayerId id) const {
    return *network_.layers[id.at()].model;
  }
  [[nodiscard]] bool updates_far() const { return to_.options.updates_far(); }
  [[nodiscard]] bool shards(const StateUnit& unit, Shard what) const {
    return unit.devices > 1 && to_.options.shards(what);
  }
  [[nodiscard]] bool has_shards(const StateUnit& unit) const {
    return shards(unit, Shard::kOptimizer);
  }
  /// Devices sum the unit's gradients, of which each keeps a shard or all.
  [[nodiscard]] bool are_summed(const StateUnit& unit) const { return shards(unit, Shard::kNone); }
  /// Devices that share the states of a layer: the others have other experts.
  [[nodiscard]] int devices_of(const LayerModel& model) const {
    const auto experts = static_cast<int>(model.expert_devices);
    OOC_CHECK(to_.options.devices % experts == 0, "experts are split over devices that there are");
    return to_.options.devices / experts;
  }
  /// One device's part where `what` is sharded.
  [[nodiscard]] std::int64_t own(const StateUnit& unit, Shard what, std::int64_t bytes) const {
    return shards(unit, what) ? share_of_shard(bytes, unit.devices) : bytes;
  }
  /// Gradients leave their block, to far memory or for other devices.
  [[nodiscard]] bool gradients_leave(const StateUnit& unit) const {
    return to_.options.gradients || shards(unit, Shard::kGradients);
  }
  /// Each micro-batch's gradients leave.
  [[nodiscard]] bool by_round(const StateUnit& unit) const {
    return rounds_ > 1 && gradients_leave(unit) && to_.options.accumulate != AccumulateAt::kNear;
  }
  [[nodiscard]] bool adds_far(const StateUnit& unit) const {
    return by_round(unit) && to_.options.gradients;
  }

  /// Units of blocks where the network has them: several of more than one layer.
  [[nodiscard]] bool by_blocks() const {
    const StateOptions& options = to_.options;
    if (options.units != StateUnits::kAuto) return options.units == StateUnits::kBlock;
    if (options.in_backward && !options.optimizer) return false;  // each parameter by itself
    std::vector<std::string_view> names;
    for (const WeightUnit& unit : network_.units) {
      names.push_back(block_name(network_.layers[unit.owner.at()].name));
    }
    std::ranges::sort(names);
    int repeated = 0;
    for (auto at = names.begin(); at != names.end();) {
      const auto end = std::upper_bound(at, names.end(), *at);
      repeated += !at->empty() && end - at > 1;
      at = end;
    }
    return repeated > 1;
  }

  /// By layer: the last task that writes its weights' gradient.
  [[nodiscard]] std::vector<std::optional<std::size_t>> last_writers() const {
    std::vector<std::optional<std::size_t>> last(network_.layers.size());
    for (std::size_t i = 0; i < from_.tasks.size(); ++i) {
      if (writes_weight_gradient(from_, from_.tasks[i])) last[from_.tasks[i].layer.at()] = i;
    }
    return last;
  }

  /// By weights: the bucket of their gradient, as DistributedDataParallel fills them with whole gradients in the order in
  /// which they are complete.
  [[nodiscard]] std::vector<std::string> buckets() const {
    const auto writers = last_writers();
    std::vector<std::pair<std::optional<std::size_t>, std::size_t>> order;
    for (std::size_t i = 0; i < network_.units.size(); ++i) {
      std::optional<std::size_t> complete = writers[network_.units[i].owner.at()];
      for (const LayerId tied : network_.units[i].tied) {
        complete = std::max(complete, writers[tied.at()]);
      }
      order.emplace_back(complete, i);
    }
    std::ranges::sort(order);
    std::vector<std::string> names(order.size());
    std::int64_t closes = to_.options.bucket / kFirstBuckets;
    std::int64_t filled = 0;
    int bucket = 0;
    for (const auto& [complete, i] : order) {
      if (!complete || network_.units[i].is_frozen) continue;
      names[i] = "bucket." + std::to_string(bucket);
      const WeightUnit& weights = network_.units[i];
      filled +=
          weights.parameters * bytes_of_layer(from_.per_parameter, model(weights.owner)).gradient;
      if (filled < closes) continue;
      closes = to_.options.bucket;
      filled = 0;
      ++bucket;
    }
    return names;
  }

  void find_units() {
    const bool sums_whole = to_.options.devices > 1 && to_.options.shard == Shard::kNone;
    const std::vector<std::string> bucket_of = sums_whole ? buckets() : std::vector<std::string>();
    const bool blocks = by_blocks();
    const bool has_root = blocks && to_.options.sharding != Sharding::kByUse;
    const auto writers = last_writers();
    std::map<std::pair<std::string_view, std::int64_t>, std::size_t> known;  // by block
    for (std::size_t i = 0; i < network_.units.size(); ++i) {
      const WeightUnit& weights = network_.units[i];
      const Layer& owner = network_.layers[weights.owner.at()];
      if (owner.model->custom && !sums_whole) continue;
      const int devices = devices_of(*owner.model);
      const bool comes = devices > 1 && to_.options.shards(Shard::kWeights);
      const bool moves = weights.is_frozen ? to_.options.weights || comes
                                           : writers[weights.owner.at()].has_value();
      if (!moves) continue;
      const std::string_view block = sums_whole                       ? bucket_of[i]
                                     : blocks && weights.tied.empty() ? block_name(owner.name)
                                                                      : std::string_view{};
      const std::pair key(block, owner.model->expert_devices);
      const auto found = known.find(key);
      const std::size_t unit = found == known.end() ? to_.units.size() : found->second;
      if (found == known.end()) {
        const bool is_root = has_root && block.empty();
        if (!block.empty() || is_root) known.emplace(key, unit);
        std::string name(is_root ? "root" : block.empty() ? std::string_view(owner.name) : block);
        if (!block.empty() && key.second > 1) name += "/experts";
        to_.units.push_back({.name = std::move(name), .devices = devices, .is_root = is_root});
      }
      to_.units[unit].owners.push_back(weights.owner);
      to_.units[unit].weights += weights.parameters;
      if (weights.is_frozen) {
        to_.units[unit].frozen_bytes += weight_bytes(from_.per_parameter, *owner.model);
      } else {
        to_.units[unit].parameters += weights.parameters;
        const ParameterBytes each = bytes_of_layer(from_.per_parameter, *owner.model);
        ParameterBytes& learnt = to_.units[unit].learnt;
        learnt.weight += weights.parameters * each.weight;
        learnt.gradient += weights.parameters * each.gradient;
        learnt.master += weights.parameters * each.master;
      }
      unit_of_layer_[weights.owner.at()] = unit;
      for (const LayerId tied : weights.tied) unit_of_layer_[tied.at()] = unit;
    }
  }

  void find_gradient_order() {
    complete_.resize(to_.units.size());
    for (std::size_t i = 0; i < from_.tasks.size(); ++i) {
      if (!writes_weight_gradient(from_, from_.tasks[i])) continue;
      if (const auto unit = unit_of_layer_[from_.tasks[i].layer.at()]) complete_[*unit] = i;
    }
    to_.by_gradient.resize(to_.units.size());
    std::iota(to_.by_gradient.begin(), to_.by_gradient.end(), std::size_t{0});
    std::ranges::stable_sort(to_.by_gradient, {},
                             [&](std::size_t each) { return complete_[each]; });
  }

  void choose_far() {
    const StateOptions& options = to_.options;
    std::int64_t all = 0;
    for (const StateUnit& unit : to_.units) all += unit.parameters;
    std::int64_t left = options.optimizer ? share_of(all, *options.optimizer) : 0;
    for (const std::size_t i : to_.by_gradient) {
      StateUnit& unit = to_.units[i];
      unit.far_parameters = std::min(left, unit.parameters);
      left -= unit.far_parameters;
    }
    for (StateUnit& unit : to_.units) unit.weights_come = shards(unit, Shard::kWeights);
    if (!options.weights) return;
    std::int64_t j = 0;  // of those that can move
    for (StateUnit& unit : to_.units) {
      if (!trained_weights_move(unit) && unit.frozen_bytes == 0) continue;
      unit.weights_far = share_of(j + 1, *options.weights) > share_of(j, *options.weights);
      unit.weights_come |= unit.weights_far;
      ++j;
    }
    if (j > 0 || updates_far() || options.update == UpdateAt::kNear) return;
    bad_value("--offload", "weights",
              "optimizer beside it, all of it, or --update near, or a network with frozen layers",
              "trained weights are updated where the optimiser's state is, or come near");
  }

  /// What is frozen is never copied out, so what is trained beside it in a unit stays near if its update does.
  [[nodiscard]] bool trained_weights_move(const StateUnit& unit) const {
    return updates_far() || (to_.options.update == UpdateAt::kNear && unit.frozen_bytes == 0);
  }

  /// As the network has them; updates within backward behind what completes their unit's gradients.
  [[nodiscard]] std::vector<std::size_t> task_order() const {
    std::vector<std::size_t> order;
    std::vector<std::vector<std::size_t>> updates(to_.units.size());
    for (std::size_t i = from_.backward_end; i < from_.tasks.size(); ++i) {
      const auto unit = unit_of_layer_[from_.tasks[i].layer.at()];
      if (unit && to_.options.in_backward) updates[*unit].push_back(i);
    }
    for (std::size_t i = 0; i < from_.tasks.size(); ++i) {
      const auto unit = unit_of_layer_[from_.tasks[i].layer.at()];
      const bool moved = i >= from_.backward_end && unit && to_.options.in_backward;
      if (!moved) order.push_back(i);
      if (unit && i == complete_[*unit]) {
        order.insert(order.end(), updates[*unit].begin(), updates[*unit].end());
      }
    }
    return order;
  }

  /// The network's tasks without the updates that run far.
  void plan_tasks() {
    writer_.graph.tensors = from_.tensors;
    writer_.graph.round_tasks = from_.round_tasks;
    writer_.graph.round_tensors = from_.round_tensors;
    for (const StateUnit& unit : to_.units) writer_.graph.units.push_back(unit.name);
    std::size_t backward_end = 0;
    for (const std::size_t i : task_order()) {
      const Task& task = from_.tasks[i];
      const auto unit = unit_of_layer_[task.layer.at()];
      Ratio share = kOne;
      if (task.kind == TaskKind::kUpdate && unit && updates_far()) {
        const StateUnit& of = to_.units[*unit];
        if (of.far_parameters == of.parameters) continue;
        share = Ratio(part_of(kOne.count(), of.parameters - of.far_parameters, of.parameters));
      }
      if (task.kind == TaskKind::kUpdate && unit)
        share = Ratio(own(to_.units[*unit], Shard::kOptimizer, share.count()));
      const TaskId from = make_id<TaskId>(i);
      const TaskId id = writer_.copy(from_, from, [](TensorId tensor) { return tensor; });
      if (task.kind != TaskKind::kUpdate) backward_end = id.at() + 1;
      to_.task_of.push_back(from);
      to_.share.push_back(share);
      to_.unit_of.push_back(unit);
    }
    to_.planned = GraphWriter(writer_).finish();
    to_.planned.backward_end = backward_end;
  }

  TensorId add_tensor(TensorRole role, std::size_t unit, std::int64_t bytes, TensorHome home) {
    return writer_.add(Tensor{.role = role,
                              .layer = to_.units[unit].owners.front(),
                              .bytes_fixed = bytes,
                              .unit = static_cast<std::int32_t>(unit),
                              .home = home});
  }

  /// Of `bytes` of a unit's parameters those whose state is far.
  [[nodiscard]] static std::int64_t far_part(std::int64_t bytes, const StateUnit& unit) {
    return part_of(bytes, unit.far_parameters, unit.parameters);
  }

  [[nodiscard]] std::int64_t all_state_of(const StateUnit& unit) const {
    std::int64_t bytes = unit.learnt.master;
    for (const LayerId owner : unit.owners) {
      bytes += state_bytes(from_.optimizer, from_.per_parameter, model(owner));
    }
    return bytes;
  }
  [[nodiscard]] std::int64_t state_of(const StateUnit& unit) const {
    return far_part(all_state_of(unit), unit);
  }

  /// FSDP gathers weights in the type of their products.
  [[nodiscard]] std::int64_t gathered_bytes(const StateUnit& unit) const {
    const auto& precision = network_.precision;
    if (!precision || precision_info(*precision).copies != WeightCopies::kPerGroup) {
      return unit.learnt.weight + unit.frozen_bytes;
    }
    return unit.parameters * precision_info(*precision).copy + unit.frozen_bytes;
  }

  /// Makes the last tensor one of which each device has a shard, in far memory if it is far.
  void shard_last(const StateUnit& unit, std::int64_t whole, bool is_far) {
    Tensor& tensor = writer_.graph.tensors.back();
    tensor.shards = unit.devices;
    tensor.shard_far = is_far ? share_of_shard(whole, tensor.shards) : 0;
  }

  /// Weights of a unit of which each device has a shard.
  void add_sharded_weights(std::size_t index) {
    StateUnit& unit = to_.units[index];
    const std::int64_t all = unit.learnt.weight + unit.frozen_bytes;
    if (!unit.weights_come) {  // gathered once, behind the update
      if (unit.parameters == 0) return;
      unit.weight = add_tensor(TensorRole::kWeight, index, unit.learnt.weight, TensorHome::kStatic);
      return shard_last(unit, unit.learnt.weight, updates_far());
    }
    unit.weight = add_tensor(TensorRole::kWeight, index, gathered_bytes(unit), TensorHome::kFar);
    shard_last(unit, all, unit.weights_far);
    if (unit.parameters == 0 || unit.weights_far || !updates_far()) return;
    unit.shard = add_tensor(TensorRole::kWeight, index,
                            share_of_shard(unit.learnt.weight, unit.devices), TensorHome::kStatic);
  }

  void add_tensors() {
    const StateOptions& options = to_.options;
    for (std::size_t i = 0; i < to_.units.size(); ++i) {
      StateUnit& unit = to_.units[i];
      const std::int64_t far = unit.far_parameters;
      if (has_shards(unit)) {
        add_sharded_weights(i);
      } else if (unit.weights_far) {
        const std::int64_t learnt = updates_far() ? far_part(unit.learnt.weight, unit)
                                    : trained_weights_move(unit) ? unit.learnt.weight
                                                                 : 0;
        unit.weight =
            add_tensor(TensorRole::kWeight, i, learnt + unit.frozen_bytes, TensorHome::kFar);
      }
      if (far == 0 && unit.parameters > 0 && options.in_backward) {
        unit.gradient =
            add_tensor(TensorRole::kWeightGradient, i, unit.learnt.gradient, TensorHome::kNear);
        to_.gradients.push_back({.unit = i, .gradient = *unit.gradient});
      }
      if (far > 0) {
        unit.state = add_tensor(TensorRole::kOptimizerState, i,
                                own(unit, Shard::kOptimizer, state_of(unit)), TensorHome::kFar);
        if (updates_far() && !unit.weight) {
          unit.weight = add_tensor(TensorRole::kWeight, i, far_part(unit.learnt.weight, unit),
                                   TensorHome::kStatic);
        }
        if (updates_far() || options.gradients || has_shards(unit)) add_gradients(i);
      } else if (are_summed(unit) && unit.parameters > 0) {
        add_gradients(i);
      }
      if (!updates_far()) list_visits(i);
    }
    list_writers();
    for (std::size_t i = 0; i < to_.planned.tasks.size(); ++i) touch(make_id<TaskId>(i));
  }

  void add_gradients(std::size_t index) {
    StateUnit& unit = to_.units[index];
    for (std::size_t round = 0; round < (by_round(unit) ? rounds_ : 1); ++round) {
      add_gradient(index, static_cast<std::int32_t>(round));
    }
    unit.gradient = to_.gradients[first_gradient(index)].gradient;
    to_.gradients.back().is_last = true;
    if (!adds_far(unit)) return;
    unit.sum =
        add_tensor(TensorRole::kWeightGradient, index,
                   own(unit, Shard::kOptimizer, unit.far_parameters * kSumBytes), TensorHome::kFar);
    writer_.graph.tensors.back().is_sum = true;
  }

  /// In the order in which an update reads them.
  void list_visits(std::size_t index) {
    StateUnit& unit = to_.units[index];
    if (unit.sum) {
      unit.visits.push_back(*unit.sum);
    } else if (unit.gradient && to_.options.gradients) {
      unit.visits.push_back(*to_.gradients[first_gradient(index)].sent);
    }
    if (unit.state) unit.visits.push_back(*unit.state);
    if (unit.weights_far && trained_weights_move(unit)) unit.visits.push_back(*unit.weight);
  }

  void add_gradient(std::size_t index, std::int32_t round) {
    const StateUnit& unit = to_.units[index];
    const std::int64_t written =
        are_summed(unit) ? unit.learnt.gradient : far_part(unit.learnt.gradient, unit);
    const std::int64_t sends = sent_bytes(unit);
    const TensorId gradient =
        add_tensor(TensorRole::kWeightGradient, index, written,
                   gradients_leave(unit) ? TensorHome::kNear : TensorHome::kStatic);
    writer_.graph.tensors.back().cut = by_round(unit) ? round + 1 : 0;
    TensorId sent = gradient;
    if (are_summed(unit)) {  // summed first: a shard of it is cast
      shard_last(unit, sends, unit.far_parameters > 0 && (updates_far() || to_.options.gradients));
    } else if (sends != written) {
      sent = add_tensor(TensorRole::kWeightGradient, index, sends, TensorHome::kNear);
      writer_.graph.tensors.back().form = TensorForm::kRestored;
      writer_.graph.tensors.back().cut = adds_far(unit) ? round + 1 : 0;
    }
    to_.gradients.push_back({.unit = index, .gradient = gradient, .sent = sent, .is_last = false});
    if (to_.options.sharding == Sharding::kByUse || !shards(unit, Shard::kWeights)) return;
    to_.gradients.back().piece = Bytes(written);
    if (!to_.options.gradients) return;
    to_.gradients.back().held = Bytes(share_of_shard(sends, unit.devices));
  }

  /// Of a unit's gradients, on the link.
  [[nodiscard]] std::int64_t sent_bytes(const StateUnit& unit) const {
    const auto& each = to_.options.gradient_bytes;
    return each ? unit.far_parameters * *each : far_part(unit.learnt.gradient, unit);
  }

  /// Precondition: the unit has one.
  [[nodiscard]] std::size_t first_gradient(std::size_t unit) const {
    const auto found = std::ranges::lower_bound(to_.gradients, unit, {}, &StateGradient::unit);
    return static_cast<std::size_t>(found - to_.gradients.begin());
  }

  /// Which task writes which gradients, and when they are begun and complete.
  void list_writers() {
    const TrainingGraph& planned = to_.planned;
    to_.gradient_of.resize(planned.tasks.size());
    for (std::size_t i = 0; i < planned.backward_end; ++i) {
      const auto& unit = to_.unit_of[i];
      if (!unit || !to_.units[*unit].gradient ||
          !writes_weight_gradient(planned, planned.tasks[i])) {
        continue;
      }
      const std::size_t round = by_round(to_.units[*unit]) ? i / from_.round_tasks : 0;
      to_.gradient_of[i] = first_gradient(*unit) + round;
      StateGradient& gradient = to_.gradients[*to_.gradient_of[i]];
      if (!gradient.first_writer) gradient.first_writer = i;
      gradient.last_writer = i;
    }
  }

  /// What a task of the network does with the tensors of its unit.
  void touch(TaskId task) {
    const auto& of = to_.unit_of[task.at()];
    if (!of) return;
    const StateUnit& unit = to_.units[*of];
    const TaskKind kind = to_.planned.tasks[task.at()].kind;
    if (kind == TaskKind::kUpdate) {
      if (unit.gradient && to_.options.in_backward && !updates_far()) {
        writer_.reads.emplace_back(task, *unit.gradient);
      }
      for (const TensorId visit : unit.visits) {
        writer_.reads.emplace_back(task, visit);
        const bool leaves = writer_.graph.tensors[visit.at()].role != TensorRole::kWeightGradient;
        if (leaves) writer_.writes.emplace_back(task, visit);
      }
      return;
    }
    if (unit.weight && kind != TaskKind::kBackwardWeights)
      writer_.reads.emplace_back(task, *unit.weight);
    const auto& index = to_.gradient_of[task.at()];
    if (!index) return;
    const StateGradient& gradient = to_.gradients[*index];
    if (task.at() != gradient.first_writer) writer_.reads.emplace_back(task, gradient.gradient);
    writer_.writes.emplace_back(task, gradient.gradient);
    if (gradient.sent && gradient.sent != gradient.gradient && task.at() == gradient.last_writer) {
      writer_.writes.emplace_back(task, *gradient.sent);
    }
  }

  /// `bytes`: of one set of experts, which the processor there works on beside the others.
  TaskId add_far_task(TaskKind kind, std::size_t unit, std::int64_t bytes) {
    to_.far_bytes.push_back(bytes * to_.options.host_devices.value_or(to_.options.devices) /
                            to_.units[unit].devices);
    return writer_.add(Task{.kind = kind,
                            .layer = to_.units[unit].owners.front(),
                            .unit = static_cast<std::int32_t>(unit)});
  }

  void add_far_tasks() {
    for (std::size_t i = 0; i < to_.units.size(); ++i) {
      StateUnit& unit = to_.units[i];
      const std::size_t first = first_gradient(i);
      if (unit.sum) add_rounds(first);
      if (!unit.state || !updates_far()) continue;
      const std::int64_t gradient = unit.sum ? unit.far_parameters * kSumBytes : sent_bytes(unit);
      const std::int64_t weight = far_part(unit.learnt.weight, unit);
      const std::int64_t master = far_part(unit.learnt.master, unit);
      const std::int64_t updated = master > 0 ? master : weight;
      const TaskId task =
          add_far_task(TaskKind::kFarUpdate, i,
                       gradient + updated + weight + master + 2 * (state_of(unit) - master) +
                           unit.far_parameters * to_.options.update_passes);
      unit.update = task;
      writer_.reads.emplace_back(task, *unit.state);
      // A delayed update reads what the iteration before has left there.
      if (!to_.options.delayed) {
        writer_.reads.emplace_back(task, unit.sum ? *unit.sum : *to_.gradients[first].sent);
      }
      writer_.writes.emplace_back(task, *unit.state);
      writer_.writes.emplace_back(task, *unit.updated());
    }
  }

  /// From the second round on its gradients are added to those before.
  void add_rounds(std::size_t first) {
    for (std::size_t round = 1; round < rounds_; ++round) {
      StateGradient& gradient = to_.gradients[first + round];
      const StateUnit& unit = to_.units[gradient.unit];
      const TaskId task = add_far_task(TaskKind::kFarAccumulate, gradient.unit,
                                       unit.far_parameters * 2 * kSumBytes + sent_bytes(unit));
      writer_.graph.tasks.back().round = static_cast<std::int32_t>(round);
      gradient.added = task;
      if (round == 1) writer_.reads.emplace_back(task, *to_.gradients[first].sent);
      writer_.reads.emplace_back(task, *gradient.sent);
      writer_.reads.emplace_back(task, *unit.sum);
      writer_.writes.emplace_back(task, *unit.sum);
    }
  }

  void reduce_static_bytes() {
    const auto bytes = [&](TensorId tensor) { return to_.graph.tensors[tensor.at()].bytes_fixed; };
    const auto leaves = [&](const std::optional<TensorId>& tensor) {
      return tensor && to_.graph.tensors[tensor->at()].home != TensorHome::kStatic;
    };
    TrainingGraph& graph = to_.graph;
    const auto all = [&] {
      return graph.weight_bytes + graph.gradient_bytes + graph.optimizer_bytes;
    };
    const std::int64_t before = all();
    for (const StateUnit& unit : to_.units) {
      if (unit.state) graph.optimizer_bytes -= state_of(unit);
      if (has_shards(unit)) {
        const std::int64_t near_state = all_state_of(unit) - state_of(unit);
        graph.optimizer_bytes -= near_state - own(unit, Shard::kOptimizer, near_state);
        const std::int64_t weights = unit.learnt.weight + unit.frozen_bytes;
        if (leaves(unit.weight)) {
          graph.weight_bytes -=
              weights - (unit.weights_far ? 0 : own(unit, Shard::kWeights, weights));
        }
        const bool stays = unit.gradient && to_.graph.tensors[unit.gradient->at()].shard_far == 0;
        if (leaves(unit.gradient)) {
          graph.gradient_bytes -= unit.learnt.gradient -
                                  (stays ? own(unit, Shard::kGradients, unit.learnt.gradient) : 0);
        }
        continue;
      }
      if (leaves(unit.weight)) graph.weight_bytes -= bytes(*unit.weight);
      if (leaves(unit.gradient)) graph.gradient_bytes -= bytes(*unit.gradient);
    }
    to_.taken = Bytes(before - all());
    to_.planned.weight_bytes = to_.graph.weight_bytes;
    to_.planned.gradient_bytes = to_.graph.gradient_bytes;
    to_.planned.optimizer_bytes = to_.graph.optimizer_bytes;
  }

  const TrainingGraph& from_;
  const Network& network_;
  MovingState to_;
  GraphWriter writer_;  ///< of `planned`, then of `graph`
  std::vector<std::optional<std::size_t>> unit_of_layer_;
  std::vector<std::size_t> complete_ =
      {};  ///< by unit: the network's task behind which its gradients are
  std::size_t rounds_ = 1;
};

void check_shards(const StateOptions& options) {
  const auto refuse = [](std::string with, std::string remedy, std::string why) {
    cannot_combine("--shard", with, std::move(remedy), std::move(why));
  };
  if (options.in_backward) {
    refuse("--update-in-backward", "leave one out",
           "updates wait for the other devices' gradients");
  }
  if (options.optimizer && *options.optimizer != kOne) {
    refuse("a part of the optimizer far", "use all or none of it",
           "which device's shards are far is not modelled");
  }
  if (options.gradients && options.update == UpdateAt::kNear) {
    refuse("far gradients that come back", "leave gradients out of --offload, or use --update far",
           "their shards stay near");
  }
  if (options.weights && options.shard != Shard::kWeights) {
    refuse("far weights", "use --shard weights", "shards that are far must be gathered");
  }
  if (options.weights && !options.updates_far()) {
    refuse("far weights that are updated near", "use --offload optimizer,gradients,weights",
           "shards of both at once are not modelled");
  }
}

}  // namespace

void check_state(const StateOptions& options) {
  const auto refuse = [](std::string found, std::string expected, std::string hint) {
    bad_value("--offload", std::move(found), std::move(expected), std::move(hint));
  };
  const bool far = options.updates_far();
  const bool visits = options.update == UpdateAt::kNear && (options.optimizer || options.weights);
  if (options.gradients && !options.optimizer) {
    refuse("gradients", "optimizer beside it",
           "gradients that leave are those of parameters whose state is far");
  }
  if (options.weights && far && *options.optimizer != kOne) {
    refuse("weights", "optimizer beside it, all of it, or --update near",
           "far updates write far weights alone");
  }
  if (options.shards(Shard::kOptimizer)) check_shards(options);
  if (options.in_backward && visits) {
    cannot_combine("--update-in-backward", "state that comes near for its update",
                   "use --update far, or keep the state near",
                   "the copies would take turns with backward's");
  }
  if (options.in_backward && far && (options.after == UpdateAfter::kAll || options.delayed)) {
    bad_value("--update-in-backward", "far updates after all gradients", "--update-after each",
              "clipping needs all gradients");
  }
  if (options.accumulate == AccumulateAt::kFar && !options.gradients) {
    bad_value("--accumulate", "far", "gradients in --offload",
              "gradients that stay near add up there");
  }
  if (options.delayed && (options.weights || !far)) {
    bad_value("--update-delay", "1", "weights near and updates far",
              "without that no update can run beside the next iteration");
  }
}

MovingState move_state(const TrainingGraph& graph, const StateOptions& options) {
  check_state(options);
  if (graph.round_tasks > 0 && options.in_backward) {
    cannot_combine("--update-in-backward", "several micro-batches", "use one micro-batch",
                   "gradients add up before the update, so they cannot leave with it");
  }
  return StateMover(graph, options).run();
}

}  // namespace ooc
