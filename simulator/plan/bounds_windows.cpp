// Bound 4: the longest path over windows between tasks. For tasks a < b, what must be copied out between
// the end of a and the start of b (not near in b, written by a or later) takes link time, and so does what
// must be copied in (not near in a, used by b or earlier). Each such window is a difference constraint
// between two starts, and the longest path through all of them is a lower bound on the iteration.
//
// Computed backwards: rest(a) = time from the start of a to the end. For one a, three running sums give
// every window to the tasks b behind it:
//   written(b)  bytes alive across b, untouched by it, first written by a or later: what exceeds the
//               budget in b beyond bytes that may have gone out earlier is in - across(b) + written(b)
//   used(b)     bytes alive across a, untouched by it, whose next use is b or earlier.
// As a moves back by one task only the tensors it touches change these sums, so they are kept as
// differences: O(uses) to keep and one addition per pair to read. Estimates are compared in doubles first;
// only those within the rounding error of the best are calculated exactly.
//
// No copy of a window takes longer than that of the largest excess, both ways at once. So a window that ends where even
// with that time the path is shorter than what is known is not looked at, nor any behind it; and as what is known only
// grows while a moves back, where they end only moves back, too.
//
// Left out because they cannot improve the path: maxima over windows nested in (a, b) of one direction
// alone (the nested window is a pair of its own). For both directions together they are kept.
#include <algorithm>

#include "model/base/errors.hpp"
#include "simulator/plan/bounds.hpp"

namespace ooc {
namespace {

/// A path ends here at the latest, so that sums cannot overflow.
constexpr std::int64_t kNever = std::int64_t{1} << 62;

/// Of estimates in doubles: the ns that copies round up to, and what doubles lose.
constexpr double kRounding = 4;
constexpr double kPrecision = 1e-12;

Csr<TensorId, TaskId> uses_of_tensors(const TrainingGraph& graph) {
  std::vector<std::pair<TensorId, TaskId>> pairs;
  pairs.reserve(graph.reads.item_count() + graph.writes.item_count());
  for_each_touch(graph, [&](TaskId task, TensorId tensor) { pairs.emplace_back(tensor, task); });
  return {graph.tensors.size(), pairs};
}

/// Tasks that windows begin and end at: all, or the first one, local maxima of pressure (the largest
/// first) and tasks at equal distances.
std::vector<std::size_t> choose_positions(std::size_t tasks, const std::vector<Cut>& cuts,
                                          std::size_t most) {
  std::vector<std::size_t> chosen;
  if (tasks <= most) {
    for (std::size_t i = 0; i < tasks; ++i) chosen.push_back(i);
    return chosen;
  }
  std::vector<std::pair<Bytes, std::size_t>> peaks;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const bool above_left = i == 0 || cuts[i - 1].in <= cuts[i].in;
    const bool above_right = i + 1 == cuts.size() || cuts[i + 1].in <= cuts[i].in;
    if (above_left && above_right) peaks.emplace_back(cuts[i].in, cuts[i].task.at());
  }
  std::ranges::sort(peaks, std::greater<>());
  const std::size_t half = std::max<std::size_t>(1, most / 2);
  for (std::size_t i = 0; i < half; ++i) chosen.push_back(i * tasks / half);
  for (std::size_t i = 0; i < peaks.size() && i < most - half; ++i) {
    chosen.push_back(peaks[i].second);
  }
  std::ranges::sort(chosen);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

class WindowWalk {
 public:
  WindowWalk(const TrainingGraph& graph, const CostTable& costs, const MemoryPressure& pressure,
             std::size_t most)
      : graph_(graph),
        costs_(costs),
        pressure_(pressure),
        speed_(fastest_link(costs.transfers)),
        far_(ns_per_byte(speed_.to_far)),
        near_(ns_per_byte(speed_.to_near)),
        far1_(ns_per_byte(speed_.together[0].to_far)),
        near1_(ns_per_byte(speed_.together[0].to_near)),
        far2_(ns_per_byte(speed_.together[1].to_far)),
        near2_(ns_per_byte(speed_.together[1].to_near)),
        // At full duplex the mean of two windows in opposite directions is never the larger one.
        joint_(!speed_.independent()),
        uses_(uses_of_tensors(graph)),
        positions_(choose_positions(graph.tasks.size(), pressure.cuts, most)),
        rank_at_(graph.tasks.size() + 1),
        next_use_rank_(graph.tensors.size()),
        in_(positions_.size()),
        across_(positions_.size()),
        written_(positions_.size() + 1),
        used_(positions_.size() + 1),
        widest_in_(positions_.size()),
        rest_(positions_.size()),
        rest_estimate_(positions_.size()),
        end_(positions_.size()) {
    for (std::size_t task = 0, rank = 0; task < rank_at_.size(); ++task) {
      while (rank < positions_.size() && positions_[rank] < task) ++rank;
      rank_at_[task] = rank;
    }
    find_excess();
  }

