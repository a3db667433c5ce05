// The simulated execution inside moDNN's Algorithm 1: what is near and where, when the compute queue
// and the one transfer queue are free, and the plan that grows with every decision. It answers the
// questions that the algorithm decides by (is there room, what would it cost) and carries the
// decisions out; it decides nothing but which blocks make room (modnn_room.cpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/base/csr.hpp"
#include "simulator/plan/memory_ledger.hpp"
#include "simulator/plan/plan_builder.hpp"
#include "simulator/schedules/address_space.hpp"
#include "simulator/schedules/schedule.hpp"
#include "simulator/schedules/task_counts.hpp"

namespace ooc {

/// Where a block may go: a hole, or a run of segments whose blocks leave for it.
struct Room {
  SegmentId first;
  std::int32_t segments = 1;
  Duration ready;  ///< when all of it is free
};

/// How far to look for an offloading scheme.
enum class Search {
  kNearby,      ///< so many segments and no more: it may fail
  kEverywhere,  ///< all segments
};

/// The way with the least workspace: the paper's implicit GEMM.
[[nodiscard]] AlternativeId base_way(const CostTable& costs, TaskId task);

/// A job as Algorithm 1 looks at it.
struct ModnnJob {
  explicit ModnnJob(const PlanningProblem& job);

  const PlanningProblem& problem;
  Csr<TaskId, TensorId> touched;  ///< read or written, once each, without tensors of no bytes
  Csr<TensorId, TaskId> uses;
  std::vector<Bytes> needed;  ///< M_min(t): inputs, outputs and the least workspace of every task
};

class ModnnMachine {
 public:
  explicit ModnnMachine(const ModnnJob& job);

  // The task at hand.
  void begin(TaskId task);
  [[nodiscard]] std::span<const TensorId> touched(TaskId task) const { return job_.touched[task]; }
  /// Places its outputs, its missing inputs and `workspace`, making room as it must; loads.
  void prepare(Bytes workspace);
  /// When it could start, as things stand.
  [[nodiscard]] Duration now() const { return std::max(compute_end_, need_.at); }
  void take_workspace(const Room& room, Bytes bytes);
  /// When all that is near would have left, and what the task at hand needs of it would be back.
  [[nodiscard]] Duration ready_by_defragmenting() const;
  /// Everything leaves and what the task at hand needs comes back, with room for `workspace`, which fits.
  void defragment_for(Bytes workspace);
  /// Runs it and frees what dies with it.
  void run(AlternativeId alternative);

  // Room and copies.
  /// A hole, else the offloading scheme of least delay. Blocks that a task up to `until` uses stay.
  [[nodiscard]] std::optional<Room> find_room(Bytes bytes, TaskId until, Search search) const;
  [[nodiscard]] Bytes addresses() const { return available_; }
  [[nodiscard]] Bytes free_bytes() const { return space_.free_bytes(); }

  // Later tasks.
  /// The next task behind `task` that needs something from far memory.
  [[nodiscard]] std::optional<TaskId> next_missing(TaskId task) const {
    return missing_.next_after(task);
  }
  [[nodiscard]] bool is_far(TensorId tensor) const {
    return states_[tensor.at()].where == Where::kFar;
  }
  /// No task up to `task` would lack room if `bytes` came in for it now.
  [[nodiscard]] bool allocatable(TaskId task, Bytes bytes) const;
  /// Brings it for `task`, if there is room or room can be made.
  [[nodiscard]] bool prefetch(TensorId tensor, TaskId task);

  [[nodiscard]] Plan finish() && { return std::move(builder_).finish(); }

 private:
  enum class Where : std::uint8_t { kNowhere, kPlaced, kNear, kFar };
  struct State {
    Where where = Where::kNowhere;
    bool clean = false;  ///< far memory holds the same
    bool fresh = false;  ///< not used since it was made or brought, and its use is near
    std::uint32_t uses = 0;
    SegmentId segment;
    BlockId block;
    Since written;                    ///< its last writer: a copy out may begin
    Since used;                       ///< its last use, or its arrival
    std::optional<StepId> arrival;    ///< the copy in, until a task uses it
    std::optional<TaskId> booked_to;  ///< prefetched for it: counted in the ledger until then
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
  TaskCounts missing_;  ///< tensors in far memory, by their next use
  std::vector<State> states_;
  std::vector<StepId> computes_;
  std::vector<StepId> copies_;  ///< of both directions, one after another
  Duration compute_end_;
  Duration queue_free_;

  TaskId task_;          ///< at hand
  Since need_;           ///< what it waits for
  SegmentId last_hole_;  ///< where the last block that left was
  std::vector<SegmentId> workspaces_;
  Bytes workspace_;  ///< of the last of them
};

}  // namespace ooc
