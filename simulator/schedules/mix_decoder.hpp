// Turns decisions (keep, move or drop, by gap) into a plan, in four steps after each of which a search may stop: list
// what runs and when buffers hold tensors (list), decide which tensors move and when they return (place), bound the
// time (least_time), make the plan (build). Decisions that can be listed and placed give a plan within the budget.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/plan/memory_ledger.hpp"
#include "simulator/schedules/mix_facts.hpp"
#include "simulator/schedules/run_list.hpp"

namespace ooc {

class MixDecoder {
 public:
  /// `facts` must outlive the decoder.
  explicit MixDecoder(const MixFacts& facts);

  /// Fills runs() from the decisions. Returns false if a task needs a dropped tensor that cannot be recomputed.
  bool list(const Decisions& decisions);
  /// Chooses smaller workspaces where memory is short, then moves(). Returns false if the list does
  /// not fit. Tensors return only after position `not_before`. Call after list().
  bool place(const Decisions& decisions, std::size_t not_before = 0);
  /// Places the list without moves. Returns false if it does not fit. Call after list().
  bool place_unmoved();
  /// Returns the sum in ns of the times of all runs, with the algorithms chosen so far.
  [[nodiscard]] std::int64_t compute_time() const;
  /// Returns a lower bound in ns on the placed plan's time: copies run one after another at full
  /// rate; compute waits for copies in, and for memory that copies out free.
  [[nodiscard]] std::int64_t least_time();
  /// Returns the plan of the last placement; valid until the next one.
  [[nodiscard]] const Plan& build();
  [[nodiscard]] Plan build_once() &&;

  [[nodiscard]] const RunList& runs() const { return list_; }
  [[nodiscard]] const std::vector<GapMove>& moves() const { return moves_; }
  /// True if the gap's tensor stays near throughout `gap`, an index in runs().gaps. Valid after place().
  [[nodiscard]] bool stays(std::size_t gap) const { return stays_[gap] != 0; }
  /// Returns by gap of runs() the index of the gap of MixFacts::idle that contains it.
  [[nodiscard]] const std::vector<std::uint32_t>& idle_of_gap() const { return idle_of_gap_; }
  /// Returns by position the bytes over the budget if all tensors are away in all their gaps; < 0: free. After place().
  [[nodiscard]] const std::vector<std::int64_t>& excess() const { return excess_; }
  enum class Away { kAll, kNothing };
  /// Returns OutOfMemory at the first run that does not fit with the smallest workspaces; unset: all fit. kAll: each
  /// tensor is away in all its gaps; kNothing: all tensors stay. Valid after list().
  [[nodiscard]] std::optional<OutOfMemory> shortage(Away away) const;

 private:
  [[nodiscard]] bool want_for(std::uint32_t task);
  [[nodiscard]] bool want(std::uint32_t tensor);
  void run_wanted(const Decisions& decisions);
  void run_task(const Decisions& decisions, std::uint32_t task);
  void forget_passing(const Decisions& decisions, std::uint32_t task);
  void open(std::uint32_t tensor, std::uint32_t& where);
  void touch(std::uint32_t stay, bool writes, std::uint32_t idle);
  [[nodiscard]] std::uint32_t idle_now(std::uint32_t tensor) const;
  [[nodiscard]] std::uint32_t idle_now(const Decisions& decisions, std::uint32_t tensor) const;

  bool choose_algorithms();
  void order_gaps(bool first_left_first);
  bool keep(std::uint32_t gap);
  void return_early(std::uint32_t gap, bool anyway, std::size_t& earliest);
  [[nodiscard]] bool is_wish(const Decisions& decisions, std::uint32_t gap) const;
  [[nodiscard]] bool moves_anyway(const Decisions& decisions, std::uint32_t gap) const;
  [[nodiscard]] std::int64_t gap_bytes(std::size_t gap) const;

  const MixFacts& facts_;
  RunList list_;
  std::vector<std::uint32_t> idle_of_gap_;
  std::vector<char> repeated_;  ///< by gap: true if an earlier gap has the same idle_of_gap_
  std::vector<std::uint8_t> algorithm_;  ///< by position in runs(): index in MixFacts::algorithms
  // Scratch memory of list().
  std::vector<std::uint32_t> current_;    ///< by tensor: its interval in RunList::stays, if any
  std::vector<std::uint32_t> passing_;    ///< by tensor: its interval in the current reruns, if any
  std::vector<std::uint32_t> use_;        ///< by tensor: number of its uses so far
  std::vector<std::uint32_t> wanted_by_;  ///< by piece: last task for which it was rerun, if any
  std::vector<std::uint32_t> written_;    ///< by interval: last position that wrote it, if any
  std::vector<char> seen_;  ///< by gap of MixFacts::idle: true if the list has a part of it
  std::vector<std::uint32_t> waiting_;  ///< pieces to rerun, found but not yet visited
  std::vector<std::uint32_t> batch_;    ///< tasks to rerun for task `now_`
  std::vector<std::uint32_t> opened_;   ///< tensors first written by tasks of batch_
  std::uint32_t now_ = 0;               ///< task for which others are rerun
  // Scratch memory and results of place().
  std::int64_t room_ = 0;             ///< bytes of GPU memory for tensors and workspaces
  std::vector<std::int64_t> change_;  ///< by position: allocated bytes, less bytes freed before it
  std::vector<std::int64_t> excess_;
  std::vector<Bytes> needed_;
  MemoryLedger ledger_{std::vector<Bytes>{}};
  std::vector<std::uint32_t> order_;         ///< gaps in the order in which place() decides on them
  std::vector<char> stays_;                  ///< by gap: true if the tensor stays in GPU memory
  std::vector<std::uint32_t> return_after_;  ///< by gap: position after which the tensor may return
  std::vector<GapMove> moves_;
  // Scratch memory of least_time().
  struct PendingOut {
    std::int64_t end = 0;
    std::int64_t bytes = 0;
  };
  std::vector<std::int64_t> ends_;       ///< by position: end of its step in ns
  std::vector<std::int64_t> out_end_;    ///< by interval: end of its latest copy out in ns
  std::vector<std::int64_t> far_since_;  ///< by interval: position of far copy's writer; -1: none
  struct Leaving {
    std::uint32_t position = 0;
    std::uint32_t order = 0;
    std::uint32_t stay = 0;
    friend auto operator<=>(const Leaving&, const Leaving&) = default;
  };
  std::vector<Leaving> leaves_;  ///< copies out, each with the position after which it begins
  std::vector<Leaving> idles_;   ///< by move: position of the last use before its gap
  std::vector<PendingOut> pending_;
  std::vector<std::int64_t> near_;
  RunPlanner planner_;
};

}  // namespace ooc
