// The knee of a link sweep: how fast a link must be before faster ones stop mattering.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "model/base/units.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Why no link of the list is fast enough, of several causes the first.
enum class NoKnee {
  kNone,  ///< there is one
  kNotWorkedOut,
  kDoesNotFit,
  kBeyondList,  ///< faster ones would be
  kRecomputes,  ///< tasks that run again take longer than that, whatever the link
  kPageFaults,  ///< so do faults, one by one
  kFarMemory,   ///< sets the rate of copies
  kNearMemory,  ///< sets the rate of copies
  kOtherWaits,  ///< that a link does not shorten
};
/// "far_memory"; "" of kNone.
[[nodiscard]] std::string_view no_knee_name(NoKnee cause);
/// "far memory caps the link"
[[nodiscard]] std::string_view no_knee_text(NoKnee cause);

/// Of one unit (network, machine, batch, memory, schedule): places in the list of links.
struct Knee {
  std::size_t unit = 0;
  std::optional<std::size_t> within_1_percent;
  std::optional<std::size_t> within_5_percent;
  NoKnee not_within_1_percent = NoKnee::kNone;
  NoKnee not_within_5_percent = NoKnee::kNone;
};

/// One configuration of the unit, by link.
struct LinkTime {
  bool worked_out = false;
  bool feasible = false;
  Duration iteration_time;
  Duration compute_time;    ///< the sum of its tasks
  Duration recompute_time;  ///< of those that run again
  Duration fault_time;      ///< waits for page faults
  bool far_memory_binds = false;
  bool near_memory_binds = false;
};
[[nodiscard]] LinkTime link_time(const RunReport& report);

/// Whether the iteration takes at most that much longer than its computation alone.
[[nodiscard]] bool within(const LinkTime& time, int percent);

using Links = std::span<const std::optional<BytesPerSecond>>;
/// Its place in the list.
[[nodiscard]] std::size_t fastest_link(Links links);

struct KneeRequest {
  std::size_t unit = 0;
  Links links;
  std::span<const LinkTime> times;
  /// Where it was worked out: without it the list's fastest link tells why there is no knee.
  std::optional<LinkTime> at_infinite_link = {};
};

/// The slowest link of the list whose iteration takes at most 1 % (5 %) longer than its computation alone.
/// The list need not be sorted.
[[nodiscard]] Knee find_knee(const KneeRequest& request);

}  // namespace ooc
