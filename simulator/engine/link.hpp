// Link between GPU and host memory for the event loop: says when the next event of a copy comes. PrivateLink is for
// runs without contention (duplex 1 or copies in one direction): a copy takes TransferCost::alone. SharedLink follows
// every change of rate exactly: the remainder of a copy starts as bytes x 10^9 and falls by rate x ns, in 128 bits. So
// rounding never adds up, however often the rate changes.
//
// Rates: a copy runs at its own rate. While both directions move bytes, each rate is scaled by its direction's share
// (duplex), rounded down. A copy in its latency takes no share. Each device has a link; a shared host lowers its rates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "model/base/units.hpp"
#include "model/cost/cost_table.hpp"

namespace ooc {

/// Instant of an event that never comes.
inline constexpr std::int64_t kNoEvent = std::numeric_limits<std::int64_t>::max();
/// Event of a copy that begins to move bytes in this round, until settle() at the round's end knows its rate.
inline constexpr std::int64_t kUnsettled = kNoEvent - 1;

/// Progress of the copy on one queue.
struct Mover {
  bool moving = false;      ///< moves bytes; false: idle or in its latency
  BytesPerSecond own_rate;  ///< rate while the other direction is idle
  BytesPerSecond rate;      ///< current rate; 0 until settle()
  Int128 remainder = 0;     ///< bytes x 10^9 that were left to move at `since`
  std::int64_t since = 0;   ///< instant in ns of the last change of rate
};

enum class Direction : std::uint8_t { kToFar, kToNear };

/// Copy of a tensor: which tensor, and which of its costs.
struct Copy {
  Direction direction = Direction::kToFar;
  bool on_demand = false;
  std::size_t tensor = 0;

  [[nodiscard]] const TransferCost& cost(const TransferCosts& costs) const {
    return direction == Direction::kToFar ? costs.to_far[tensor]
                                          : costs.near_cost(tensor, on_demand);
  }
};

class PrivateLink {
 public:
  static constexpr bool kHasPhases = false;  ///< false: a copy has no event but its end

  explicit PrivateLink(const CostTable& costs) : costs_(costs.transfers) {}

  /// Starts the copy at instant `now`, and returns the instant of its end.
  std::int64_t start(const Copy& copy, std::size_t /*queue*/, std::int64_t now) {
    return now + copy.cost(costs_).alone.count();
  }

 private:
  const TransferCosts& costs_;
};

class SharedLink {
 public:
  static constexpr bool kHasPhases = true;

  explicit SharedLink(const CostTable& costs);

  /// Starts the copy; returns the instant of its next event: end of latency, or of the copy; kUnsettled: rate unknown.
  std::int64_t start(const Copy& copy, std::size_t queue, std::int64_t now);
  /// Handles the event of the copy on `queue`. True: the copy has ended. False: its latency has; `event` is kUnsettled.
  bool arrived(std::size_t queue, std::int64_t now, std::int64_t& event);
  /// Updates `events`, by queue, where rates have changed. Call after all starts of a round.
  void settle(std::int64_t now, std::span<std::int64_t> events) {
    if (changed_) reevaluate(now, events);
  }

 private:
  /// Ends the copy's latency. True if nothing remains to move: no bytes, or an infinite rate.
  bool begin_moving(Mover& mover, std::int64_t now);
  void reevaluate(std::int64_t now, std::span<std::int64_t> events);

  const CostTable& costs_;
  std::array<Mover, 3> movers_{};  ///< by queue_index(); that of compute is unused
  bool changed_ = false;           ///< true: a copy began or ended to move bytes since settle()
};

}  // namespace ooc
