// The cuts of bounds A and B: for each task what is needed before and behind it, with the least that computing it again
// takes. Any set of cuts is valid; of graphs with very many tasks those with the greatest excess are looked at.
//
// Prices. A tensor that has left and is computed again takes all its forward writers, behind the task at the cut, since
// that one holds the compute queue. A writer's time is shared among what it writes by bytes: so one run that restores
// several counts once. Where a writer also reads something that nobody else reads and that is not saved (a convolution's
// output ahead of a normalisation in place), that has to be computed again too, or it was kept, or moved, in the tensor's
// stead; being no smaller it costs no less than keeping or moving the tensor itself, with its own definition.
#include "simulator/plan/bounds_mixed.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "simulator/plan/bounds.hpp"
#include "simulator/plan/mixed_cut.hpp"

namespace ooc {

Duration MixedBounds::best() const { return std::max({compute, divisible, whole}); }

namespace {

/// Tensors looked at in all for bound A; cuts for bound B, and evaluations of a tensor in each.
constexpr std::size_t kMostVisits = 40'000'000;
constexpr std::size_t kWholeCuts = 3;
constexpr std::size_t kAllCutsUpTo = 60;
constexpr long kWholeEffort = 400'000;
constexpr long kFewestNodes = 20;
/// Tasks whose algorithms are judged one by one, and steps to the highest bound that this gives.
constexpr std::size_t kJudgedTasks = 40;
constexpr int kJudgedSteps = 8;
/// Of the bound without that.
constexpr double kJudgedUpTo = 1.25;
/// Cuts below this share of the best are not calculated to the end; those above are candidates for bound B.
constexpr double kNearBest = 0.998;
/// What sums in doubles lose, and what copies round up to.
constexpr double kLost = 1e-9;
constexpr double kRoundedUp = 2;

ByteTimes byte_times(const TransferCosts& transfers) {
  const LinkSpeed speed = fastest_link(transfers);
  ByteTimes times{.out = ns_per_byte(speed.to_far), .in = ns_per_byte(speed.to_near)};
  for (std::size_t i = 0; i < times.together.size(); ++i) {
    times.together[i] = {ns_per_byte(speed.together[i].to_far),
                         ns_per_byte(speed.together[i].to_near)};
  }
  return times;
}

class MixedWalk {
 public:
  MixedWalk(const TrainingGraph& graph, const CostTable& costs, Bytes budget)
      : graph_(graph),
        costs_(costs),
        available_(static_cast<double>((budget - costs.static_bytes).count())),
        tensors_(graph.tensors.size()),
        cut_(byte_times(costs.transfers)) {}

  std::optional<MixedBounds> run(MixedEffort effort) {
    find_uses();
    if (!find_times()) return std::nullopt;
    find_prices();
    find_cuts();
    const double total = before_.back();
    const Duration compute(static_cast<std::int64_t>(total));
    MixedBounds bounds{compute, compute, compute};
    double best = total;
    const std::size_t most =
        std::max<std::size_t>(1, kMostVisits / std::max<std::size_t>(1, tensors_.size()));
    if (cuts_.size() > most) cuts_.resize(most);
    for (Cut& cut : cuts_) {
      gather(cut.task);
      const double enough = best * kNearBest;
      cut.time = at(cut.task, [&](const CutTask& task) { return cut_.divisible(task, enough); });
      if (cut.time < MixedCut::kNoPlan) best = std::max(best, cut.time);
    }
    bounds.divisible = std::max(compute, certain(best));
    bounds.whole = bounds.divisible;
    if (effort == MixedEffort::kWhole) bounds.whole = std::max(bounds.whole, whole(best));
    return bounds;
  }

 private:
  struct TensorFacts {
    double bytes = 0;
    std::int32_t defined = -1;  ///< first writer; -1: there from the start
    std::int32_t last_use = -1;
    std::int32_t last_forward_writer = -1;
    std::int32_t first_backward_writer = 0;
    double price = -1;
    double defined_at = 0;  ///< ns, of it or of what may be moved for it
    double out = 0;
    double in = 0;
  };
  struct Cut {
    std::int32_t task = 0;
    double excess = 0;
    double time = 0;  ///< bound A
  };

  [[nodiscard]] bool is_forward(std::size_t task) const {
    return (graph_.round_tasks > 0 ? task % graph_.round_tasks : task) < graph_.forward_tasks;
  }
  static std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

