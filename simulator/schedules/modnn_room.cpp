// How room is made, section IV.B.1 of the paper. A scheme is a run of contiguous segments from which blocks leave;
// every segment is tried as its start. The delay of a scheme is how much later than now its last byte is free: a block
// with a far copy is free at once, another one when its copy out has ended, and copies out go one after another, each
// as soon as the queue is free and its block's last user has ended (the schedule is static, so that may lie before
// now). Of equal delays the scheme whose blocks are needed again last is taken; or, if the policy says so, that one
// first of all: where the queue is what everything waits for, what leaves early and is needed soon moves in vain.
//
// A block lies at that end of its hole where its neighbour stays longer, so that what is left of the
// hole grows when the other neighbour goes.
//
// Deviation: the search goes on from where the last one ended and stops kSchemes schemes later: with at most that many
// segments all are tried, with thousands of them planning stays linear. Blocks are then offloaded in the order of their
// addresses, the oldest first. A search for a prefetch or a workspace, which may fail, also gives up after kSegments.
#include <algorithm>

#include "simulator/schedules/modnn_machine.hpp"

namespace ooc {
namespace {

constexpr int kSchemes = 32;
constexpr int kSegments = 8 * kSchemes;

}  // namespace

std::optional<Room> ModnnMachine::find_room(Bytes bytes, TaskId until, Search search) const {
  if (const auto hole = space_.find_hole(bytes)) {
    return Room{.first = *hole, .ready = space_[*hole].free_since.at};
  }
  return find_scheme(bytes, until, search);
}

bool ModnnMachine::may_leave(const Segment& segment, TaskId until) const {
  if (segment.holds != Segment::Holds::kTensor) return false;
  return !states_[segment.tensor.at()].fresh && next_use(segment.tensor) > until;
}

std::optional<Room> ModnnMachine::find_scheme(Bytes bytes, TaskId until, Search search) const {
  std::optional<Room> best;
  Duration best_delay;
  TaskId best_use;
  int tried = 0;
  int seen = 0;
  const SegmentId start = space_.rover();
  SegmentId first = start;
  do {
    Room room{.first = first, .segments = 0};
    Bytes total;
    Duration queue = queue_free_;
    TaskId soonest = make_id<TaskId>(problem_.graph.tasks.size());
    for (std::optional<SegmentId> id = first; id && total < bytes; id = space_.next(*id)) {
      const Segment& segment = space_[*id];
      ++seen;
      if (segment.holds == Segment::Holds::kNothing) {
        room.ready = std::max(room.ready, segment.free_since.at);
      } else if (may_leave(segment, until)) {
        const State& it = states_[segment.tensor.at()];
        room.ready = std::max(room.ready, it.used.at);
        if (!it.clean) {
          queue = left_by(queue, segment.tensor);
          room.ready = std::max(room.ready, queue);
        }
        soonest = std::min(soonest, next_use(segment.tensor));
      } else {
        break;
      }
      total += segment.bytes;
      ++room.segments;
    }
    if (total >= bytes) {
      const Duration delay = std::max(room.ready, now());
      ++tried;
      if (!best || delay < best_delay || (delay == best_delay && soonest > best_use)) {
        best = room;
        best_delay = delay;
        best_use = soonest;
      }
    }
    first = space_.next(first).value_or(space_.first());
  } while (first != start && tried < kSchemes &&
           (search == Search::kEverywhere || seen < kSegments));
  return best;
}

/// When its copy out would have ended, behind those that end with `queue`.
Duration ModnnMachine::left_by(Duration queue, TensorId tensor) const {
  return std::max(queue, states_[tensor.at()].written.at) +
         problem_.costs.transfers.to_far[tensor.at()].alone;
}

Duration ModnnMachine::ready_by_defragmenting() const {
  Duration queue = queue_free_;
  for (std::optional<SegmentId> id = space_.first(); id; id = space_.next(*id)) {
    if (space_[*id].holds != Segment::Holds::kTensor) continue;
    const State& it = states_[space_[*id].tensor.at()];
    if (it.where == Where::kNear && !it.clean) queue = left_by(queue, space_[*id].tensor);
  }
  queue = std::max(queue, compute_end_);
  for (const TensorId tensor : touched(task_)) {
    if (states_[tensor.at()].where == Where::kNear)
      queue += problem_.costs.transfers.to_near[tensor.at()].alone;
  }
  return queue;
}

/// Sends away what is there; the hole that is left.
SegmentId ModnnMachine::make_room(const Room& room) {
  if (space_[room.first].holds == Segment::Holds::kNothing && room.segments == 1) return room.first;
  std::vector<TensorId> leaving;
  std::optional<SegmentId> id = room.first;
  for (std::int32_t i = 0; i < room.segments; ++i, id = space_.next(*id)) {
    if (space_[*id].holds == Segment::Holds::kTensor) leaving.push_back(space_[*id].tensor);
  }
  SegmentId hole = room.first;
  for (const TensorId tensor : leaving) {
    offload(tensor);
    hole = last_hole_;
  }
  space_.set_rover(hole);
  return hole;
}

/// The end of a hole where the neighbour stays longer. What comes back counts the end of memory as a
/// neighbour that stays; what is made new does not, so that addresses are given out from the low end.
AddressSpace::Side ModnnMachine::better_side(SegmentId hole, bool comes_back) const {
  const auto stays_until = [&](const std::optional<SegmentId>& id) -> std::int32_t {
    if (!id || space_[*id].holds == Segment::Holds::kWorkspace) return -1;
    return job_.uses[space_[*id].tensor].back().index;
  };
  const auto next = space_.next(hole);
  const bool at_end = !next;
  if (at_end) return comes_back ? AddressSpace::Side::kHigh : AddressSpace::Side::kLow;
  const auto previous = space_.previous(hole);
  if (!previous) return AddressSpace::Side::kLow;
  return stays_until(next) > stays_until(previous) ? AddressSpace::Side::kHigh
                                                   : AddressSpace::Side::kLow;
}

void ModnnMachine::place(TensorId tensor, const Room& room) {
  State& it = state(tensor);
  const SegmentId hole = make_room(room);
  it.segment = space_.take(hole, bytes(tensor), Segment::Holds::kTensor, tensor,
                           better_side(hole, it.where == Where::kFar));
  it.where = Where::kPlaced;
}

}  // namespace ooc
