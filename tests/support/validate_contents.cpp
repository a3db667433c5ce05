// Residence and contents: what a step touches is near while it runs and holds what it should.
//
// Contents are followed as versions. A tensor's writers are the tasks that write it, in task order;
// its version is the number of them whose work it holds (an in-place activation is a second writer,
// a gradient with several readers is accumulated by as many). A task needs the version made by all
// writers before it, and its block holds one more after it if it writes. A block starts at version
// 0 when a compute step takes it, at the far copy's version when a ToNear does. Network inputs have
// no writers: their version 0 is complete, near and far.
//
// State that moves (model/rewrite/state.hpp) has a home. What is at home in far memory is complete there at version 0; a
// far update reads what has certainly come and makes the next version there. What is static has one near copy, which is
// always there: its readers have ended before a copy overwrites it. In the end everything is at home in its last version.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tests/support/plan_facts.hpp"

namespace ooc {

namespace {

class Contents {
 public:
  explicit Contents(const PlanFacts& facts)
      : facts_(facts),
        writers_(facts.graph.writes.transposed(facts.graph.tensors.size())),
        blocks_(facts.plan.blocks.size()),
        blocks_of_(facts.graph.tensors.size()),
        copies_out_(facts.graph.tensors.size()),
        static_(facts.graph.tensors.size()) {}

  Verdict run() {
    for (const BlockId id : facts_.plan.initial_blocks) {
      blocks_of_[static_cast<std::size_t>(facts_.block(id).object)].push_back(id);
    }
    for (const StepId id : facts_.order.sorted()) {
      Verdict wrong;
      switch (facts_.step(id).kind) {
        case StepKind::kCompute:
          wrong = compute(id);
          break;
        case StepKind::kToFar:
          wrong = to_far(id);
          break;
        case StepKind::kToNear:
          wrong = to_near(id);
          break;
        case StepKind::kFarCompute:
          wrong = far_compute(id);
          break;
      }
      if (wrong) return wrong;
    }
    return check_homes();
  }

 private:
  /// What is known of a block while the steps are gone through.
  struct BlockState {
    std::size_t version = 0;
    std::optional<StepId> last_writer;    ///< compute step
    std::optional<StepId> last_copy_out;  ///< that reads it
    std::optional<StepId> last_reader;    ///< compute step; followed of static ones only
  };
  struct CopyOut {
    StepId step;
    std::size_t version = 0;
  };
  struct Found {
    std::optional<BlockId> block;
    std::string reason;  ///< why there is none
  };

  /// An update needs all writers of a gradient: what adds up in far memory is written by tasks of later numbers.
  [[nodiscard]] std::size_t writers_before(TensorId tensor, TaskId task) const {
    const auto row = writers_[tensor];
    const bool is_update = facts_.graph.tasks[task.at()].kind == TaskKind::kUpdate;
    if (is_update && facts_.graph.tensors[tensor.at()].role == TensorRole::kWeightGradient) {
      return row.size();
    }
    return static_cast<std::size_t>(std::lower_bound(row.begin(), row.end(), task) - row.begin());
  }

  /// The block of `tensor` that `user` finds, the latest one first; else why there is none.
  [[nodiscard]] Found resident(TensorId tensor, StepId user) const {
    const auto& candidates = blocks_of_[tensor.at()];
    std::string reason;  // of the latest
    for (auto candidate = candidates.rbegin(); candidate != candidates.rend(); ++candidate) {
      const bool stays = facts_.stays_until_end_of(*candidate, user);
      if (facts_.taken_before(*candidate, user) && stays) return {*candidate, ""};
      if (!reason.empty()) continue;
      reason = stays ? fmt::format("it does not wait for step {}, which brings it",
                                   facts_.taken_by[candidate->at()]->index)
                     : fmt::format("block {} may be freed before this step ends", candidate->index);
    }
    return {std::nullopt, reason.empty() ? "no near copy of it has been made" : reason};
  }

