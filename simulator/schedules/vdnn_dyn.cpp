// vdnn-dyn: vDNN's dynamic policy. What to move and which algorithms to run convolutions with are
// chosen together, from seven candidates in order of preference: the first whose peak fits wins.
//
//     moves     algorithms    why it stands there
//     nothing   fastest       what everybody wants
//     conv      fastest       copies hide best behind convolutions
//     all       fastest       more room, slower copies
//     conv      greedy        fast where there happens to be room
//     all       greedy
//     conv      no workspace
//     all       no workspace  the least memory; if this does not fit, nothing does
//
// Greedy walks the iteration once and gives each convolution the fastest algorithm whose workspace
// fits into the bytes that are free at that moment. Moves are those of vdnn-all and vdnn-conv
// (vdnn_common.cpp), with their barriers; nothing moved is in-core.
//
// Example, four convolutions a b c d and a network input of 1 GB each; every task takes 2 s, or 1 s with
// 1 GB of workspace; copies of 2 s (tests/unit/schedules_dyn_test.cpp has the sums):
//
//     candidate            needs  time
//     nothing, fastest      6 GB  11 s   11 tasks
//     conv, fastest         5 GB  13 s   two forward sections wait for their copy; all: the same here
//     conv, greedy          4 GB  17 s   backward of c and b finds no room for workspace
//
// At 5 GB the second is taken, at 4 GB the third, and less does not suffice.
//
// When it does not help: where workspaces are small against the maps nothing is gained over vdnn-all;
// the order is a belief about speed, and on a fast link "all, fastest" may beat "conv, greedy".
// `--trials time` (ours) tries all candidates that fit and takes the fastest; of equals the first.
//
// More memory or a faster link can make it slower: it takes the first plan that fits, not the quickest (tests/property/monotony_test.cpp).
//
// Source: Rhu et al., vDNN (MICRO 2016), III.C. Deviations: the paper finds out what fits by running the candidates,
// here section sums say it; its first test, whether all + no workspace fits at all, is the last candidate here: on its
// networks that is the one that needs least, on odd graphs another may, and is taken. Greedy needs no more than no
// workspace does, so by order the last two are never reached; they are tried by time.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "simulator/schedules/vdnn_common.hpp"

namespace ooc {
namespace {

enum class Moves { kNothing, kConv, kAll };
enum class Algorithms { kMemory, kPerformance, kGreedy };

struct Candidate {
  Moves moves;
  Algorithms algorithms;
};

constexpr std::array<Candidate, 7> kCandidates{{{Moves::kNothing, Algorithms::kPerformance},
                                                {Moves::kConv, Algorithms::kPerformance},
                                                {Moves::kAll, Algorithms::kPerformance},
                                                {Moves::kConv, Algorithms::kGreedy},
                                                {Moves::kAll, Algorithms::kGreedy},
                                                {Moves::kConv, Algorithms::kMemory},
                                                {Moves::kAll, Algorithms::kMemory}}};

/// Nothing moves and nothing is held longer than in-core holds it.
std::vector<Section> task_by_task(const TrainingGraph& graph) {
  std::vector<Section> sections;
  sections.reserve(graph.tasks.size());
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    sections.push_back({.first_task = i, .end_task = i + 1});
  }
  return sections;
}

class DynChooser {
 public:
  explicit DynChooser(const PlanningProblem& problem) : problem_(problem) {
    fixed_[index(Algorithms::kMemory)] = by_rule(AlgorithmChoice::kMemory);
    fixed_[index(Algorithms::kPerformance)] = by_rule(AlgorithmChoice::kPerformance);
  }

  PlanResult run() {
    Quickest best;
    for (const Candidate& candidate : kCandidates) {
      if (smallest_budget(candidate) > problem_.budget) continue;
      Plan plan = std::get<Plan>(make(candidate));
      if (problem_.options.trials == Trials::kOrder) return plan;
      best.offer(problem_, std::move(plan));
    }
    if (best.plan) return *std::move(best.plan);
    return make(*std::ranges::min_element(
        kCandidates, {}, [&](const Candidate& each) { return smallest_budget(each); }));
  }

