// vdnn-prefix: a grid of two numbers, how many layers from the front have their inputs moved and
// which one algorithm all convolutions run with; along the border of what fits, the fastest.
//
// The front of a network holds the largest maps, needed last: moving a prefix frees most for least. For each algorithm
// (the one without workspace, precomputed indices, GEMM, Winograd, FFT, FFT in tiles; where a convolution has not got
// it, the one without workspace) the shortest prefix that fits is looked for; less would not fit, more would only copy
// more. These plans, one an algorithm, are tried out and the fastest is kept; of equals the one with fewer moves, then
// the simpler algorithm.
//
// Example, four convolutions a b c d and a network input of 1 GB each; every task takes 2 s, or 1 s with 1 GB of workspace
// (Winograd). d's input c never moves. GB that each prefix needs, the sums in tests/unit/schedules_dyn_test.cpp:
//
//     moved          no workspace  Winograd
//     nothing                   5         6
//     data                      4         5
//     data, a                   4         5
//     data, a, b                4         5
//
// At 5 GB the border has two points: nothing moved without workspace, 22 s, and the data moved with
// Winograd, 13 s when a copy takes 4 s and 25 s when it takes 16: the trial decides.
//
// When it does not help: one algorithm for all gives up what vdnn-dyn's greedy choice gains; on networks whose large
// maps are not in front a prefix is the wrong set; and finding the border costs a walk per step of a search.
//
// Source: Synced, "How to Train a Very Large and Deep Model on One GPU?" (2017). Deviations: the prefix counts tensors
// in the order in which forward reads them last, flagged as for vdnn-all (what is not flagged never moves); the border
// is found by halving, which on graphs with skips may miss a shorter prefix that fits where a longer one does not.
#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "simulator/schedules/vdnn_common.hpp"

namespace ooc {
namespace {

enum class Family { kPlain, kPrecomputed, kGemm, kDirect, kWinograd, kFft, kFftTiling };
constexpr std::array kFamilies{Family::kPlain,    Family::kPrecomputed, Family::kGemm,
                               Family::kDirect,   Family::kWinograd,    Family::kFft,
                               Family::kFftTiling};

/// One algorithm goes by several names in the three passes.
Family family_of(Algorithm algorithm) {
  using enum Algorithm;
  constexpr std::pair<Algorithm, Family> kOthers[] = {{kImplicitPrecompGemm, Family::kPrecomputed},
                                                      {kAlgo1, Family::kPrecomputed},
                                                      {kAlgo3, Family::kPrecomputed},
                                                      {kGemm, Family::kGemm},
                                                      {kDirect, Family::kDirect},
                                                      {kWinograd, Family::kWinograd},
                                                      {kWinogradNonfused, Family::kWinograd},
                                                      {kFft, Family::kFft},
                                                      {kFftTiling, Family::kFftTiling}};
  const auto* known = std::ranges::find(kOthers, algorithm, &std::pair<Algorithm, Family>::first);
  return known == std::end(kOthers) ? Family::kPlain : known->second;
}

/// Algorithms by task; unset if no task has one of the family beside its first.
std::optional<std::vector<AlternativeId>> algorithms_of(const PlanningProblem& problem,
                                                        Family family) {
  std::vector<AlternativeId> chosen;
  bool any = family == Family::kPlain;
  for (TaskId task; task.at() < problem.graph.tasks.size(); ++task.index) {
    chosen.push_back(problem.costs.default_alternative(task));
    if (family == Family::kPlain) continue;
    AlternativeId algorithm = chosen.back();
    for (const TaskAlternative& each : problem.costs.alternatives_of(task)) {
      if (family_of(each.algorithm) == family) {
        chosen.back() = algorithm;
        any = true;
      }
      ++algorithm.index;
    }
  }
  if (!any) return std::nullopt;
  return chosen;
}

class Grid {
 public:
  explicit Grid(const PlanningProblem& problem) : problem_(problem) {
    const TrainingGraph& graph = problem.graph;
    const std::vector<bool> flagged = vdnn_flags(graph, &LayerModel::is_feature_extractor);
    for (std::size_t i = 0; i < flagged.size(); ++i) {
      if (flagged[i]) movable_.push_back(make_id<TensorId>(i));
    }
    std::ranges::stable_sort(
        movable_, {}, [&](TensorId each) { return *graph.lifetimes[each.at()].last_forward_use; });
  }

  PlanResult run() {
    std::vector<Point> border;
    for (const Family family : kFamilies) {
      if (auto algorithms = algorithms_of(problem_, family))
        levels_.push_back(*std::move(algorithms));
    }
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      if (const auto prefix = shortest(level)) border.push_back({*prefix, level});
    }
    if (border.empty()) return make(nearest());
    if (border.size() == 1) return make(border.front());
    std::ranges::stable_sort(border, {}, &Point::prefix);
    return fastest(border);
  }

 private:
  struct Point {
    std::size_t prefix;  ///< of movable_
    std::size_t level;
  };

  [[nodiscard]] std::vector<Section> sections(std::size_t prefix) const {
    std::vector<bool> flagged(problem_.graph.tensors.size());
    for (std::size_t i = 0; i < prefix; ++i) flagged[movable_[i].at()] = true;
    return vdnn_sections(problem_.graph, std::move(flagged));
  }

  [[nodiscard]] Bytes needed(const Point& point) const {
    return section_memory(problem_, sections(point.prefix))
        .smallest_budget(problem_.costs, levels_[point.level]);
  }
  [[nodiscard]] bool fits(const Point& point) const { return needed(point) <= problem_.budget; }

  [[nodiscard]] std::optional<std::size_t> shortest(std::size_t level) const {
    if (fits({0, level})) return 0;
    if (!fits({movable_.size(), level})) return std::nullopt;
    return nearest_that_fits(std::size_t{0}, movable_.size(), [&](std::size_t prefix) {
      return fits({prefix, level});
    });
  }

  /// What needs least of the points that decide whether anything fits.
  [[nodiscard]] Point nearest() const {
    Point best{0, 0};
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      for (const std::size_t prefix : {std::size_t{0}, movable_.size()}) {
        if (needed({prefix, level}) < needed(best)) best = {prefix, level};
      }
    }
    return best;
  }

  PlanResult fastest(const std::vector<Point>& border) const {
    Quickest best;
    for (const Point& point : border) best.offer(problem_, std::get<Plan>(make(point)));
    return *std::move(best.plan);
  }

  [[nodiscard]] PlanResult make(const Point& point) const {
    PlanningProblem with_algorithms = problem_;
    with_algorithms.by_task = &levels_[point.level];
    return plan_sections(with_algorithms, sections(point.prefix));
  }

  const PlanningProblem& problem_;
  std::vector<TensorId> movable_;  ///< in the order of their last forward use
  std::vector<std::vector<AlternativeId>> levels_;
};

PlanResult plan_vdnn_prefix(const PlanningProblem& problem) { return Grid(problem).run(); }

}  // namespace

extern const Schedule vdnn_prefix_schedule{
    .name = "vdnn-prefix",
    .summary = "move the inputs of the first layers, as few as fit, with one algorithm for all",
    .source = "Synced (2017)",
    .traits = {Trait::kPlansForLink, Trait::kChoosesAlgorithms, Trait::kSearchesByTrial},
    .make_plan = plan_vdnn_prefix,
};

}  // namespace ooc
