// Makes many plans of run lists in the same memory, for searches. For a single plan: build_run_plan.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/plan/plan_builder.hpp"
#include "simulator/schedules/run_list.hpp"

namespace ooc {

class RunPlanner {
 public:
  /// `problem` must outlive the planner.
  explicit RunPlanner(const PlanningProblem& problem);

  /// Returns the plan as build_run_plan does. Valid until the next call.
  [[nodiscard]] const Plan& build(const RunList& list, const std::vector<GapMove>& moves);
  [[nodiscard]] Plan build_once(const RunList& list, const std::vector<GapMove>& moves) &&;

 private:
  /// Events after each position, in order: linked lists by position.
  struct Agenda {
    static constexpr std::int32_t kNone = -1;
    std::vector<std::int32_t> head;  ///< by position
    std::vector<std::int32_t> next;  ///< by entry: next entry of its position

    void clear(std::size_t positions, std::size_t entries);
    /// Adds an entry before those of the position.
    void put_first(std::size_t position, std::size_t entry);
  };

  void add_all(const RunList& list, const std::vector<GapMove>& moves);
  void note_moves(const RunList& list, const std::vector<GapMove>& moves);
  void add_run(const RunList& list, const std::vector<GapMove>& moves, std::size_t position);
  StepId add_copy_in(const RunList& list, const GapMove& move);
  BlockId new_block(const RunList& list, std::size_t stay);

  const PlanningProblem& problem_;
  PlanBuilder builder_;
  std::vector<BlockId> block_;  ///< by residency interval (RunList::stays): its latest block
  std::vector<std::optional<StepId>> out_;  ///< by interval: its latest copy out
  std::vector<std::int32_t> far_since_;     ///< by interval: position that wrote its far copy
  std::vector<std::int32_t> first_move_;    ///< by interval: the last of its moves
  std::vector<std::int32_t> next_move_of_;  ///< by move: the previous move of its interval
  std::vector<char> goes_out_;              ///< by move: host memory lacks the contents
  std::vector<StepId> steps_;               ///< by position
  std::vector<StepId> copies_;              ///< copies in, for the current run
  Agenda ends_;     ///< releases, by interval, then by move (its last use before the gap)
  Agenda leaving_;  ///< copies out after each position, by move
  std::size_t next_stay_ = 0;
  std::size_t next_move_ = 0;
};

}  // namespace ooc
