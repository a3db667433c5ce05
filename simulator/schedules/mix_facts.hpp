// Keep, move or drop: what does not depend on the decisions. A plan of this class runs the tasks in their order; between
// them forward tasks may run again; between two uses a tensor stays near, or is away with a copy out and one in, or is
// dropped and computed again. docs/model.md, section 8, "best".
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "simulator/schedules/pieces.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// What becomes of a tensor in an idle time.
enum class Treatment : std::uint8_t {
  kKeep,  ///< it stays if there is room, else it moves
  kMove,  ///< it moves
  kDrop,  ///< gone; computed again for the first task that needs it, and near up to its next use
  kDropEach,  ///< the same, but where it was only needed to compute another one it is gone again at once
};

/// A tensor is not used between two tasks that use it and are not neighbours.
struct IdleTime {
  TensorId tensor;
  std::uint32_t from = 0;  ///< the task that uses it before
  std::uint32_t to = 0;    ///< and behind; of late ones the number of tasks
  std::int64_t bytes = 0;
  /// Forward tasks wrote it and it is next used in backward: it can be computed again.
  bool droppable = false;
  /// Behind its last use of all: what tasks that run again may want of it.
  bool late = false;
  std::int64_t again =
      0;  ///< of droppable ones: ns to compute it, with all that has to run with it
};

/// A way to run a task.
struct TaskWay {
  AlternativeId id;
  std::int64_t time = 0;
  std::int64_t workspace = 0;
};

struct TaskTouch {
  std::uint32_t tensor = 0;
  bool writes = false;
  bool first = false;  ///< the first to write it
};

/// Lists of different lengths in one piece of memory.
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
  /// Which idle times take part.
  enum class Idle {
    kAll,
    kWorthwhile,  ///< not those of one or two tasks in which not even half a copy is done
    kSaved,       ///< those between the two passes
  };
  enum class Ways {
    kChosen,  ///< as --algorithms says
    kAll,     ///< by task the fastest first, each with less workspace than the one before
  };
  /// `problem` must outlive it.
  MixFacts(const PlanningProblem& problem, Ways ways, Idle idle);

  const PlanningProblem& problem;
  const TrainingGraph& graph;
  std::int64_t available = 0;  ///< bytes of near memory beside what is always there
  std::size_t tasks = 0;
  std::size_t forward = 0;
  std::size_t tensors = 0;
  std::vector<std::int64_t> bytes;     ///< by tensor
  std::vector<std::int64_t> out_time;  ///< by tensor: its copies alone, ns
  std::vector<std::int64_t> in_time;
  std::vector<char> is_input;       ///< by tensor: of the network, and used at all
  Lists<TaskTouch> touches;         ///< by task, those it writes first
  Lists<TaskWay> ways;              ///< by task
  Lists<std::uint32_t> uses;        ///< by tensor: tasks
  Lists<std::uint32_t> idle_after;  ///< by tensor: behind each use its idle time, or kNoIndex
  std::vector<std::uint32_t> written_first;  ///< by tensor: the task; kNoIndex for inputs
  std::vector<std::uint32_t> piece_of;       ///< by tensor; kNoIndex: nothing can compute it again
  Lists<std::uint32_t> piece_tasks;          ///< by piece
  std::vector<IdleTime> idle;
  std::int64_t rate = 0;  ///< bytes a second that the slower direction of the link moves
  /// Sum of each task's fastest way that fits at all.
  std::int64_t least_compute = 0;

 private:
  void find_ways(Ways which);
  void find_touches();
  void find_pieces_of();
  void find_idle(Idle which);
  void add_idle(std::size_t tensor, Idle which);
  [[nodiscard]] bool worthwhile(const IdleTime& time) const;
  [[nodiscard]] bool takes_part_in(Idle which, const IdleTime& time) const;
};

/// Every choice there is.
struct Decisions {
  std::vector<Treatment> treatment;  ///< by idle time
  std::vector<std::uint8_t> way;     ///< by task: the fastest of MixFacts::ways that may be used
  /// Who stays and when others return is decided in one walk, as capacity does; else all that can stay does
  /// before anything is brought back early.
  bool one_walk = false;
  /// kMove holds where there is room, too, and of what is wanted at once whatever left first returns first: what is
  /// away for a while leaves its room to others, whose copies out may end meanwhile.
  bool moves_anyway = false;
  /// What is computed again is near up to its last use, even where it is idle for a while.
  bool made_again_stays = false;
  /// Of near memory left free: for what a caching allocator holds back, without which plans block.
  std::int64_t unused = 0;
};

/// Everything kept for which there is room; what only repeated tasks could want is dropped.
[[nodiscard]] Decisions keep_all(const MixFacts& facts);
/// Nothing dropped and everything away while it is idle: no plan of this class takes less memory.
[[nodiscard]] Decisions move_all(const MixFacts& facts);

}  // namespace ooc