  void find_uses() {
    std::vector<std::pair<TensorId, TaskId>> uses;
    const auto tasks = static_cast<std::int32_t>(graph_.tasks.size());
    for (std::size_t x = 0; x < tensors_.size(); ++x) {
      tensors_[x].bytes = static_cast<double>(costs_.tensor_bytes[x].count());
      if (const auto& writer = graph_.lifetimes[x].first_writer)
        tensors_[x].defined = writer->index;
      tensors_[x].first_backward_writer = tasks;
      tensors_[x].out = static_cast<double>(costs_.transfers.to_far[x].alone.count());
      const auto in = costs_.transfers.to_near[x].alone;
      const bool faults = !costs_.transfers.faults.empty();
      tensors_[x].in = static_cast<double>(
          (faults ? std::min(in, costs_.transfers.faults[x].alone) : in).count());
    }
    for (std::int32_t t = 0; t < tasks; ++t) {
      for (const TensorId tensor : graph_.writes[TaskId{t}]) {
        TensorFacts& facts = tensors_[tensor.at()];
        if (is_forward(at(t))) {
          facts.last_forward_writer = t;
        } else {
          facts.first_backward_writer = std::min(facts.first_backward_writer, t);
        }
      }
      for (const auto row : {graph_.writes[TaskId{t}], graph_.reads[TaskId{t}]}) {
        for (const TensorId tensor : row) {
          if (tensors_[tensor.at()].last_use == t) continue;
          tensors_[tensor.at()].last_use = t;
          uses.emplace_back(tensor, TaskId{t});
        }
      }
    }
    uses_ = Csr<TensorId, TaskId>(tensors_.size(), uses);
  }

  /// Fastest algorithm that fits alone, by task; false if a task has none.
  bool find_times() {
    touched_ = touched_bytes(graph_, costs_);
    way_least_.assign(costs_.alternatives.size(), 0);
    if (!add_up_times()) return false;
    quickest_ = before_;
    return true;
  }

  /// Fastest allowed algorithms; false if a task has none.
  bool add_up_times() {
    before_.assign(1, 0);
    for (std::int32_t t = 0; t < static_cast<std::int32_t>(graph_.tasks.size()); ++t) {
      double least = MixedCut::kNoPlan;
      each_way(t, [&](const TaskAlternative& way, double&) {
        least = std::min(least, static_cast<double>(way.time.count()));
      });
      if (least >= MixedCut::kNoPlan) return false;
      before_.push_back(before_.back() + least);
    }
    return true;
  }

  /// Those that fit alone and are allowed, each with the time of which no plan that has it is quicker.
  template <class Visit>
  void each_way(std::int32_t task, Visit visit) {
    double* least = &way_least_[at(costs_.first_alternative[at(task)])];
    for (const TaskAlternative& way : costs_.alternatives_of(TaskId{task})) {
      const auto bytes = static_cast<double>((touched_[at(task)] + way.workspace).count());
      if (bytes <= available_ && *least < allowed_) visit(way, *least);
      ++least;
    }
  }

  /// Of a run of it, first or again.
  [[nodiscard]] double time_of(std::int32_t task) const {
    return quickest_[at(task) + 1] - quickest_[at(task)];
  }