  [[nodiscard]] Verdict compute(StepId id) {
    const TaskId task{facts_.step(id).object};
    for (const BlockId taken : facts_.plan.acquires[id]) {
      const Block& it = facts_.block(taken);
      if (it.kind == BlockKind::kTensor) {
        if (facts_.is_input(TensorId{it.object})) {
          return fmt::format(
              "{}: takes a block for the network input {}, which only a copy can fill",
              facts_.at(id), facts_.name(TensorId{it.object}));
        }
        blocks_of_[static_cast<std::size_t>(it.object)].push_back(taken);
      }
    }
    const auto written = facts_.graph.writes[task];
    for (const TensorId tensor : facts_.graph.reads[task]) {
      if (std::find(written.begin(), written.end(), tensor) != written.end()) continue;
      if (auto wrong = touch(id, tensor, false)) return wrong;
    }
    for (const TensorId tensor : written) {
      if (auto wrong = touch(id, tensor, true)) return wrong;
    }
    return check_workspace(id);
  }

  [[nodiscard]] Verdict touch(StepId id, TensorId tensor, bool writes) {
    if (facts_.costs.tensor_bytes[tensor.at()].count() == 0) return std::nullopt;
    Found found;
    if (!is_static(tensor)) {
      found = resident(tensor, id);
      if (!found.block) {
        return fmt::format("{}: {} is not certainly resident: {}", facts_.at(id),
                           facts_.name(tensor), found.reason);
      }
    }
    BlockState& state = is_static(tensor) ? static_[tensor.at()] : blocks_[found.block->at()];
    const std::size_t needed = writers_before(tensor, TaskId{facts_.step(id).object});
    if (state.version != needed) {
      return fmt::format("{}: {} holds the work of {} of its writers where {} are needed",
                         facts_.at(id), facts_.name(tensor), state.version, needed);
    }
    if (writes) return write(id, tensor, state);
    state.last_reader = id;
    return std::nullopt;
  }

  [[nodiscard]] TensorHome home(TensorId tensor) const {
    return facts_.graph.tensors[tensor.at()].home;
  }
  [[nodiscard]] bool is_static(TensorId tensor) const {
    return home(tensor) == TensorHome::kStatic;
  }
  [[nodiscard]] Verdict write(StepId id, TensorId tensor, BlockState& state) const {
    if (state.last_copy_out && !facts_.order.ended_before(*state.last_copy_out, id)) {
      return fmt::format("{}: writes {} while step {} may still copy it out", facts_.at(id),
                         facts_.name(tensor), state.last_copy_out->index);
    }
    ++state.version;
    state.last_writer = id;
    return std::nullopt;
  }

  [[nodiscard]] Verdict leave(StepId id, TensorId tensor, BlockState& state) {
    if (state.last_writer && !facts_.order.ended_before(*state.last_writer, id)) {
      return fmt::format("{}: does not wait for step {}, which writes {}", facts_.at(id),
                         state.last_writer->index, facts_.name(tensor));
    }
    // It may be moved between two of its writers: the version says how much of it was copied.
    state.last_copy_out = id;
    copies_out_[tensor.at()].push_back({id, state.version});
    return std::nullopt;
  }

  [[nodiscard]] Verdict far_compute(StepId id) {
    const TaskId task{facts_.step(id).object};
    for (const TensorId tensor : facts_.graph.reads[task]) {
      if (facts_.costs.tensor_bytes[tensor.at()].count() == 0) continue;
      const auto version = far_version(tensor, id);
      const std::size_t needed = writers_before(tensor, task);
      if (version == needed) continue;
      return fmt::format("{}: {} is not certainly in far memory with the work of {} writers",
                         facts_.at(id), facts_.name(tensor), needed);
    }
    for (const TensorId tensor : facts_.graph.writes[task]) {
      copies_out_[tensor.at()].push_back({id, writers_before(tensor, task) + 1});
    }
    return std::nullopt;
  }

  /// A static tensor gets what far memory has of it.
  [[nodiscard]] Verdict overwrite(StepId id, TensorId tensor) {
    const auto version = far_version(tensor, id);
    if (!version) {
      return fmt::format("{}: nothing has certainly written {} in far memory before it",
                         facts_.at(id), facts_.name(tensor));
    }
    BlockState& state = static_[tensor.at()];
    if (state.last_reader && !facts_.order.ended_before(*state.last_reader, id)) {
      return fmt::format("{}: overwrites {} while step {} may still read it", facts_.at(id),
                         facts_.name(tensor), state.last_reader->index);
    }
    state.version = *version;
    return std::nullopt;
  }

