// Goes through the old plan once, in sequence order, and adds what the state asks for before and behind each compute.
#include "simulator/plan/weave_state.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "simulator/plan/plan_rewriter.hpp"

namespace ooc {
namespace {

/// A compute step of the old plan.
struct Compute {
  StepId old;
  TaskId task;
  std::optional<std::size_t> unit;
  bool recompute = false;
};

class Weaver {
 public:
  Weaver(const Plan& plan, const MovingState& state, const CostTable& costs)
      : plan_(plan),
        state_(state),
        costs_(costs),
        builder_(header()),
        rewriter_(plan, builder_),
        by_unit_(state.units.size()),
        by_gradient_(state.gradients.size()) {
    builder_.reserve(plan.steps.size() + 4 * state.units.size() + 2 * state.gradients.size(),
                     plan.blocks.size() + 2 * (state.units.size() + state.gradients.size()));
    list_computes();
    list_stays();
    list_gradients();
    list_visits();
  }

  Plan run() && {
    add_blocks();
    if (state_.options.delayed) add_updates(std::nullopt);
    std::size_t next = 0;  // compute
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      while (next < computes_.size() && comes_before_[next] == i) add_copies_in(next++);
      add_step(make_id<StepId>(i));
    }
    finish();
    return std::move(builder_).finish();
  }

 private:
  /// What is known of gradients while the plan is written.
  struct OfGradient {
    std::optional<std::size_t> first_writer;  ///< computes
    std::optional<std::size_t> last_writer;
    std::size_t place = 0;  ///< in `leaving_`
    std::optional<BlockId> block;
    std::optional<BlockId> sent;
    std::optional<StepId> out;
  };
  /// The same of a unit.
  struct OfUnit {
    std::optional<std::size_t> last_reader;  ///< of weights
    std::optional<std::size_t> first_update;
    std::optional<std::size_t> last_update;
    std::optional<BlockId> gradient;                 ///< that leaves with its update
    std::optional<StepId> arrived;                   ///< gradient or sum, in far memory
    std::vector<std::pair<StepId, BlockId>> visits;  ///< copies in for its update near
    std::optional<StepId> stored;                    ///< last copy out behind it
    std::optional<StepId> updated;                   ///< far
  };

  [[nodiscard]] PlanHeader header() const {
    PlanHeader header = plan_;
    header.static_bytes = costs_.static_bytes;
    header.far_gradients = state_.options.far_gradients;
    header.sums_on_stream = state_.options.sharding == Sharding::kFsdp1;
    return header;
  }
  [[nodiscard]] const StateUnit& unit(std::size_t index) const { return state_.units[index]; }
  [[nodiscard]] bool takes_block(TensorId tensor) const {
    return state_.graph.tensors[tensor.at()].home != TensorHome::kStatic;
  }
  [[nodiscard]] StepId compute(std::size_t index) const {
    return *rewriter_.step(computes_[index].old);
  }
  /// Adds a copy of what devices may sum or gather.
  StepId move(StepKind kind, TensorId tensor) {
    const bool exchange = is_collective(state_.graph.tensors[tensor.at()]);
    return builder_.add(Step{.kind = kind, .exchange = exchange, .object = tensor.index});
  }
  BlockId new_block(TensorId tensor) {
    return builder_.tensor_block(tensor, costs_.tensor_bytes[tensor.at()]);
  }

  void list_computes() {
    compute_of_.resize(plan_.steps.size());
    std::size_t before = 0;  // behind the last step that is no copy in
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const Step& step = plan_.steps[i];
      if (step.kind == StepKind::kToNear) continue;
      if (step.kind == StepKind::kCompute) {
        const TaskId task{step.object};
        compute_of_[i] = computes_.size();
        comes_before_.push_back(before);
        computes_.push_back({make_id<StepId>(i), task, state_.unit_of[task.at()], step.recompute});
        note_uses(computes_.size() - 1);
      }
      before = i + 1;
    }
  }

  void note_uses(std::size_t index) {
    const Compute& at = computes_[index];
    const Task& task = state_.planned.tasks[at.task.at()];
    if (task.kind != TaskKind::kUpdate) last_compute_ = index;
    if (!at.unit) return;
    OfUnit& of = by_unit_[*at.unit];
    if (task.kind == TaskKind::kUpdate) {
      if (!of.first_update) of.first_update = index;
      of.last_update = index;
      return;
    }
    of.last_reader = index;
    const auto& gradient = state_.gradient_of[at.task.at()];
    if (!gradient) return;
    OfGradient& written = by_gradient_[*gradient];
    if (!written.first_writer) written.first_writer = index;
    written.last_writer = index;
  }