  void find_prices() {
    std::vector<double> writes(graph_.tasks.size(), 0);
    std::vector<std::vector<std::int32_t>> writers(tensors_.size());
    std::vector<int> readers(tensors_.size(), 0);
    for (std::int32_t t = 0; t < static_cast<std::int32_t>(graph_.tasks.size()); ++t) {
      for (const TensorId tensor : graph_.reads[TaskId{t}]) ++readers[tensor.at()];
      for (const TensorId tensor : graph_.writes[TaskId{t}]) {
        writes[at(t)] += tensors_[tensor.at()].bytes;
        if (is_forward(at(t))) writers[tensor.at()].push_back(t);
      }
    }
    for (std::size_t x = 0; x < tensors_.size(); ++x) {
      TensorFacts& facts = tensors_[x];
      if (facts.defined >= 0) facts.defined_at = before_[at(facts.defined) + 1];
      if (facts.bytes <= 0 || facts.defined < 0 || !is_forward(at(facts.defined))) continue;
      facts.price = 0;
      for (const std::int32_t w : writers[x]) {
        facts.price += time_of(w) * (facts.bytes / writes[at(w)]);
      }
    }
    // What a writer reads has been written before, so its own price is known by then.
    std::vector<std::uint32_t> order(tensors_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(
        order, {}, [&](std::uint32_t each) { return tensors_[each].last_forward_writer; });
    const auto writes_alone = [&](std::size_t x) {
      return std::ranges::all_of(
          writers[x], [&](std::int32_t w) { return graph_.writes[TaskId{w}].size() == 1; });
    };
    for (const std::uint32_t x : order) {
      TensorFacts& facts = tensors_[x];
      if (facts.price < 0 || !writes_alone(x)) continue;
      const TensorFacts* dearest = nullptr;
      for (const std::int32_t w : writers[x]) {
        for (const TensorId tensor : graph_.reads[TaskId{w}]) {
          const TensorFacts& read = tensors_[tensor.at()];
          const bool passes = tensor.at() != x && read.price >= 0 && read.last_use <= w &&
                              read.bytes >= facts.bytes && readers[tensor.at()] == 1 &&
                              writes_alone(tensor.at());
          if (passes && (dearest == nullptr || read.price > dearest->price)) dearest = &read;
        }
      }
      if (dearest == nullptr) continue;
      facts.price += dearest->price;
      facts.defined_at = std::min(facts.defined_at, dearest->defined_at);
      facts.out = std::min(facts.out, dearest->out);
      facts.in = std::min(facts.in, dearest->in);
    }
  }

  /// Those with the greatest excess first.
  void find_cuts() {
    const std::size_t tasks = graph_.tasks.size();
    std::vector<double> change(tasks + 1, 0);
    for (const TensorFacts& facts : tensors_) {
      if (facts.last_use < 0) continue;
      change[at(std::max(facts.defined, 0))] += facts.bytes;
      change[at(facts.last_use) + 1] -= facts.bytes;
    }
    double live = 0;
    for (std::size_t t = 0; t < tasks; ++t) {
      live += change[t];
      live_.push_back(live);
      double workspace = -1;
      for (const TaskAlternative& way : costs_.alternatives_of(make_id<TaskId>(t))) {
        const auto bytes = static_cast<double>(way.workspace.count());
        if (workspace < 0 || bytes < workspace) workspace = bytes;
      }
      const double excess = live + workspace - available_;
      if (excess > 0) cuts_.push_back({static_cast<std::int32_t>(t), excess, 0});
    }
    std::ranges::stable_sort(cuts_, std::ranges::greater{}, &Cut::excess);
  }

  /// What is needed before and behind the task, and not by it.
  void gather(std::int32_t task) {
    std::vector<CutItem>& items = cut_.items();
    items.clear();
    const double total = before_.back();
    for (std::size_t x = 0; x < tensors_.size(); ++x) {
      const TensorFacts& facts = tensors_[x];
      if (facts.bytes <= 0 || facts.defined >= task || facts.last_use <= task) continue;
      const auto used = uses_[make_id<TensorId>(x)];
      const auto next = std::ranges::lower_bound(used, TaskId{task});
      if (next->index == task) continue;
      CutItem item{.bytes = facts.bytes,
                   .out = facts.out,
                   .in = facts.in,
                   .defined = facts.defined_at,
                   .rest = total - before_[next->at()],
                   .clean = facts.defined < 0};
      // What is not complete yet may be begun anew at no price that is certain.
      if (facts.first_backward_writer > task && facts.price >= 0) {
        item.price = facts.last_forward_writer > task ? 0 : facts.price;
      }
      items.push_back(item);
    }
    cut_.prepare();
  }

  /// Least over its algorithms.
  template <class Value>
  [[nodiscard]] double at(std::int32_t task, Value value) {
    double least = MixedCut::kNoPlan;
    each_way(task, [&](const TaskAlternative& way, double&) {
      least = std::min(least, value(cut_task(task, way)));
    });
    return least;
  }

  [[nodiscard]] CutTask cut_task(std::int32_t task, const TaskAlternative& way) const {
    return {.excess = live_[at(task)] + static_cast<double>(way.workspace.count()) - available_,
            .before = before_[at(task)],
            .time = static_cast<double>(way.time.count()),
            .after = before_.back() - before_[at(task) + 1]};
  }

  static Duration certain(double time) {
    return Duration(static_cast<std::int64_t>(std::max(0.0, time * (1 - kLost) - kRoundedUp)));
  }

  [[nodiscard]] Duration whole(double best) {
    std::ranges::stable_sort(cuts_, std::ranges::greater{}, &Cut::time);
    const std::size_t tasks = graph_.tasks.size();
    const std::size_t apart = tasks <= kAllCutsUpTo ? 0 : tasks / kAllCutsUpTo;
    const std::size_t most = tasks <= kAllCutsUpTo ? tasks : kWholeCuts;
    std::vector<std::int32_t> chosen;
    for (const Cut& cut : cuts_) {
      if (chosen.size() >= most) break;
      const bool near = std::ranges::any_of(
          chosen, [&](std::int32_t other) { return at(std::abs(other - cut.task)) < apart; });
      if (near || cut.time >= MixedCut::kNoPlan) continue;
      chosen.push_back(cut.task);
    }
    best = std::max(best, whole_of(chosen, MixedCut::kNoPlan));
    return certain(judge_algorithms(best, chosen));
  }

  /// Of what gather() found.
  [[nodiscard]] long nodes() {
    const auto items = static_cast<long>(cut_.items().size()) + 1;
    return std::max(kFewestNodes, kWholeEffort / (items * items));
  }

  /// The greatest of some cuts, or one that is no less than `enough`.
  [[nodiscard]] double whole_of(const std::vector<std::int32_t>& tasks, double enough) {
    double best = before_.back();
    for (const std::int32_t task : tasks) {
      if (best >= enough) break;
      gather(task);
      const double time =
          at(task, [&](const CutTask& cut) { return cut_.whole(cut, nodes(), enough); });
      if (time < MixedCut::kNoPlan) best = std::max(best, time);
    }
    return best;
  }

  /// A plan runs some task with an algorithm by which it takes `limit` or longer, or it has none of these: then the
  /// cuts hold without them. So the lesser of `limit` and that is a bound; the limit where they meet is looked for.
  [[nodiscard]] double judge_algorithms(double best, const std::vector<std::int32_t>& cuts) {
    const double most = best * kJudgedUpTo;
    judge_quick_algorithms(most);
    const auto without = [&](double limit, double enough) {
      allowed_ = limit;
      return add_up_times() ? whole_of(cuts, enough) : MixedCut::kNoPlan;
    };
    double low = best;
    double high = std::min(without(best + kRoundedUp, most), most);
    if (high > low && without(high, high) >= high) return high;
    for (int step = 0; step < kJudgedSteps && high > low + kRoundedUp; ++step) {
      const double middle = low + (high - low) / 2;
      (without(middle, middle) >= middle ? low : high) = middle;
    }
    return low;
  }

  /// Tasks where slower algorithms cost most: least time of a plan that has the quicker one.
  void judge_quick_algorithms(double most) {
    std::vector<std::pair<double, std::int32_t>> slower;
    for (const Cut& cut : cuts_) {
      double longest = 0;
      each_way(cut.task, [&](const TaskAlternative& way, double&) {
        longest = std::max(longest, static_cast<double>(way.time.count()));
      });
      const double more = longest - time_of(cut.task);
      if (more > 0) slower.emplace_back(-more, cut.task);
    }
    std::ranges::sort(slower);
    if (slower.size() > kJudgedTasks) slower.resize(kJudgedTasks);
    for (const auto& entry : slower) {
      const std::int32_t task = entry.second;
      gather(task);
      each_way(task, [&](const TaskAlternative& way, double& least) {
        least = cut_.whole(cut_task(task, way), nodes(), most);
      });
    }
  }

  const TrainingGraph& graph_;
  const CostTable& costs_;
  double available_;
  std::vector<TensorFacts> tensors_;
  Csr<TensorId, TaskId> uses_;
  std::vector<double> before_;     ///< by task, and one more: least compute before it
  std::vector<double> quickest_;   ///< the same with all algorithms allowed
  std::vector<double> way_least_;  ///< by alternative: no plan with it is known to be quicker
  double allowed_ =
      MixedCut::kNoPlan;        ///< only algorithms with which a plan may be quicker than that
  std::vector<Bytes> touched_;  ///< by task
  std::vector<double> live_;    ///< by task: bytes alive while it runs
  std::vector<Cut> cuts_;
  MixedCut cut_;
};

}  // namespace

std::optional<MixedBounds> bound_mixed(const TrainingGraph& graph, const CostTable& costs,
                                       Bytes budget, MixedEffort effort) {
  if (budget < costs.static_bytes) return std::nullopt;
  return MixedWalk(graph, costs, budget).run(effort);
}

}  // namespace ooc
