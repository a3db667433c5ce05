// From decisions to a plan, in four steps that a search can stop behind: what runs and how long tensors stay
// (list), who moves and may return when (place), a time that the plan cannot beat (least_time), the plan (build).
// Every vector of decisions whose list can be placed gives a plan that runs in the budget.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/plan/memory_ledger.hpp"
#include "simulator/schedules/mix_facts.hpp"
#include "simulator/schedules/run_planner.hpp"

namespace ooc {

class MixDecoder {
 public:
  /// `facts` must outlive it.
  explicit MixDecoder(const MixFacts& facts);

  /// What runs, and which buffers hold tensors when. False where something would be needed that cannot be made.
  bool list(const Decisions& decisions);
  /// Takes ways with less workspace where memory is short, then decides on the ledger who moves. False where it
  /// does not fit. `not_before`: the first position after which something may return.
  bool place(const Decisions& decisions, std::size_t not_before = 0);
  /// The same where nothing may move.
  bool place_unmoved();
  /// Of what was listed: all that runs, one after the other.
  [[nodiscard]] std::int64_t compute_time() const;
  /// Of what was placed: no run of the plan is quicker (copies one after the other at full rate, compute waits for
  /// copies in and for room that copies out have to make).
  [[nodiscard]] std::int64_t least_time();
  /// Of what was placed. Valid up to the next one.
  [[nodiscard]] const Plan& build();
  [[nodiscard]] Plan build_once() &&;

  [[nodiscard]] const RunList& runs() const { return list_; }
  [[nodiscard]] const std::vector<GapMove>& moves() const { return moves_; }
  /// Of what was placed, by gap of runs(): near all the time.
  [[nodiscard]] bool stays(std::size_t gap) const { return stays_[gap] != 0; }
  /// By gap of runs(): the idle time that it lies in.
  [[nodiscard]] const std::vector<std::uint32_t>& idle_of_gap() const { return idle_of_gap_; }
  /// By position, of what was listed, with nothing near that could be away: bytes beyond what there is.
  [[nodiscard]] const std::vector<std::int64_t>& excess() const { return excess_; }
  /// The shortage of what was listed, with everything away that can be; or, `unmoved`, with nothing away.
  enum class Away { kAll, kNothing };
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

  bool choose_ways();
  void order_gaps(bool first_left_first);
  bool keep(std::uint32_t gap);
  void return_early(std::uint32_t gap, bool anyway, std::size_t& earliest);
  [[nodiscard]] bool is_wish(const Decisions& decisions, std::uint32_t gap) const;
  [[nodiscard]] bool moves_anyway(const Decisions& decisions, std::uint32_t gap) const;
  [[nodiscard]] std::int64_t gap_bytes(std::size_t gap) const;

  const MixFacts& facts_;
  RunList list_;
  std::vector<std::uint32_t> idle_of_gap_;
  std::vector<char> repeated_;     ///< by gap: not the first one of its idle time
  std::vector<std::uint8_t> way_;  ///< by position: of MixFacts::ways
  // While listing.
  std::vector<std::uint32_t> current_;  ///< by tensor: its stay
  std::vector<std::uint32_t> passing_;  ///< by tensor: its stay within the tasks that run again now
  std::vector<std::uint32_t> use_;      ///< by tensor: how many of its uses are behind
  std::vector<std::uint32_t> wanted_by_;  ///< by piece: the last task that wanted it
  std::vector<std::uint32_t> written_;    ///< by stay: the last position that wrote it
  std::vector<char> seen_;                ///< by idle time
  std::vector<std::uint32_t> waiting_;    ///< pieces
  std::vector<std::uint32_t> batch_;      ///< tasks to run again
  std::vector<std::uint32_t> opened_;     ///< tensors that they make
  std::uint32_t now_ = 0;                 ///< the task they run for
  // While placing.
  std::int64_t room_ = 0;             ///< bytes that may be filled
  std::vector<std::int64_t> change_;  ///< by position: of the bytes that are near
  std::vector<std::int64_t> excess_;
  std::vector<Bytes> needed_;
  MemoryLedger ledger_{std::vector<Bytes>{}};
  std::vector<std::uint32_t> order_;         ///< gaps in the order in which they are decided
  std::vector<char> stays_;                  ///< by gap
  std::vector<std::uint32_t> return_after_;  ///< by gap that moves
  std::vector<GapMove> moves_;
  // For least_time().
  struct PendingOut {
    std::int64_t end = 0;
    std::int64_t bytes = 0;
  };
  std::vector<std::int64_t> ends_;       ///< by position
  std::vector<std::int64_t> out_end_;    ///< by stay: of its latest copy out
  std::vector<std::int64_t> far_since_;  ///< by stay: the position that wrote what far memory holds
  struct Leaving {
    std::uint32_t position = 0;
    std::uint32_t order = 0;
    std::uint32_t stay = 0;
    friend auto operator<=>(const Leaving&, const Leaving&) = default;
  };
  std::vector<Leaving> leaves_;  ///< copies out begin behind the position
  std::vector<Leaving> idles_;   ///< what moves is used no more behind the position
  std::vector<PendingOut> pending_;
  std::vector<std::int64_t> near_;
  RunPlanner planner_;
};

}  // namespace ooc
