// The cut is a shortest path over the forward tasks.
#include "simulator/schedules/mix_segments.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace ooc {
namespace {

/// Segments of more tasks are not looked at, but where few segments are asked for: it would be quadratic.
constexpr std::size_t kLongestSegment = 1000;
constexpr int kBisections = 16;
constexpr double kNotDropped = std::numeric_limits<double>::infinity();

}  // namespace

MixSegments::MixSegments(const MixFacts& facts) : facts_(facts) {
  for (std::uint32_t i = 0; i < facts.idle.size(); ++i) {
    if (facts.idle[i].droppable && !facts.idle[i].late) droppable_.push_back(i);
  }
  std::ranges::stable_sort(droppable_, {}, [&](std::uint32_t each) { return defined(each); });
  for (const IdleTime& idle : facts.idle) {
    const double copy = static_cast<double>(idle.bytes) * 1e9 / static_cast<double>(facts.rate);
    price_.push_back(static_cast<double>(idle.again) / copy);
  }
  begun_at_.resize(facts.forward);
  std::vector<std::vector<Ended>> last_used(facts.forward);
  for (const std::uint32_t idle : droppable_) {
    const std::int64_t bytes = facts.idle[idle].bytes;
    begun_at_[defined(idle)] += bytes;
    last_used[facts.idle[idle].read].push_back({defined(idle), bytes, price_[idle]});
    droppable_bytes_ += bytes;
  }
  for (std::uint32_t i = 0; i < facts.idle.size(); ++i) {
    if (!is_unread_checkpoint(i)) continue;
    const std::int64_t bytes = facts.idle[i].bytes;
    begun_at_[defined(i)] += bytes;
    last_used[facts.idle[i].from].push_back({defined(i), bytes, kNotDropped});
  }
  for (const std::vector<Ended>& ended : last_used) {
    ended_at_.begin_list();
    for (const Ended& each : ended) ended_at_.add(each);
  }
  ended_at_.end_all();
}

std::uint32_t MixSegments::defined(std::uint32_t idle) const {
  return facts_.written_first[facts_.idle[idle].tensor.at()];
}

bool MixSegments::is_unread_checkpoint(std::uint32_t idle) const {
  const IdleTime& time = facts_.idle[idle];
  return time.droppable && time.late && time.from < facts_.forward && time.from > defined(idle);
}

bool MixSegments::is_read_from_outside(const SegmentEnds& ends, TensorId tensor) const {
  const std::uint32_t written = facts_.written_first[tensor.at()];
  const std::uint32_t own = written < facts_.forward ? ends[written] : kNoSegment;
  const std::span<const std::uint32_t> uses = facts_.uses[tensor.at()];
  return std::ranges::any_of(uses, [&](std::uint32_t task) {
    return task < facts_.forward && ends[task] != kNoSegment && ends[task] != own &&
           !facts_.only_holds(task, tensor);
  });
}

SegmentEnds MixSegments::cut(std::int64_t most, double price) const {
  return std::move(cuts_within({&most, 1}, price, kLongestSegment).front());
}

/// What no segment can drop is no limit: of a long network most are the same.
std::vector<SegmentEnds> MixSegments::cuts(std::vector<std::int64_t> limits) const {
  std::int64_t window = 0;
  std::int64_t widest = 0;
  for (std::size_t t = 0; t < facts_.forward; ++t) {
    window += begun_at_[t];
    if (t >= kLongestSegment) window -= begun_at_[t - kLongestSegment];
    widest = std::max(widest, window);
  }
  for (std::int64_t& limit : limits) limit = std::min(limit, widest);
  limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
  return cuts_within(limits, kAnyPrice, kLongestSegment);
}

/// What a segment drops and what crosses its end hang on no limit, so all of them go through the segments together.
std::vector<SegmentEnds> MixSegments::cuts_within(std::span<const std::int64_t> limits,
                                                  double price, std::size_t longest) const {
  constexpr std::int64_t kNoWay = std::numeric_limits<std::int64_t>::max();
  const std::size_t forward = facts_.forward;
  const std::size_t all = limits.size();
  // By end and limit: bytes that cross, and one for each segment.
  std::vector<std::int64_t> least((forward + 1) * all, kNoWay);
  std::vector<std::uint32_t> begin((forward + 1) * all);
  std::fill_n(least.begin(), all, 0);
  for (std::size_t first = 0; first < forward; ++first) {
    std::int64_t dropped = 0;
    std::int64_t crossing = 0;
    std::size_t allowing = all;
    const std::size_t last = std::min(forward, first + longest);
    for (std::size_t t = first; t < last; ++t) {
      crossing += begun_at_[t];
      for (const Ended& each : ended_at_[t]) {
        if (each.defined < first) continue;
        crossing -= each.bytes;
        if (each.price <= price) dropped += each.bytes;
      }
      while (t > first && allowing > 0 && dropped > limits[allowing - 1]) --allowing;
      if (allowing == 0) break;
      const std::int64_t* from = &least[first * all];
      std::int64_t* to = &least[(t + 1) * all];
      for (std::size_t i = 0; i < allowing; ++i) {
        if (from[i] + crossing + 1 >= to[i]) continue;
        to[i] = from[i] + crossing + 1;
        begin[(t + 1) * all + i] = static_cast<std::uint32_t>(first);
      }
    }
  }
  std::vector<SegmentEnds> cuts(all, SegmentEnds(forward));
  for (std::size_t i = 0; i < all; ++i) {
    for (std::size_t end = forward; end > 0;) {
      const std::size_t start = begin[end * all + i];
      std::fill(cuts[i].begin() + static_cast<std::ptrdiff_t>(start),
                cuts[i].begin() + static_cast<std::ptrdiff_t>(end),
                static_cast<std::uint32_t>(end - 1));
      end = start;
    }
  }
  return cuts;
}