  Duration run() {
    std::size_t rank = positions_.size();
    for (std::size_t i = graph_.tasks.size(); i-- > 0;) {
      const TaskId task = make_id<TaskId>(i);
      for_each_touched(graph_, task, [&](TensorId tensor) { arrive(tensor, task); });
      if (rank > 0 && positions_[rank - 1] == i) relax(--rank);
      for_each_touched(graph_, task, [&](TensorId tensor) { depart(tensor, task); });
    }
    return Duration(rest_.front());
  }

 private:
  [[nodiscard]] std::int64_t bytes(TensorId tensor) const {
    return costs_.tensor_bytes[tensor.at()].count();
  }
  [[nodiscard]] std::int64_t before(std::size_t task) const {
    return pressure_.before[task].count();
  }

  /// `in_` and `across_` by rank: the excess, and the bytes alive across the task and untouched by it.
  void find_excess() {
    for (const Cut& cut : pressure_.cuts) {
      const std::size_t rank = rank_at_[cut.task.at()];
      if (rank == positions_.size() || positions_[rank] != cut.task.at()) continue;
      in_[rank] = cut.in.count();
      last_cut_ = rank;
    }
    const std::int64_t most = *std::ranges::max_element(in_);
    longest_copy_ = estimate({.out = most, .in = most, .most_out = most, .most_in = most});
    std::vector<std::int64_t> change(graph_.tasks.size() + 1);
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      const TensorId tensor = make_id<TensorId>(i);
      const auto uses = uses_[tensor];
      if (uses.empty()) continue;
      if (!graph_.lifetimes[i].first_writer) change[0] += bytes(tensor);
      for (std::size_t u = 0; u < uses.size(); ++u) {
        const bool resident_before = u > 0 || !graph_.lifetimes[i].first_writer;
        if (resident_before) change[uses[u].at()] -= bytes(tensor);
        if (u + 1 < uses.size()) change[uses[u].at() + 1] += bytes(tensor);
      }
    }
    std::int64_t sum = 0;
    for (std::size_t task = 0, rank = 0; rank < positions_.size(); ++task) {
      sum += change[task];
      if (positions_[rank] == task) across_[rank++] = sum;
    }
  }

  /// The walk comes to a task that touches the tensor: until it has passed, the tensor is not across.
  void arrive(TensorId tensor, TaskId task) {
    const Lifetime& life = graph_.lifetimes[tensor.at()];
    if (life.last_use != task) used_[next_use_rank_[tensor.at()]] -= bytes(tensor);
    if (life.first_writer != task) return;
    // Written here or later, for this and all earlier tasks: counts wherever it is across.
    const auto uses = uses_[tensor];
    for (std::size_t u = 0; u + 1 < uses.size(); ++u) {
      const std::size_t first = rank_at_[uses[u].at() + 1];
      const std::size_t end = rank_at_[uses[u + 1].at()];
      if (first >= end) continue;
      written_[first] += bytes(tensor);
      written_[end] -= bytes(tensor);
    }
  }

  void depart(TensorId tensor, TaskId task) {
    if (graph_.lifetimes[tensor.at()].first_writer == task) return;
    const std::size_t rank = rank_at_[task.at()];
    next_use_rank_[tensor.at()] = rank;
    used_[rank] += bytes(tensor);
  }

  /// A window behind the task at hand: bytes out and in, and the most of each within its time.
  struct Window {
    std::int64_t out = 0;
    std::int64_t in = 0;
    std::int64_t most_out = 0;
    std::int64_t most_in = 0;
  };

  /// Calls visit(rank, window) for the windows from `rank` that can matter.
  template <class Visit>
  void for_each_window(std::size_t rank, Visit visit) {
    std::int64_t written = 0;
    std::int64_t used = 0;
    std::int64_t widest_out = 0;
    const std::int64_t absent = in_[rank] - across_[rank];
    for (std::size_t b = rank + 1; b < end_; ++b) {
      written += written_[b];
      used += used_[b];
      Window window{.out = in_[b] - across_[b] + written, .in = absent + used};
      if (in_[b] == 0) window.out = 0;
      if (in_[rank] == 0) window.in = 0;
      bool any_behind = true;
      if (joint_) {
        widest_out = std::max(widest_out, window.out);
        widest_in_[b] = std::max(widest_in_[b], window.in);
        window.most_out = widest_out;
        window.most_in = widest_in_[b];
      } else {
        // Else nothing behind needs more time, and starts later.
        any_behind = b < last_cut_ || (in_[rank] != 0 && used != across_[rank]);
      }
      visit(b, window);  // in one place only, so that it is inlined
      if (!any_behind) return;
    }
  }

