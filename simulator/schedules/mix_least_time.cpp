// The plan's queues gone through once, in the order of its steps, with nothing of the engine but what every run has to
// wait for: much quicker than building and running it, and mostly just as long.
#include <algorithm>

#include "simulator/schedules/mix_decoder.hpp"

namespace ooc {

std::int64_t MixDecoder::least_time() {
  const std::size_t positions = list_.runs.size();
  // What is near at each position whatever the copies do: without the moves' prefetches.
  near_.assign(positions + 1, 0);
  for (std::size_t i = 0; i < list_.gaps.size(); ++i) {
    if (stays_[i] == 0) continue;
    near_[list_.gaps[i].first] += gap_bytes(i);
    near_[list_.gaps[i].end] -= gap_bytes(i);
  }
  far_since_.assign(list_.stays.size(), -1);
  out_end_.assign(list_.stays.size(), 0);
  leaves_.clear();
  idles_.clear();
  for (std::uint32_t i = 0; i < moves_.size(); ++i) {
    const StayGap& gap = list_.gaps[moves_[i].gap];
    const auto stay = static_cast<std::uint32_t>(gap.stay);
    idles_.push_back({static_cast<std::uint32_t>(gap.first - 1), i, stay});
    if (!gap.written || far_since_[gap.stay] == static_cast<std::int64_t>(*gap.written)) continue;
    far_since_[gap.stay] = static_cast<std::int64_t>(*gap.written);
    leaves_.push_back(
        {static_cast<std::uint32_t>(*gap.written), stay, stay});  // by stay, as the plan has them
  }
  std::ranges::sort(leaves_);
  std::ranges::sort(idles_);

  ends_.resize(positions);
  pending_.clear();
  std::size_t first_pending = 0;
  std::int64_t pending_bytes = 0;
  std::int64_t now = 0;
  std::int64_t out_free = 0;
  std::int64_t in_free = 0;
  std::int64_t kept = 0;
  std::size_t next_move = 0;
  auto leave = leaves_.begin();
  auto idle = idles_.begin();
  const auto tensor_of = [&](std::size_t stay) { return list_.stays[stay].tensor.at(); };
  for (std::size_t position = 0; position < positions; ++position) {
    for (; next_move < moves_.size() && list_.gaps[moves_[next_move].gap].end == position;
         ++next_move) {
      const std::size_t stay = list_.gaps[moves_[next_move].gap].stay;
      const std::int64_t start =
          std::max({in_free, ends_[moves_[next_move].may_return_after], out_end_[stay]});
      in_free = start + facts_.in_time[tensor_of(stay)];
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
    now += facts_.algorithms[run.task.at()][algorithm_[position]].time;
    ends_[position] = now;
    for (; leave != leaves_.end() && leave->position == position; ++leave) {
      out_free = std::max(out_free, now) + facts_.out_time[tensor_of(leave->stay)];
      out_end_[leave->stay] = out_free;
    }
    for (; idle != idles_.end() && idle->position == position; ++idle) {
      const std::int64_t end = out_end_[idle->stay];
      if (end <= now) continue;
      const std::int64_t bytes = facts_.bytes[tensor_of(idle->stay)];
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
