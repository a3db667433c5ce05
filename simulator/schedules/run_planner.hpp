// Makes plans of run lists, one after the other, in the same memory: for searches. One plan: build_run_plan.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/plan/plan_builder.hpp"
#include "simulator/schedules/run_list.hpp"

namespace ooc {

class RunPlanner {
 public:
  /// `problem` must outlive it.
  explicit RunPlanner(const PlanningProblem& problem);

  /// As build_run_plan. The plan stays here, up to the next one.
  [[nodiscard]] const Plan& build(const RunList& list, const std::vector<GapMove>& moves);
  [[nodiscard]] Plan build_once(const RunList& list, const std::vector<GapMove>& moves) &&;

 private:
  /// What happens to stays or moves behind each position, in order: a list by position, threaded through its entries.
  struct Agenda {
    static constexpr std::int32_t kNone = -1;
    std::vector<std::int32_t> head;  ///< by position
    std::vector<std::int32_t> next;  ///< by entry

    void clear(std::size_t positions, std::size_t entries);
    /// Before those that are there.
    void put_first(std::size_t position, std::size_t entry);
  };

  void add_all(const RunList& list, const std::vector<GapMove>& moves);
  void note_moves(const RunList& list, const std::vector<GapMove>& moves);
  void add_run(const RunList& list, const std::vector<GapMove>& moves, std::size_t position);
  StepId add_copy_in(const RunList& list, const GapMove& move);
  BlockId new_block(const RunList& list, std::size_t stay);

  const PlanningProblem& problem_;
  PlanBuilder builder_;
  std::vector<BlockId> block_;              ///< by stay: its latest one
  std::vector<std::optional<StepId>> out_;  ///< by stay: its latest copy out
  std::vector<std::int32_t> far_since_;  ///< by stay: the position that wrote what far memory holds
  std::vector<std::int32_t> first_move_;    ///< by stay, the last one of its moves first
  std::vector<std::int32_t> next_move_of_;  ///< by move: the one before of its stay
  std::vector<char> goes_out_;              ///< by move: far memory does not hold it yet
  std::vector<StepId> steps_;               ///< by position
  std::vector<StepId> copies_;              ///< in, for the run at hand
  Agenda
      ends_;  ///< releases: at the last use, of what moves also at the last use before; by stay, then by move
  Agenda leaving_;  ///< copies out, by move
  std::size_t next_stay_ = 0;
  std::size_t next_move_ = 0;
};

}  // namespace ooc
