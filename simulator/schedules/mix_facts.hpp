// Facts for plans that keep, move or drop tensors, independent of decisions. Such a plan runs the tasks in order and
// may rerun forward tasks in between. In a gap between two uses a tensor stays in GPU memory, moves (a copy out and a
// copy in), or is dropped and recomputed. docs/model.md, section 8, "best".
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// Decision for one gap between two uses of a tensor.
enum class Treatment : std::uint8_t {
  kKeep,  ///< stay in GPU memory if it fits, else move
  kMove,  ///< move; return as early as there is room. Stays if the whole gap has room, unless moves_anyway
  kDrop,      ///< drop; recompute for the first task that needs the tensor, then stay
  kDropEach,  ///< as kDrop, but what was recomputed only for another tensor is dropped again at once
};

/// Gap between two uses of a tensor by tasks that are not neighbours, or after its last use (`late`).
struct IdleTime {
  TensorId tensor;
  std::uint32_t from = 0;  ///< last task before the gap that uses the tensor
  std::uint32_t read = 0;  ///< last user before the gap that does more than hold (only_holds())
  std::uint32_t to = 0;    ///< next task that uses the tensor; the number of tasks if `late`
  std::int64_t bytes = 0;  ///< size of the tensor
  /// True if the tensor can be recomputed: only forward writes it, and the gap begins in forward and ends behind it.
  bool droppable = false;
  /// True: the gap follows the tensor's last use by a task of the graph. Only rerun tasks may need the tensor again.
  bool late = false;
  std::int64_t again = 0;  ///< least ns to rerun its piece (segments.hpp); 0 unless droppable
};

/// Algorithm of a task, with its ns and its bytes of workspace.
struct TaskAlgorithm {
  AlternativeId id;
  std::int64_t time = 0;
  std::int64_t workspace = 0;
};

/// Use of a tensor by a task, once even if the task reads and writes the tensor.
struct TaskTouch {
  std::uint32_t tensor = 0;
  bool writes = false;
  bool first = false;  ///< true: the task writes the tensor, and no earlier task does
};

/// Lists of different lengths in contiguous memory.
template <class Item>
class Lists {
 public:
  void begin_list() { begin_.push_back(items_.size()); }
  void add(const Item& item) { items_.push_back(item); }
  void end_all() { begin_.push_back(items_.size()); }
  [[nodiscard]] std::span<const Item> operator[](std::size_t list) const {
    return {items_.data() + begin_[list], items_.data() + begin_[list + 1]};
  }
  [[nodiscard]] std::span<Item> operator[](std::size_t list) {
    return {items_.data() + begin_[list], items_.data() + begin_[list + 1]};
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<Item> items_;
};

inline constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

struct MixFacts {
  /// Gaps to include in `idle`. Late gaps are always included.
  enum class Idle {
    kAll,         ///< all gaps
    kWorthwhile,  ///< all but gaps of 1 or 2 tasks that are shorter than half a copy in
    kSaved,       ///< only gaps between forward and backward
  };
  enum class Algorithms {
    kChosen,  ///< only the algorithm that PlanningProblem::chosen() returns
    kAll,     ///< all, fastest first; each of the list has less workspace than the one before
  };
  /// `problem` must outlive the facts.
  MixFacts(const PlanningProblem& problem, Algorithms algorithms, Idle idle);

  const PlanningProblem& problem;
  const TrainingGraph& graph;
  std::int64_t available = 0;          ///< bytes of the budget less static bytes
  std::size_t tasks = 0;               ///< number of tasks
  std::size_t forward = 0;             ///< number of forward tasks, which come first
  std::size_t tensors = 0;             ///< number of tensors
  std::vector<std::int64_t> bytes;     ///< by tensor: its size
  std::vector<std::int64_t> out_time;  ///< by tensor: ns of a copy out alone on the link
  std::vector<std::int64_t> in_time;   ///< by tensor: ns of a copy in alone on the link
  std::vector<char> is_input;          ///< by tensor: 1 for a network input that a task uses
  Lists<TaskTouch> touches;            ///< by task: tensors used, first those it writes
  Lists<TaskAlgorithm> algorithms;     ///< by task: its algorithms that may be used, fastest first
  Lists<std::uint32_t> uses;           ///< by tensor: the tasks that use it, in order
  Lists<std::uint32_t> idle_after;     ///< by tensor and use: gap after it in `idle`, or kNoIndex
  std::vector<std::uint32_t> written_first;  ///< by tensor: first writer; kNoIndex: network input
  std::vector<std::uint32_t> piece_of;  ///< by tensor: its PieceId; kNoIndex: cannot be recomputed
  Lists<std::uint32_t> piece_tasks;     ///< by PieceId: its forward tasks (Pieces::tasks_of)
  std::vector<IdleTime> idle;           ///< gaps in which tensors may be away
  std::int64_t rate = 0;                ///< bytes/s of the slower direction of the link
  /// Sum in ns of each task's fastest algorithm that fits beside its tensors; if none fits, of its slowest.
  std::int64_t least_compute = 0;

  /// True if the task is the last of forward and uses the tensor only to hold autocast's copy of weights up to there.
  [[nodiscard]] bool only_holds(std::uint32_t task, TensorId tensor) const {
    return task + 1 == forward && written_first[tensor.at()] != task &&
           graph.tensors[tensor.at()].role == TensorRole::kWeightCopy;
  }

 private:
  void find_algorithms(Algorithms which);
  void find_touches();
  void find_pieces_of();
  void find_idle(Idle which);
  void add_idle(std::size_t tensor, Idle which);
  [[nodiscard]] bool worthwhile(const IdleTime& time) const;
  [[nodiscard]] bool takes_part_in(Idle which, const IdleTime& time) const;
};

/// Decisions from which MixDecoder makes a plan.
struct Decisions {
  std::vector<Treatment> treatment;     ///< by gap of MixFacts::idle
  std::vector<std::uint8_t> algorithm;  ///< by task: index in its MixFacts::algorithms to try first
  /// True: one walk over the gaps decides which tensors stay and when others return, as in
  /// capacity. False: first all tensors stay that can, then others return early.
  bool one_walk = false;
  /// True: kMove holds even if the tensor fits, so others can use its memory. Of tensors that one task
  /// needs, the first to leave returns first.
  bool moves_anyway = false;
  /// True: a recomputed tensor stays near up to its last use.
  bool made_again_stays = false;
  /// True: copies in for one reader begin no earlier than the previous reader of tensors copied in starts.
  bool one_ahead = false;
  /// Bytes of GPU memory left free, for allocators that cannot use every byte.
  std::int64_t unused = 0;
};

/// Returns decisions that keep all that fits. After its last use a tensor is dropped, or a network input moved.
[[nodiscard]] Decisions keep_all(const MixFacts& facts);
/// Returns keep_all() with kMove for kKeep, and the smallest workspaces. No other decisions need less memory.
[[nodiscard]] Decisions move_all(const MixFacts& facts);

}  // namespace ooc