  void list_stays() {
    std::vector<PlannedRun> runs;
    for (const Compute& each : computes_) runs.push_back({each.task, each.recompute});
    stays_ = weight_stays(state_, runs);
    ends_.resize(stays_.size());
    std::iota(ends_.begin(), ends_.end(), std::size_t{0});
    std::ranges::stable_sort(ends_, {}, [&](std::size_t each) { return stays_[each].last; });
    for (const WeightStay& stay : stays_) let_inputs_pass(stay);
  }

  /// A micro-batch's input comes before weights that come no sooner: their own links may be others.
  void let_inputs_pass(const WeightStay& stay) {
    if (!stay.fetch_after || *stay.fetch_after + 1 < stay.first_use) return;
    std::size_t& place = comes_before_[stay.first_use];
    for (const StepId wait : plan_.waits[computes_[stay.first_use].old]) {
      const Step& copy = plan_.steps[wait.at()];
      const bool is_input =
          !runs_task(copy.kind) && role_of(TensorId{copy.object}) == TensorRole::kInput;
      if (is_input) place = std::max(place, wait.at() + 1);
    }
  }

  /// Copies out follow one another in the order in which gradients are complete.
  void list_gradients() {
    for (std::size_t i = 0; i < state_.gradients.size(); ++i) {
      if (state_.gradients[i].sent) leaving_.push_back(i);
    }
    std::ranges::sort(leaving_, {},
                      [&](std::size_t each) { return by_gradient_[each].last_writer; });
    for (std::size_t i = 0; i < leaving_.size(); ++i) by_gradient_[leaving_[i]].place = i;
  }

  void list_visits() {
    for (std::size_t i = 0; i < state_.units.size(); ++i) {
      if (!unit(i).visits.empty() && by_unit_[i].first_update) visiting_.push_back(i);
    }
    std::ranges::sort(visiting_, {}, [&](std::size_t each) { return by_unit_[each].first_update; });
  }

  void add_blocks() {
    for (std::size_t step = 0; step < plan_.steps.size(); ++step) {
      for (const BlockId id : plan_.acquires[make_id<StepId>(step)]) {
        Block block = plan_.blocks[id.at()];
        if (block.kind != BlockKind::kWorkspace) continue;
        block.bytes = costs_[plan_.steps[step].alternative].workspace;
        if (block.bytes.count() > 0) rewriter_.add(id, block);
      }
    }
    for (std::size_t i = 0; i < plan_.blocks.size(); ++i) {
      const Block& block = plan_.blocks[i];
      if (block.kind != BlockKind::kWorkspace) rewriter_.add(make_id<BlockId>(i), block);
    }
    for (const BlockId block : plan_.initial_blocks) {
      builder_.initially_resident(*rewriter_.block(block));
    }
  }

  /// The old step, and what hangs on it if it computes.
  void add_step(StepId old) {
    const StepId step = rewriter_.add(old, rewriter_.old(old));
    rewriter_.tie(old);
    const auto index = compute_of_[old.at()];
    if (!index) return;
    tie_compute(*index, step);
    const std::size_t round = state_.planned.round_tasks;
    if (round > 0 && (computes_[*index].task.at() + 1) % round == 0) {
      send_held(step);
      free_shards(step);
    }
  }

  /// Before compute `index` and the copies in for it: what it needs of state.
  void add_copies_in(std::size_t index) {
    for (; next_stay_ < stays_.size() && stays_[next_stay_].first_use == index; ++next_stay_) {
      const WeightStay& stay = stays_[next_stay_];
      const TensorId weight = *unit(stay.unit).weight;
      const StepId copy = move(StepKind::kToNear, weight);
      if (stay.fetch_after) builder_.wait(copy, compute(*stay.fetch_after));
      const BlockId block = new_block(weight);
      builder_.acquire(copy, block);
      weights_.push_back({copy, block});
    }
    for (; next_visit_ < visiting_.size() && by_unit_[visiting_[next_visit_]].first_update == index;
         ++next_visit_) {
      if (last_compute_) send_held(compute(*last_compute_));
      visit(next_visit_);
    }
    if (sums_near() && computes_[index].unit && last_compute_ && index > *last_compute_) {
      send_held(compute(*last_compute_));
    }
  }

  /// Updates near read what devices have summed.
  [[nodiscard]] bool sums_near() const {
    return state_.options.shards(Shard::kNone) && !state_.options.updates_far();
  }

