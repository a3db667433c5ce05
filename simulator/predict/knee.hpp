// The knee of a link sweep: how fast a link must be before faster ones stop mattering.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "model/base/units.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Why no link of the list is fast enough, of several causes the first.
enum class NoKnee {
  kNone,  ///< there is one
  kNotWorkedOut,
  kDoesNotFit,
  kBeyondList,   ///< faster ones would be
  kComputation,  ///< it computes longer than with the fastest algorithms
  kRecomputes,   ///< tasks that run again take longer than that, whatever the link
  kPageFaults,   ///< so do faults, one by one
  kFarUpdates,   ///< so do updates in far memory
  kLink,         ///< sets the rate of copies
  kFarMemory,    ///< likewise
  kNearMemory,   ///< likewise
  kOtherWaits,   ///< that a link does not shorten
};
/// "far_memory"; "" of kNone.
[[nodiscard]] std::string_view no_knee_name(NoKnee cause);
/// "far memory caps the link"
[[nodiscard]] std::string_view no_knee_text(NoKnee cause);

/// Of rows that differ in the link alone.
struct Knee {
  std::size_t row = 0;  ///< the first of them
  std::optional<BytesPerSecond> within_1_percent;
  std::optional<BytesPerSecond> within_5_percent;
  NoKnee not_within_1_percent = NoKnee::kNone;
  NoKnee not_within_5_percent = NoKnee::kNone;
};

/// One of these rows.
struct LinkTime {
  bool worked_out = false;
  bool feasible = false;
  Duration iteration_time;
  Duration reference_time;  ///< RunReport::reference_time
  Duration compute_time;    ///< the sum of its tasks
  Duration recompute_time;  ///< of those that run again
  Duration fault_time;      ///< waits for page faults
  Duration update_time;     ///< waits for updates in far memory
  bool far_memory_binds = false;
  bool near_memory_binds = false;
};
[[nodiscard]] LinkTime link_time(const RunReport& report);

/// Why an iteration that fits takes longer than that. `copies_bind`: whether it would be quick enough with copies that
/// take no time; unset: not known, and the link is infinite.
[[nodiscard]] NoKnee why_too_slow(const LinkTime& time, Duration most,
                                  std::optional<bool> copies_bind = {});

/// Whether the iteration takes at most that much longer than its reference: the slowdown's, and that of `need`.
[[nodiscard]] bool within(const LinkTime& time, int percent);

/// The slowest link whose iteration takes at most 1 % (5 %) longer than computing alone. Links come in any
/// order; none of them is kept.
class KneeFinder {
 public:
  explicit KneeFinder(std::size_t first_row) { knee_.row = first_row; }

  void add(BytesPerSecond link, const LinkTime& time);
  /// Where it was worked out: without it the fastest link tells why there is no knee.
  void add_infinite_link(const LinkTime& time) { at_infinite_link_ = time; }
  [[nodiscard]] Knee knee() const;

 private:
  [[nodiscard]] NoKnee why_none(int percent) const;

  Knee knee_;
  bool any_worked_out_ = false;
  BytesPerSecond fastest_link_;
  std::optional<LinkTime> fastest_;  ///< of those that fit
  std::optional<LinkTime> at_infinite_link_;
};

}  // namespace ooc
