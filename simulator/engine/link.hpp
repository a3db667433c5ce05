// The link between near and far memory, seen by the event loop: when does a copy that starts now
// have its next event? Two kinds with one interface. PrivateLink is for runs in which nothing can
// contend (one device; duplex 1 or copies in one direction only): a copy takes TransferCost::alone.
// SharedLink follows every change of rate exactly: the remainder of a copy starts as bytes x 10^9
// and falls by rate x ns, in 128 bits, so no rounding adds up however often the rate changes.
//
// Rates: a copy that moves its bytes alone in its direction runs at its own rate. With several
// devices a direction's peak is shared max-min fairly, each copy capped by its own rate. While both
// directions move bytes every rate is scaled by its direction's share (duplex), rounded down. A copy in its latency has no
// share. Deviation: integer shares of a direction's peak lose less than one byte/s per device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "model/base/units.hpp"
#include "model/cost/cost_table.hpp"

namespace ooc {

/// The time of an event that is not going to happen.
inline constexpr std::int64_t kNoEvent = std::numeric_limits<std::int64_t>::max();
/// Of a copy that has begun to move its bytes and gets its rate when the round is over.
inline constexpr std::int64_t kUnsettled = kNoEvent - 1;

/// A copy on its way on one queue.
struct Mover {
  bool moving = false;  ///< moves bytes (else: idle, or in its latency)
  BytesPerSecond own_rate;
  BytesPerSecond rate;     ///< now; 0 until first settled
  Int128 remainder = 0;    ///< bytes x 10^9 still to move at `since`
  std::int64_t since = 0;  ///< ns: last change of rate
};

struct LinkBuffers {
  std::vector<Mover> movers;         ///< by queue_index
  std::vector<std::size_t> sharing;  ///< queues that share a direction now
};

enum class Direction : std::uint8_t { kToFar, kToNear };

/// What is copied, and for what price.
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
  static constexpr bool kHasPhases = false;  ///< the only event of a copy is its end

  PrivateLink(const CostTable& costs, int /*devices*/, LinkBuffers& /*buffers*/)
      : costs_(costs.transfers) {}

  /// Starts the copy on `queue`; the time of its next event.
  std::int64_t start(const Copy& copy, std::size_t /*queue*/, std::int64_t now) {
    return now + copy.cost(costs_).alone.count();
  }

 private:
  const TransferCosts& costs_;
};

class SharedLink {
 public:
  static constexpr bool kHasPhases = true;

  SharedLink(const CostTable& costs, int devices, LinkBuffers& buffers);

  std::int64_t start(const Copy& copy, std::size_t queue, std::int64_t now);
  /// At the event of `queue`: true if its copy has ended, else its latency has.
  bool arrived(std::size_t queue, std::int64_t now, std::int64_t& event);
  /// After the starts of a round: sets the events that changes of rate have moved.
  void settle(std::int64_t now, std::span<std::int64_t> events) {
    if (changed_) reevaluate(now, events);
  }

 private:
  /// The latency is over. True if there is nothing to move: no bytes, or at an infinite rate.
  bool begin_moving(Mover& mover, std::int64_t now);
  void reevaluate(std::int64_t now, std::span<std::int64_t> events);
  void share(Direction direction, BytesPerSecond peak, Ratio scaled_by, std::int64_t now,
             std::span<std::int64_t> events);

  const CostTable& costs_;
  LinkBuffers& buffers_;
  std::size_t moving_[2] = {0, 0};  ///< by Direction: copies that move bytes
  bool changed_ = false;            ///< the set of moving copies, since the last settle
};

}  // namespace ooc