  [[nodiscard]] TensorRole role_of(TensorId tensor) const {
    return state_.graph.tensors[tensor.at()].role;
  }
  [[nodiscard]] bool is_gradient(TensorId tensor) const {
    return role_of(tensor) == TensorRole::kWeightGradient;
  }

  void visit(std::size_t place) {
    OfUnit& of = by_unit_[visiting_[place]];
    for (const TensorId tensor : unit(visiting_[place]).visits) {
      const StepId copy = builder_.to_near(tensor);
      if (last_compute_) builder_.wait(copy, compute(*last_compute_));
      if (last_out_ && state_.options.after == UpdateAfter::kAll) builder_.wait(copy, *last_out_);
      if (is_gradient(tensor)) builder_.wait(copy, *of.arrived);
      if (place >= 2) builder_.wait(copy, *by_unit_[visiting_[place - 2]].stored);
      of.visits.emplace_back(copy, new_block(tensor));
      builder_.acquire(copy, of.visits.back().second);
    }
  }

  void end_visit(std::size_t index, StepId step) {
    OfUnit& of = by_unit_[index];
    for (std::size_t i = 0; i < of.visits.size(); ++i) {
      const TensorId tensor = unit(index).visits[i];
      if (is_gradient(tensor)) {
        builder_.release(of.visits[i].second, step);
        continue;
      }
      of.stored = builder_.to_far(tensor);
      builder_.wait(*of.stored, step);
      builder_.release(of.visits[i].second, *of.stored);
    }
  }

  void tie_compute(std::size_t index, StepId step) {
    for (; next_used_ < stays_.size() && stays_[next_used_].first_use == index; ++next_used_) {
      builder_.wait(step, weights_[next_used_].first);
    }
    const Compute& at = computes_[index];
    if (!at.unit) return end_stays(index, step);
    OfUnit& of = by_unit_[*at.unit];
    if (const auto& gradient = state_.gradient_of[at.task.at()]) {
      if (by_gradient_[*gradient].first_writer == index) begin_gradient(*gradient, step);
      if (by_gradient_[*gradient].last_writer == index) end_gradient(*gradient, step);
    }
    if (of.gradient && of.last_update == index) builder_.release(*of.gradient, step);
    if (of.first_update == index) {
      for (const auto& [copy, block] : of.visits) builder_.wait(step, copy);
      const auto& sum = state_.options.after == UpdateAfter::kAll ? last_out_ : of.arrived;
      if (sums_near() && sum) builder_.wait(step, *sum);  // split experts may have none
    }
    if (of.last_update == index) {
      end_visit(*at.unit, step);
      if (sums_near() && unit(*at.unit).weight && !unit(*at.unit).weights_come) {
        builder_.wait(move(StepKind::kToNear, *unit(*at.unit).weight), step);
      }
    }
    end_stays(index, step);
  }

  void end_stays(std::size_t index, StepId step) {
    for (; next_end_ < ends_.size() && stays_[ends_[next_end_]].last == index; ++next_end_) {
      builder_.release(weights_[ends_[next_end_]].second, step);
    }
  }

  void begin_gradient(std::size_t index, StepId step) {
    const StateGradient& which = state_.gradients[index];
    if (!takes_block(which.gradient)) return;
    OfGradient& of = by_gradient_[index];
    of.block = new_block(which.gradient);
    builder_.acquire(step, *of.block);
    if (!which.sent) {
      by_unit_[which.unit].gradient = of.block;
      return;
    }
    const auto slots = static_cast<std::size_t>(state_.options.gradient_slots);
    if (of.place < slots) return;
    const auto& before = by_gradient_[leaving_[of.place - slots]];
    // Gradients of shared weights, and those of all rounds, begin early: who leaves before them may not have begun.
    if (before.out) builder_.wait(step, *before.out);
  }

  void end_gradient(std::size_t index, StepId step) {
    OfGradient& of = by_gradient_[index];
    const StateGradient& which = state_.gradients[index];
    if (!which.sent) return;
    if (which.piece.count() > 0) {
      builder_.release(beside_gradient(index, BlockKind::kWorkspace, which.piece, step), step);
    }
    if (which.held.count() > 0) {
      shards_.push_back(beside_gradient(index, BlockKind::kGradient, which.held, step));
    }
    if (*which.sent != which.gradient) {
      of.sent = new_block(*which.sent);
      builder_.acquire(step, *of.sent);
      if (of.block) builder_.release(*of.block, step);
    } else {
      of.sent = of.block;
    }
    state_.options.pipelined ? send(index, step) : held_.push_back(index);
  }

