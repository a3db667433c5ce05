// One evaluation serves both bounds. With the fates of some items fixed, what is absent beyond them is taken from the
// others in parts: Z bytes are computed again, the cheapest first, the rest is copied out before and in behind. The time
// is a convex function of Z, so its least value is where it first rises. Bound A fixes nothing; B fixes one item after the
// other, the largest first, and goes on where the time is least.
#include "simulator/plan/mixed_cut.hpp"

#include <algorithm>
#include <queue>
#include <utility>

namespace ooc {
namespace {

/// Copies round up, and doubles lose a little: what has to fit into a time may miss it by so much.
constexpr double kSlackNs = 2;
constexpr double kSlackBytes = 0.5;
constexpr int kThirds = 40;
constexpr double kBeyond = 1e300;

}  // namespace

void MixedCut::prepare() {
  std::ranges::stable_sort(items_, std::ranges::greater{}, &CutItem::bytes);
  const std::size_t count = items_.size();
  bytes_from_.assign(count + 1, 0);
  clean_from_.assign(count + 1, 0);
  defined_from_.assign(count + 1, kBeyond);
  rest_from_.assign(count + 1, kBeyond);
  for (std::size_t i = count; i-- > 0;) {
    const CutItem& item = items_[i];
    bytes_from_[i] = bytes_from_[i + 1] + item.bytes;
    clean_from_[i] = clean_from_[i + 1] + (item.clean ? item.bytes : 0);
    defined_from_[i] = std::min(defined_from_[i + 1], item.clean ? kBeyond : item.defined);
    rest_from_[i] = std::min(rest_from_[i + 1], item.rest);
  }
  cheap_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (items_[i].price >= 0) cheap_.push_back(i);
  }
  std::ranges::sort(cheap_, [&](std::uint32_t a, std::uint32_t b) {
    const double left = items_[a].price * items_[b].bytes;
    const double right = items_[b].price * items_[a].bytes;
    return left != right ? left < right : a < b;
  });
}

MixedCut::Fixed MixedCut::add_up(const CutTask& task, const std::vector<Fate>& fates) {
  Fixed fixed;
  fixed.defined = fixed.rest = kBeyond;
  double longest = 0;
  double during_rest = kBeyond;
  for (std::size_t i = 0; i < fates.size(); ++i) {
    const CutItem& item = items_[i];
    const Fate fate = fates[i];
    const bool leaves_before = fate == Fate::kAway || fate == Fate::kComesIn;
    const bool comes_behind = fate == Fate::kAway || fate == Fate::kLeaves;
    if (leaves_before || fate == Fate::kDropped) fixed.start_absent += item.bytes;
    if (comes_behind || fate == Fate::kDropped) fixed.end_absent += item.bytes;
    if (fate == Fate::kDropped) fixed.again += item.price;
    if (leaves_before && !item.clean) {
      fixed.out_bytes += item.bytes;
      fixed.defined = std::min(fixed.defined, item.defined);
    }
    if (comes_behind) {
      fixed.in_behind += item.bytes;
      fixed.rest = std::min(fixed.rest, item.rest);
    }
    if (fate != Fate::kComesIn) continue;
    fixed.in_bytes += item.bytes;
    fixed.in_during += item.in;
    longest = std::max(longest, item.in);
    during_rest = std::min(during_rest, item.rest);
  }
  fixed.in_bytes += fixed.in_behind;
  // They begin one after the other while the task runs; only the last one may end behind it.
  fixed.possible = fixed.in_during - longest <= task.time + kSlackNs;
  if (longest > 0) fixed.during_take = fixed.in_during + during_rest;

  // The copies out of any number of those that are defined last begin behind the first definition among them.
  const auto collect = [&](auto takes_part, auto later) {
    order_.clear();
    for (std::uint32_t i = 0; i < fates.size(); ++i) {
      if (takes_part(i)) order_.push_back(i);
    }
    std::ranges::sort(order_, later);
  };
  collect(
      [&](std::uint32_t i) {
        return !items_[i].clean && (fates[i] == Fate::kAway || fates[i] == Fate::kComesIn);
      },
      [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(-items_[a].defined, a) < std::pair(-items_[b].defined, b);
      });
  double sum = 0;
  for (const std::uint32_t i : order_) {
    sum += items_[i].out;
    fixed.outs_end = std::max(fixed.outs_end, items_[i].defined + sum);
  }
  // And those in of those that are needed first end before the last need among them.
  collect([&](std::uint32_t i) { return fates[i] == Fate::kAway || fates[i] == Fate::kLeaves; },
          [&](std::uint32_t a, std::uint32_t b) {
            return std::pair(-items_[a].rest, a) < std::pair(-items_[b].rest, b);
          });
  sum = 0;
  for (const std::uint32_t i : order_) {
    sum += items_[i].in;
    fixed.ins_take = std::max(fixed.ins_take, sum + items_[i].rest);
  }
  return fixed;
}