SegmentEnds MixSegments::cut_into(std::int64_t number) const {
  const auto count = [](const SegmentEnds& ends) {
    std::int64_t segments = 0;
    for (std::size_t t = 0; t < ends.size(); ++t) segments += ends[t] == t ? 1 : 0;
    return segments;
  };
  const auto cut_all = [&](std::int64_t most) {
    return std::move(cuts_within({&most, 1}, kAnyPrice, facts_.forward).front());
  };
  std::int64_t enough = droppable_bytes_;
  std::int64_t too_small = -1;
  for (int i = 0; i < kBisections && enough - too_small > 1; ++i) {
    const std::int64_t middle = too_small + (enough - too_small) / 2;
    (count(cut_all(middle)) <= number ? enough : too_small) = middle;
  }
  return cut_all(enough);
}

Decisions MixSegments::drop_within(const SegmentEnds& ends, double price,
                                   Treatment crossing) const {
  Decisions decisions = keep_all(facts_);
  const auto treatment_across = [&](std::uint32_t idle) {
    return is_read_from_outside(ends, facts_.idle[idle].tensor) ? crossing : Treatment::kKeep;
  };
  for (const std::uint32_t idle : droppable_) {
    const std::uint32_t end = ends[defined(idle)];
    const bool within = end != kNoSegment && facts_.idle[idle].read <= end;
    decisions.treatment[idle] =
        within ? (price_[idle] <= price ? Treatment::kDrop : crossing) : treatment_across(idle);
  }
  // What backward does not read but a later segment does is a checkpoint as well: without it, one segment computed again
  // would want the one before, and so on to the first. It is held only as long as a task that runs again wants it.
  for (std::uint32_t i = 0; i < facts_.idle.size(); ++i) {
    if (is_unread_checkpoint(i) && is_read_from_outside(ends, facts_.idle[i].tensor)) {
      decisions.treatment[i] = crossing;
    }
  }
  return decisions;
}

namespace {

constexpr int kRepairs = 24;

/// Keeps what is dropped and near again where memory is short.
class Repairer {
 public:
  Repairer(const MixFacts& facts, const MixDecoder& decoder, Decisions& decisions)
      : facts_(facts),
        list_(decoder.runs()),
        excess_(decoder.excess()),
        decisions_(decisions),
        changed_(facts.idle.size()) {
    for (std::size_t i = 0; i < list_.stays.size(); ++i) {
      if (list_.runs[list_.stays[i].first].again) made_again_.push_back(i);
    }
  }

  /// At the worst position of every series of positions that exceed. False where nothing could be done.
  bool run() {
    bool any = false;
    for (std::size_t i = 0; i < excess_.size(); ++i) {
      if (excess_[i] <= 0) continue;
      std::size_t top = i;
      for (; i < excess_.size() && excess_[i] > 0; ++i) {
        if (excess_[i] > excess_[top]) top = i;
      }
      any = relieve(top) || any;
    }
    return any;
  }

 private:
  /// The largest first, but nothing that the task at the peak touches; else all that runs again around it.
  bool relieve(std::size_t peak) {
    const auto touches = facts_.touches[list_.runs[peak].task.at()];
    std::vector<std::pair<std::int64_t, std::size_t>> in_the_way;
    for (const std::size_t i : made_again_) {
      const TensorStay& stay = list_.stays[i];
      const std::size_t tensor = stay.tensor.at();
      const bool touched = std::ranges::any_of(
          touches, [&](const TaskTouch& each) { return each.tensor == tensor; });
      if (stay.first > peak || stay.end <= peak || touched) continue;
      in_the_way.emplace_back(-facts_.bytes[tensor], tensor);
    }
    std::ranges::sort(in_the_way);
    bool any = false;
    std::int64_t over = excess_[peak];
    for (const auto& [less, tensor] : in_the_way) {
      if (over > 0 && keep(tensor, any)) over += less;
    }
    if (over <= 0) return any;
    std::size_t first = peak;
    while (first > 0 && list_.runs[first - 1].again) --first;
    for (std::size_t i = first; i < list_.runs.size() && list_.runs[i].again; ++i) {
      for (const TaskTouch& touch : facts_.touches[list_.runs[i].task.at()]) {
        if (touch.writes) keep(touch.tensor, any);
      }
    }
    return any;
  }

  /// False where it is not dropped. What only tasks that run again want is made for each of them.
  bool keep(std::size_t tensor, bool& any) {
    bool dropped = false;
    for (const std::uint32_t idle : facts_.idle_after[tensor]) {
      if (idle == kNoIndex) continue;
      Treatment& treatment = decisions_.treatment[idle];
      const Treatment kept = facts_.idle[idle].late ? Treatment::kDropEach : Treatment::kKeep;
      dropped = dropped || changed_[idle] != 0;
      if (treatment < Treatment::kDrop || treatment == kept) continue;
      treatment = kept;
      changed_[idle] = 1;
      dropped = any = true;
    }
    return dropped;
  }

  const MixFacts& facts_;
  const RunList& list_;
  const std::vector<std::int64_t>& excess_;
  Decisions& decisions_;
  std::vector<char> changed_;            ///< by idle time
  std::vector<std::size_t> made_again_;  ///< stays
};

}  // namespace

bool repair(const MixFacts& facts, MixDecoder& decoder, Decisions& decisions) {
  for (int pass = 0; pass < kRepairs; ++pass) {
    if (!decoder.list(decisions)) return false;
    if (decoder.place(decisions)) return true;
    if (!Repairer(facts, decoder, decisions).run()) return false;
  }
  return false;
}

}  // namespace ooc
