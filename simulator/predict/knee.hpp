// Knee of a link sweep: the rate above which faster links hardly help.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "model/base/units.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// First reason why no link of the list is fast enough.
enum class NoKnee {
  kNone,  ///< a link of the list is fast enough
  kNotWorkedOut,
  kDoesNotFit,
  kBeyondList,   ///< a link faster than the list's would suffice
  kComputation,  ///< compute takes longer than with the fastest algorithms
  kRecomputes,   ///< rerun tasks take longer than the limit, whatever the link
  kPageFaults,   ///< page faults take longer than the limit
  kFarUpdates,   ///< updates in host memory take longer than the limit
  kLink,         ///< sets the rate of copies
  kFarMemory,    ///< likewise
  kNearMemory,   ///< likewise
  kOtherWaits,   ///< waits that no link shortens
};
/// Returns a name such as "far_memory"; empty for kNone.
[[nodiscard]] std::string_view no_knee_name(NoKnee cause);
/// Returns a text such as "far memory caps the link".
[[nodiscard]] std::string_view no_knee_text(NoKnee cause);

/// Knee of rows that differ only in the link.
struct Knee {
  std::size_t row = 0;  ///< index of the first of these rows
  std::optional<BytesPerSecond> within_1_percent;
  std::optional<BytesPerSecond> within_5_percent;
  NoKnee not_within_1_percent = NoKnee::kNone;
  NoKnee not_within_5_percent = NoKnee::kNone;
};

/// Times of one of these rows.
struct LinkTime {
  bool worked_out = false;
  bool feasible = false;
  Duration iteration_time;
  Duration reference_time;  ///< RunReport::reference_time
  Duration compute_time;    ///< sum of its tasks' times
  Duration recompute_time;  ///< time of rerun tasks
  Duration fault_time;      ///< waits for page faults
  Duration update_time;     ///< waits for updates in host memory
  bool far_memory_binds = false;
  bool near_memory_binds = false;
};
[[nodiscard]] LinkTime link_time(const RunReport& report);

/// Why an iteration that fits takes longer than that. `copies_bind`: whether it would be quick enough with copies that
/// take no time; unset: not known, and the link is infinite.
[[nodiscard]] NoKnee why_too_slow(const LinkTime& time, Duration most,
                                  std::optional<bool> copies_bind = {});

/// True if the iteration takes at most `percent` longer than its reference, as for slowdowns and `need`.
[[nodiscard]] bool within(const LinkTime& time, int percent);

/// Finds the slowest link whose iteration takes at most 1 % (5 %) longer than the reference. Links
/// come in any order and are not stored.
class KneeFinder {
 public:
  explicit KneeFinder(std::size_t first_row) { knee_.row = first_row; }

  void add(BytesPerSecond link, const LinkTime& time);
  /// Adds the run at an infinite link. Without it the fastest link explains why there is no knee.
  void add_infinite_link(const LinkTime& time) { at_infinite_link_ = time; }
  [[nodiscard]] Knee knee() const;

 private:
  [[nodiscard]] NoKnee why_none(int percent) const;

  Knee knee_;
  bool any_worked_out_ = false;
  BytesPerSecond fastest_link_;
  std::optional<LinkTime> fastest_;  ///< run of the fastest link that fits
  std::optional<LinkTime> at_infinite_link_;
};

}  // namespace ooc