 private:
  struct Policy {
    std::vector<Section> sections;
    SectionMemory memory;
  };

  static std::size_t index(Algorithms algorithms) { return static_cast<std::size_t>(algorithms); }

  std::vector<AlternativeId> by_rule(AlgorithmChoice rule) const {
    std::vector<AlternativeId> chosen;
    chosen.reserve(problem_.graph.tasks.size());
    for (std::size_t i = 0; i < problem_.graph.tasks.size(); ++i) {
      chosen.push_back(problem_.costs.alternative(make_id<TaskId>(i), rule));
    }
    return chosen;
  }

  std::vector<Section> sections_of(Moves moves) const {
    const TrainingGraph& graph = problem_.graph;
    if (moves == Moves::kNothing) return task_by_task(graph);
    return vdnn_sections(
        graph, vdnn_flags(graph, moves == Moves::kConv ? &LayerModel::is_convolution
                                                       : &LayerModel::is_feature_extractor));
  }

  /// Made when first asked for.
  const Policy& policy(Moves moves) {
    std::optional<Policy>& made = policies_[static_cast<std::size_t>(moves)];
    if (!made) {
      made.emplace();
      made->sections = sections_of(moves);
      made->memory = section_memory(problem_, made->sections);
    }
    return *made;
  }

  Bytes smallest_budget(const Candidate& candidate) {
    // Greedy takes what is left beside what runs without workspace.
    const Algorithms algorithms =
        candidate.algorithms == Algorithms::kGreedy ? Algorithms::kMemory : candidate.algorithms;
    return policy(candidate.moves)
        .memory.smallest_budget(problem_.costs, fixed_[index(algorithms)]);
  }

  std::vector<AlternativeId> greedy(const SectionMemory& memory) const {
    std::vector<AlternativeId> chosen = fixed_[index(Algorithms::kMemory)];
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const Bytes free =
          problem_.budget - problem_.costs.static_bytes - memory.held[memory.section_of[i]];
      AlternativeId algorithm = chosen[i];
      for (const TaskAlternative& each : problem_.costs.alternatives_of(make_id<TaskId>(i))) {
        const bool faster = each.time < problem_.costs[chosen[i]].time;
        if (faster && each.workspace <= free) chosen[i] = algorithm;
        ++algorithm.index;
      }
    }
    return chosen;
  }

  PlanResult make(const Candidate& candidate) {
    const Policy& made = policy(candidate.moves);
    std::vector<AlternativeId> own;
    if (candidate.algorithms == Algorithms::kGreedy) own = greedy(made.memory);
    PlanningProblem with_algorithms = problem_;
    with_algorithms.by_task =
        candidate.algorithms == Algorithms::kGreedy ? &own : &fixed_[index(candidate.algorithms)];
    return plan_sections(with_algorithms, made.sections);
  }

  const PlanningProblem& problem_;
  std::array<std::vector<AlternativeId>, 2> fixed_;  ///< without workspace, fastest
  std::array<std::optional<Policy>, 3> policies_;
};

PlanResult plan_vdnn_dyn(const PlanningProblem& problem) { return DynChooser(problem).run(); }

constexpr std::string_view kVdnnDynOptions[] = {"--trials"};

}  // namespace

extern const Schedule vdnn_dyn_schedule{
    .name = "vdnn-dyn",
    .summary = "the first that fits of: move nothing, convolutions' inputs, all; fast algorithms",
    .source = "Rhu et al., vDNN (MICRO 2016), III.C",
    .traits = {Trait::kPlansForLink, Trait::kChoosesAlgorithms, Trait::kSearchesByTrial},
    .options = kVdnnDynOptions,
    .make_plan = plan_vdnn_dyn,
};

}  // namespace ooc