  void relax(std::size_t rank) {
    const std::size_t task = positions_[rank];
    const bool last = rank + 1 == positions_.size();
    const std::size_t following = last ? graph_.tasks.size() : positions_[rank + 1];
    std::int64_t best = before(following) - before(task) + (last ? 0 : rest_[rank + 1]);
    if (!pressure_.cuts.empty()) best = std::max(best, longest_window(rank, best));
    rest_[rank] = std::min(best, kNever);
    rest_estimate_[rank] = static_cast<double>(best);
  }

  /// A window whose estimate came within the rounding error of the best so far.
  struct Contender {
    double estimate = 0;
    std::size_t rank = 0;
    Window window;
  };

  [[nodiscard]] double estimate(const Window& window) const {
    const auto out = static_cast<double>(window.most_out);
    const auto in = static_cast<double>(window.most_in);
    return std::max({static_cast<double>(window.out) * far_, static_cast<double>(window.in) * near_,
                     out * far1_ + in * near1_, out * far2_ + in * near2_});
  }

  std::int64_t longest_window(std::size_t rank, std::int64_t without) {
    const std::int64_t duration = before(positions_[rank] + 1) - before(positions_[rank]);
    contenders_.clear();
    // Nothing that ends before this is of interest.
    double best = static_cast<double>(without - duration);
    double margin = kRounding + best * kPrecision;
    const double least = best - 2 * margin - longest_copy_;
    while (end_ > rank + 1 && rest_estimate_[end_ - 1] < least) --end_;
    for_each_window(rank, [&](std::size_t b, const Window& window) {
      const double path = estimate(window) + rest_estimate_[b];
      if (path < best - margin) return;
      if (path > best + margin) contenders_.clear();
      if (path > best) {
        best = path;
        margin = kRounding + best * kPrecision;
      }
      contenders_.push_back({path, b, window});
    });
    std::int64_t longest = without;
    for (const Contender& it : contenders_) {
      if (it.estimate < best - margin) continue;
      longest = std::max(longest, duration + exact_time(it.window) + rest_[it.rank]);
    }
    return longest;
  }

  [[nodiscard]] std::int64_t exact_time(const Window& window) const {
    const auto time = [](std::int64_t count, BytesPerSecond rate) {
      return count <= 0 ? 0 : transfer_time(Bytes(count), rate).count();
    };
    const Duration both = speed_.time_together(Bytes(window.most_out), Bytes(window.most_in));
    return std::max(
        {time(window.out, speed_.to_far), time(window.in, speed_.to_near), both.count()});
  }

  const TrainingGraph& graph_;
  const CostTable& costs_;
  const MemoryPressure& pressure_;
  LinkSpeed speed_;
  double far_, near_, far1_, near1_, far2_,
      near2_;  ///< ns a byte: alone, and in the two mixes of both
  bool joint_;
  Csr<TensorId, TaskId> uses_;
  std::vector<std::size_t> positions_;
  std::vector<std::size_t> rank_at_;        ///< by task: first rank at or behind it
  std::vector<std::size_t> next_use_rank_;  ///< by tensor
  std::vector<std::int64_t> in_;            ///< by rank: bytes that cannot be near
  std::vector<std::int64_t> across_;        ///< by rank: alive across it and untouched
  std::vector<std::int64_t> written_;       ///< differences over ranks, see the head
  std::vector<std::int64_t> used_;
  std::vector<std::int64_t> widest_in_;  ///< by rank b: most bytes in of windows that end at b
  std::vector<std::int64_t> rest_;       ///< by rank: least time from its start to the end
  std::vector<double> rest_estimate_;
  std::vector<Contender> contenders_;
  std::size_t last_cut_ = 0;
  double longest_copy_ = 0;  ///< ns
  std::size_t end_;          ///< of the ranks at which windows may end
};

}  // namespace

Duration bound_windows(const TrainingGraph& graph, const CostTable& costs,
                       const MemoryPressure& pressure, std::size_t max_positions) {
  OOC_CHECK(pressure.feasible, "bounds exist where every task fits");
  if (pressure.cuts.empty() || max_positions < 2) return pressure.before.back();
  const std::size_t most = graph.tasks.size() <= max_positions
                               ? max_positions
                               : std::max<std::size_t>(2, max_positions / 2);
  const Duration rest = WindowWalk(graph, costs, pressure, most).run();
  return std::max(rest, pressure.before.back());
}

}  // namespace ooc
