// The plan's queues gone through once, in the order of its steps, with nothing of the engine but what every run has to
// wait for: much quicker than building and running it, and mostly just as long.
#include <algorithm>

#include "simulator/schedules/mix_decoder.hpp"

namespace ooc {

std::int64_t MixDecoder::least_time() {
  constexpr std::int32_t kNone = -1;
  const std::size_t positions = list_.runs.size();
  // What is near at each position whatever the copies do: without the moves' prefetches.
  near_.assign(positions + 1, 0);
  for (std::size_t i = 0; i < list_.gaps.size(); ++i) {
    if (stays_[i] == 0) continue;
    near_[list_.gaps[i].first] += gap_bytes(i);
    near_[list_.gaps[i].end] -= gap_bytes(i);
  }
  leave_head_.assign(positions, kNone);
  idle_head_.assign(positions, kNone);
  leave_next_.resize(moves_.size());
  idle_next_.resize(moves_.size());
  far_since_.assign(list_.stays.size(), -1);
  out_end_.assign(list_.stays.size(), 0);
  for (std::size_t i = moves_.size(); i-- > 0;) {
    const std::size_t position = list_.gaps[moves_[i].gap].first - 1;
    idle_next_[i] = idle_head_[position];
    idle_head_[position] = static_cast<std::int32_t>(i);
  }
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    const StayGap& gap = list_.gaps[moves_[i].gap];
    if (!gap.written || far_since_[gap.stay] == static_cast<std::int64_t>(*gap.written)) continue;
    far_since_[gap.stay] = static_cast<std::int64_t>(*gap.written);
    std::int32_t* place = &leave_head_[*gap.written];  // by stay, as the plan has them
    while (*place != kNone &&
           list_.gaps[moves_[static_cast<std::size_t>(*place)].gap].stay < gap.stay) {
      place = &leave_next_[static_cast<std::size_t>(*place)];
    }
    leave_next_[i] = *place;
    *place = static_cast<std::int32_t>(i);
  }

  ends_.resize(positions);
  pending_.clear();
  std::size_t first_pending = 0;
  std::int64_t pending_bytes = 0;
  std::int64_t now = 0;
  std::int64_t out_free = 0;
  std::int64_t in_free = 0;
  std::int64_t kept = 0;
  std::size_t next_move = 0;
  const auto tensor_of = [&](std::size_t move) {
    return list_.stays[list_.gaps[moves_[move].gap].stay].tensor.at();
  };
  for (std::size_t position = 0; position < positions; ++position) {
    for (; next_move < moves_.size() && list_.gaps[moves_[next_move].gap].end == position;
         ++next_move) {
      const std::size_t stay = list_.gaps[moves_[next_move].gap].stay;
      const std::int64_t start =
          std::max({in_free, ends_[moves_[next_move].may_return_after], out_end_[stay]});
      in_free = start + facts_.in_time[tensor_of(next_move)];
      now = std::max(now, in_free);
    }
    kept += near_[position];
    const std::int64_t room = facts_.available - room_ - excess_[position] - kept;
    while (first_pending < pending_.size() &&
           (pending_[first_pending].end <= now || pending_bytes > room)) {
      now = std::max(now, pending_[first_pending].end);
      pending_bytes -= pending_[first_pending++].bytes;
    }
    const TaskRun& run = list_.runs[position];
    now += facts_.ways[run.task.at()][way_[position]].time;
    ends_[position] = now;
    for (std::int32_t i = leave_head_[position]; i != kNone;
         i = leave_next_[static_cast<std::size_t>(i)]) {
      const auto move = static_cast<std::size_t>(i);
      out_free = std::max(out_free, now) + facts_.out_time[tensor_of(move)];
      out_end_[list_.gaps[moves_[move].gap].stay] = out_free;
    }
    for (std::int32_t i = idle_head_[position]; i != kNone;
         i = idle_next_[static_cast<std::size_t>(i)]) {
      const auto move = static_cast<std::size_t>(i);
      const std::int64_t end = out_end_[list_.gaps[moves_[move].gap].stay];
      if (end <= now) continue;
      const std::int64_t bytes = facts_.bytes[tensor_of(move)];
      auto place = pending_.end();
      while (place != pending_.begin() + static_cast<std::ptrdiff_t>(first_pending) &&
             (place - 1)->end > end) {
        --place;
      }
      pending_.insert(place, {end, bytes});
      pending_bytes += bytes;
    }
  }
  return std::max({now, out_free, in_free});
}

}  // namespace ooc