  BlockId beside_gradient(std::size_t index, BlockKind kind, Bytes bytes, StepId step) {
    const BlockId block =
        builder_.add(Block{.bytes = bytes,
                           .kind = kind,
                           .object = computes_[*by_gradient_[index].last_writer].task.index});
    builder_.acquire(step, block);
    return block;
  }

  void free_shards(StepId after) {
    for (const BlockId shard : shards_) builder_.release(shard, after);
    shards_.clear();
  }

  /// Where nothing runs beside copies of gradients: once the round, or the iteration, has computed.
  void send_held(StepId after) {
    for (const std::size_t index : held_) send(index, after);
    held_.clear();
  }

  void send(std::size_t index, StepId after) {
    OfGradient& of = by_gradient_[index];
    const StateGradient& which = state_.gradients[index];
    of.out = move(StepKind::kToFar, *which.sent);
    builder_.wait(*of.out, after);
    if (of.sent) builder_.release(*of.sent, *of.out);
    last_out_ = of.out;
    // The unit's next gradient comes into the block that the host adds from.
    const auto& added_before = by_unit_[which.unit].arrived;
    if (which.added && added_before) builder_.wait(*of.out, *added_before);
    by_unit_[which.unit].arrived = of.out;
    if (which.added) {
      const StepId added =
          builder_.far_compute(*which.added, costs_.default_alternative(*which.added));
      builder_.wait(added, *of.out);
      by_unit_[which.unit].arrived = added;
    }
    const bool at_once = state_.options.after == UpdateAfter::kEach && !state_.options.delayed;
    if (which.is_last && at_once && unit(which.unit).update) {
      update(which.unit, of.out);
      returning_.push_back(which.unit);
    }
  }

  void update(std::size_t index, std::optional<StepId> after) {
    const TaskId task = *unit(index).update;
    by_unit_[index].updated = builder_.far_compute(task, costs_.default_alternative(task));
    if (after) builder_.wait(*by_unit_[index].updated, *after);
  }

  /// In the order in which the next forward pass needs them.
  void add_updates(std::optional<StepId> after) {
    for (std::size_t i = 0; i < state_.units.size(); ++i) {
      if (!unit(i).update) continue;
      update(i, after);
      returning_.push_back(i);
    }
  }

  void finish() {
    const StateOptions& options = state_.options;
    if (last_compute_) {
      send_held(compute(*last_compute_));
      free_shards(compute(*last_compute_));
    }
    if (options.after == UpdateAfter::kAll && !options.delayed) add_updates(last_out_);
    if (returning_.empty()) return;
    const std::optional<StepId> last_update = by_unit_[returning_.back()].updated;
    for (const std::size_t index : returning_) {
      const TensorId weight = *unit(index).updated();
      if (takes_block(weight)) continue;
      const StepId copy =
          builder_.add(Step{.kind = StepKind::kToNear, .for_update = true, .object = weight.index});
      const bool at_once = options.pipelined && !options.pageable_returns;
      builder_.wait(copy, at_once ? *by_unit_[index].updated : *last_update);
      const auto reader = options.delayed ? last_compute_ : by_unit_[index].last_reader;
      if (reader) builder_.wait(copy, compute(*reader));
    }
  }

  const Plan& plan_;
  const MovingState& state_;
  const CostTable& costs_;
  PlanBuilder builder_;
  PlanRewriter rewriter_;
  std::vector<OfUnit> by_unit_;
  std::vector<OfGradient> by_gradient_;
  std::vector<Compute> computes_;
  std::vector<std::optional<std::size_t>> compute_of_;  ///< by old step
  std::vector<std::size_t> comes_before_;    ///< by compute: the first step of its copies in
  std::optional<std::size_t> last_compute_;  ///< that is no update
  std::vector<WeightStay> stays_;
  std::vector<std::pair<StepId, BlockId>> weights_;  ///< by stay
  std::size_t next_stay_ = 0;
  std::size_t next_used_ = 0;
  std::vector<std::size_t> ends_;  ///< stays, as they end
  std::size_t next_end_ = 0;
  std::vector<std::size_t> leaving_;   ///< gradients, in that order
  std::vector<std::size_t> held_;      ///< those of them that wait for the others
  std::vector<std::size_t> visiting_;  ///< units, as what is far comes for their update near
  std::size_t next_visit_ = 0;
  std::vector<BlockId> shards_;  ///< shards of gradients that stay to the end of backward
  std::optional<StepId> last_out_;
  std::vector<std::size_t> returning_;  ///< units, as their weights come back
};

}  // namespace

Plan weave_state(const Plan& plan, const MovingState& state, const CostTable& costs) {
  return Weaver(plan, state, costs).run();
}

}  // namespace ooc