/// `again_bytes` of the free items are computed again, in `again` ns.
double MixedCut::time_at(const CutTask& task, const Fixed& fixed, std::size_t depth,
                         double again_bytes, double again) const {
  const double start_needs = std::max(0.0, task.excess - fixed.start_absent);
  const double end_needs = std::max(0.0, task.excess - fixed.end_absent);
  const double free_out = std::max(0.0, start_needs - again_bytes - clean_from_[depth]);
  const double free_in = std::max(0.0, end_needs - again_bytes);
  // The first definition and the last need of whatever may be copied: the same for all Z, which keeps it convex.
  const double defined =
      start_needs > 0 ? std::min(fixed.defined, defined_from_[depth]) : fixed.defined;
  const double rest = end_needs > 0 ? std::min(fixed.rest, rest_from_[depth]) : fixed.rest;
  const double out = fixed.out_bytes + free_out;
  const double in_behind = fixed.in_behind + free_in;
  double start = std::max(task.before, fixed.outs_end);
  if (out > 0) start = std::max(start, defined + out * link_.out);
  const double ins_begin = std::max(task.time, fixed.in_during);
  double take = std::max({task.time + task.after + fixed.again + again, fixed.during_take,
                          ins_begin + fixed.ins_take});
  if (in_behind > 0) take = std::max(take, ins_begin + in_behind * link_.in + rest);
  double time = start + take;
  for (const ByteTimes::Joint& joint : link_.together) {
    time = std::max(time, out * joint.out + (fixed.in_bytes + free_in) * joint.in);
  }
  return time;
}

double MixedCut::value_of(const CutTask& task, const std::vector<Fate>& fates, double enough) {
  const Fixed fixed = add_up(task, fates);
  const std::size_t depth = fates.size();
  const double needs =
      std::max({0.0, task.excess - fixed.start_absent, task.excess - fixed.end_absent});
  if (!fixed.possible || needs > bytes_from_[depth] + kSlackBytes) return kNoPlan;
  double bytes = 0;
  double again = 0;
  double best = time_at(task, fixed, depth, 0, 0);
  // The corners of the price's curve, then within the two pieces beside the best one.
  struct Piece {
    double bytes = 0, again = 0, more_bytes = 0, more_again = 0;
  };
  std::array<Piece, 2> beside;
  std::size_t pieces = 0;
  for (const std::uint32_t i : cheap_) {
    if (i < depth || items_[i].bytes <= 0) continue;
    if (bytes >= needs || best <= enough) break;
    const CutItem& item = items_[i];
    const double part = std::min(item.bytes, needs - bytes);
    const Piece piece{bytes, again, part, item.price * part / item.bytes};
    bytes += piece.more_bytes;
    again += piece.more_again;
    const double time = time_at(task, fixed, depth, bytes, again);
    beside[0] = beside[1];
    beside[1] = piece;
    pieces = std::min<std::size_t>(2, pieces + 1);
    if (time > best) break;
    best = time;
  }
  for (std::size_t i = 2 - pieces; i < 2 && best > enough; ++i) {
    const Piece& piece = beside[i];
    const auto time = [&](double part) {
      return time_at(task, fixed, depth, piece.bytes + part * piece.more_bytes,
                     piece.again + part * piece.more_again);
    };
    double low = 0;
    double high = 1;
    for (int step = 0; step < kThirds; ++step) {
      const double first = low + (high - low) / 3;
      const double second = high - (high - low) / 3;
      (time(first) <= time(second) ? high : low) = time(first) <= time(second) ? second : first;
    }
    best = std::min(best, time(low));
  }
  return best;
}

double MixedCut::divisible(const CutTask& task, double enough) {
  if (task.excess <= 0) return task.before + task.time + task.after;
  return value_of(task, {}, enough);
}

double MixedCut::whole(const CutTask& task, long nodes, double enough) {
  if (task.excess <= 0) return task.before + task.time + task.after;
  const auto later = [](const Node& a, const Node& b) { return a.value > b.value; };
  std::priority_queue<Node, std::vector<Node>, decltype(later)> open(later);
  open.push({value_of(task, {}, 0), {}});
  double known = 0;
  while (!open.empty()) {
    const Node node = open.top();
    open.pop();
    known = std::max(known, node.value);
    if (known >= enough || nodes-- <= 0) return known;
    const std::size_t depth = node.fates.size();
    double start = 0;
    double end = 0;
    for (std::size_t i = 0; i < depth; ++i) {
      const Fate fate = node.fates[i];
      const bool both = fate == Fate::kAway || fate == Fate::kDropped;
      if (both || fate == Fate::kComesIn) start += items_[i].bytes;
      if (both || fate == Fate::kLeaves) end += items_[i].bytes;
    }
    // Nothing is taken in parts any more.
    if (std::min(start, end) >= task.excess || depth == items_.size()) return known;
    for (int fate = 0; fate < kFates; ++fate) {
      if (static_cast<Fate>(fate) == Fate::kDropped && items_[depth].price < 0) continue;
      Node child = node;
      child.fates.push_back(static_cast<Fate>(fate));
      child.value = std::max(node.value, value_of(task, child.fates, 0));
      if (child.value < kNoPlan) open.push(std::move(child));
    }
  }
  return kNoPlan;
}

}  // namespace ooc