  /// The latest version that is certainly in far memory; none: it has never been there.
  [[nodiscard]] std::optional<std::size_t> far_version(TensorId tensor, StepId user) const {
    std::optional<std::size_t> version;
    // What is sharded is on the other devices.
    const bool elsewhere = facts_.graph.tensors[tensor.at()].shards > 1 && is_static(tensor);
    if (home(tensor) == TensorHome::kFar || elsewhere) version = 0;
    for (const CopyOut& copy : copies_out_[tensor.at()]) {
      if (!facts_.order.ended_before(copy.step, user)) continue;
      version = std::max(version.value_or(0), copy.version);
    }
    return version;
  }

  [[nodiscard]] Verdict check_homes() const {
    for (std::size_t i = 0; i < facts_.graph.tensors.size(); ++i) {
      const TensorId tensor = make_id<TensorId>(i);
      if (home(tensor) == TensorHome::kNear || facts_.costs.tensor_bytes[i].count() == 0) continue;
      std::size_t version = static_[i].version;
      if (home(tensor) == TensorHome::kFar) {
        for (const CopyOut& copy : copies_out_[i]) version = std::max(version, copy.version);
      }
      if (version == writers_[tensor].size()) continue;
      return fmt::format("{} is at home in the end with the work of {} of its {} writers",
                         facts_.name(tensor), version, writers_[tensor].size());
    }
    return std::nullopt;
  }

  [[nodiscard]] Verdict check_workspace(StepId id) const {
    Bytes wanted = facts_.costs[facts_.step(id).alternative].workspace;
    if (!facts_.costs.held.empty()) {
      wanted -= facts_.costs.held[static_cast<std::size_t>(facts_.step(id).object)].held;
    }
    if (wanted.count() == 0) return std::nullopt;
    for (const BlockId taken : facts_.plan.acquires[id]) {
      const Block& it = facts_.block(taken);
      const bool own = it.kind == BlockKind::kWorkspace && it.object == facts_.step(id).object;
      if (own && it.bytes >= wanted && facts_.stays_until_end_of(taken, id)) return std::nullopt;
    }
    return fmt::format("{}: has no workspace of {} bytes until its end", facts_.at(id),
                       wanted.count());
  }

  [[nodiscard]] Verdict to_far(StepId id) {
    const TensorId tensor{facts_.step(id).object};
    if (is_static(tensor)) return leave(id, tensor, static_[tensor.at()]);
    const auto [found, reason] = resident(tensor, id);
    if (!found) {
      return fmt::format("{}: {} is not certainly resident: {}", facts_.at(id), facts_.name(tensor),
                         reason);
    }
    return leave(id, tensor, blocks_[found->at()]);
  }

  [[nodiscard]] Verdict to_near(StepId id) {
    const TensorId tensor{facts_.step(id).object};
    if (is_static(tensor)) return overwrite(id, tensor);
    const auto acquired = facts_.plan.acquires[id];
    const auto found = std::find_if(acquired.begin(), acquired.end(), [&](BlockId taken) {
      return facts_.block(taken).kind == BlockKind::kTensor &&
             facts_.block(taken).object == tensor.index;
    });
    if (found == acquired.end()) {
      return fmt::format("{}: takes no block for {}", facts_.at(id), facts_.name(tensor));
    }
    if (!facts_.stays_until_end_of(*found, id)) {
      return fmt::format("{}: block {} may be freed before this step ends", facts_.at(id),
                         found->index);
    }
    blocks_of_[tensor.at()].push_back(*found);
    if (facts_.is_input(tensor)) return std::nullopt;
    if (const auto version = far_version(tensor, id)) {
      blocks_[found->at()].version = *version;
      return std::nullopt;
    }
    return fmt::format("{}: no copy of {} to far memory has certainly ended before it",
                       facts_.at(id), facts_.name(tensor));
  }

  const PlanFacts& facts_;
  Csr<TensorId, TaskId> writers_;
  std::vector<BlockState> blocks_;
  std::vector<std::vector<BlockId>> blocks_of_;   ///< by tensor: taken so far
  std::vector<std::vector<CopyOut>> copies_out_;  ///< by tensor: so far
  std::vector<BlockState> static_;                ///< by tensor, of those whose home it is
};

}  // namespace

Verdict validate_contents(const PlanFacts& facts) { return Contents(facts).run(); }

}  // namespace ooc
