// Execution simulated inside moDNN's Algorithm 1: blocks and their addresses, free times of the
// compute queue and the one transfer queue, and the growing plan. The algorithm asks where a block
// can go and at what delay, and this class carries its decisions out. The class itself decides only
// which blocks leave to make space (modnn_room.cpp).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/base/csr.hpp"
#include "model/base/ids.hpp"
#include "simulator/plan/memory_ledger.hpp"
#include "simulator/plan/plan_builder.hpp"
#include "simulator/schedules/address_space.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

class TaskCounts {
 public:
  explicit TaskCounts(std::size_t tasks) : counts_(tasks), words_(tasks / kBits + 1) {}

  void add(TaskId task) {
    if (counts_[task.at()]++ > 0) return;
    words_[task.at() / kBits] |= bit(task);
    ++tasks_;
  }
  void remove(TaskId task) {
    if (--counts_[task.at()] > 0) return;
    words_[task.at() / kBits] &= ~bit(task);
    --tasks_;
  }
  /// Returns the first task after `task` whose count is not 0; unset: none.
  [[nodiscard]] std::optional<TaskId> next_after(TaskId task) const {
    if (tasks_ == 0) return std::nullopt;
    const std::size_t start = task.at() + 1;
    std::size_t word = start / kBits;
    if (word >= words_.size()) return std::nullopt;
    std::uint64_t bits = words_[word] & (~std::uint64_t{0} << (start % kBits));
    while (bits == 0) {
      if (++word == words_.size()) return std::nullopt;
      bits = words_[word];
    }
    return make_id<TaskId>(word * kBits + static_cast<std::size_t>(std::countr_zero(bits)));
  }

 private:
  static constexpr std::size_t kBits = 64;
  static std::uint64_t bit(TaskId task) { return std::uint64_t{1} << (task.at() % kBits); }

  std::vector<std::int32_t> counts_;
  std::vector<std::uint64_t> words_;
  std::size_t tasks_ = 0;  ///< number of tasks with a count above 0
};

/// Place for a block: a hole, or a run of segments whose blocks must leave first.
struct Room {
  SegmentId first;
  std::int32_t segments = 1;  ///< number of segments, from `first` on
  Duration ready = {};        ///< instant at which all these segments are free
};

/// Extent of the search for blocks to offload.
enum class Search {
  kNearby,      ///< gives up after a fixed number of segments
  kEverywhere,  ///< tries all segments, unless it finds enough places earlier
};

/// Returns the task's algorithm with the least workspace: the paper's implicit GEMM.
[[nodiscard]] AlternativeId least_workspace_algorithm(const CostTable& costs, TaskId task);

/// Tables of a job for moDNN's Algorithm 1.
struct ModnnJob {
  explicit ModnnJob(const PlanningProblem& job);

  const PlanningProblem& problem;
  Csr<TaskId, TensorId> touched;  ///< by task: tensors read or written, without tensors of 0 bytes
  Csr<TensorId, TaskId> uses;     ///< by tensor: tasks that read or write the tensor
  std::vector<Bytes> needed;      ///< M_min(t) by task: inputs, outputs and the least workspace
};

class ModnnMachine {
 public:
  explicit ModnnMachine(const ModnnJob& job);

  // Functions about the current task, which begin() sets.
  void begin(TaskId task);
  [[nodiscard]] std::span<const TensorId> touched(TaskId task) const { return job_.touched[task]; }
  /// Places the task's outputs, missing inputs and `workspace`, offloading blocks if needed; copies inputs in.
  void prepare(Bytes workspace);
  /// Returns the earliest start of the current task in the present state.
  [[nodiscard]] Duration now() const { return std::max(compute_end_, need_.at); }
  void take_workspace(const Room& room, Bytes bytes);
  /// Returns the instant at which all blocks would have left and the task's inputs would be back.
  [[nodiscard]] Duration ready_by_defragmenting() const;
  /// Moves all blocks out and the task's inputs back. Precondition: `workspace` then fits.
  void defragment_for(Bytes workspace);
  /// Runs the task and frees blocks after their last use.
  void run(AlternativeId alternative);

  // Functions about free memory.
  /// Returns a hole, else the run of blocks that leaves first; unset: none. What tasks up to `until` use stays.
  [[nodiscard]] std::optional<Room> find_room(Bytes bytes, TaskId until, Search search) const;
  [[nodiscard]] Bytes addresses() const { return available_; }
  [[nodiscard]] Bytes free_bytes() const { return space_.free_bytes(); }

  // Functions about copies in for later tasks.
  /// Returns the next task after `task` that needs a tensor from host memory; unset: none.
  [[nodiscard]] std::optional<TaskId> next_missing(TaskId task) const {
    return missing_.next_after(task);
  }
  [[nodiscard]] bool is_far(TensorId tensor) const {
    return states_[tensor.at()].where == Where::kFar;
  }
  /// True if all tasks up to `task` still fit after `bytes` are copied in now for `task`.
  [[nodiscard]] bool allocatable(TaskId task, Bytes bytes) const;
  /// Copies the tensor in for `task`. Returns false if the search nearby finds no place.
  [[nodiscard]] bool prefetch(TensorId tensor, TaskId task);

  [[nodiscard]] Plan finish() && { return std::move(builder_).finish(); }

 private:
  enum class Where : std::uint8_t { kNowhere, kPlaced, kNear, kFar };
  struct State {
    Where where = Where::kNowhere;
    bool clean = false;      ///< true: host memory has the same contents
    bool fresh = false;      ///< true: unused since it was written or copied in, and needed soon
    std::uint32_t uses = 0;  ///< number of uses so far
    SegmentId segment;       ///< its segment; valid in states kPlaced and kNear
    BlockId block;           ///< its block in the plan; valid in state kNear
    Since written;           ///< end of its last writer, after which a copy out may begin
    Since used;              ///< last use or arrival of the tensor
    std::optional<StepId> arrival;    ///< copy in that no task has used yet; unset: none
    std::optional<TaskId> booked_to;  ///< task for which the tensor was prefetched; unset: none
  };

  State& state(TensorId tensor) { return states_[tensor.at()]; }
  [[nodiscard]] Bytes bytes(TensorId tensor) const {
    return problem_.costs.tensor_bytes[tensor.at()];
  }
  [[nodiscard]] TaskId next_use(TensorId tensor) const {
    return job_.uses[tensor][states_[tensor.at()].uses];
  }
  [[nodiscard]] bool is_created_here(TensorId tensor) const {
    return problem_.graph.lifetimes[tensor.at()].first_writer == task_;
  }
  void place_inputs();
  [[nodiscard]] bool place_all(Bytes workspace);
  void take_back();
  void load_inputs();
  [[nodiscard]] bool may_leave(const Segment& segment, TaskId until) const;
  [[nodiscard]] std::optional<Room> find_scheme(Bytes bytes, TaskId until, Search search) const;
  [[nodiscard]] Duration left_by(Duration queue, TensorId tensor) const;
  SegmentId make_room(const Room& room);
  [[nodiscard]] AddressSpace::Side better_side(SegmentId hole, bool comes_back) const;
  void place(TensorId tensor, const Room& room);
  void offload(TensorId tensor);
  void load(TensorId tensor);
  void add_copy(StepId step, const Since& after, Duration time);
  void finish_use(TensorId tensor, StepId step);

  const ModnnJob& job_;
  const PlanningProblem& problem_;
  Bytes available_;
  AddressSpace space_;
  PlanBuilder builder_;
  MemoryLedger ledger_;
  TaskCounts missing_;  ///< by task: number of tensors in host memory whose next use is the task
  std::vector<State> states_;
  std::vector<StepId> computes_;
  std::vector<StepId> copies_;  ///< copies in both directions, in order
  Duration compute_end_;        ///< end of the last compute step
  Duration queue_free_;         ///< end of the last copy

  TaskId task_;          ///< current task
  Since need_;           ///< steps that the current task waits for
  SegmentId last_hole_;  ///< hole of the last block that left
  std::vector<SegmentId> workspaces_;
  Bytes workspace_;  ///< size of the last workspace
};

}  // namespace ooc
