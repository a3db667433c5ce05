// unified-prefetch+: unified memory with prefetches in both directions. Beside what unified-prefetch fetches, room for the
// next task is made while this one runs: what came first is sent to far memory (cudaMemPrefetchAsync to the host) and no
// fault waits for an eviction whose copy is hidden.
//
// Example as in unified.cpp, at 4 GB of memory: a leaves beside d.fw, 150 to 250 ms, as the gradient of c needs its room;
// d.bw waits for it until 250. b.bw starts at 450, and a is fetched beside it: 650 ms instead of 700.
//
// When it does not help: where copies out take longer than the task beside which they run, and where the task at hand
// and the next one together leave nothing that may go.
//
// More memory or a faster link can make it slower: it evicts as unified does (tests/property/monotony_test.cpp).
//
// Source: OOC-Paleo, fig. 7, has a curve "UM-prefetch+" and says that it "applied prefetch strategies" (4.3), not which.
// That the other direction is what it adds is our reading: its text compares the whole with the capacity strategy, whose
// copies out run beside tasks. Deviations: those of unified-prefetch.
#include "simulator/schedules/paging.hpp"

namespace ooc {

extern const Schedule unified_prefetchp_schedule{
    .name = "unified-prefetch+",
    .summary = "unified-prefetch that also sends pages out before their room is needed",
    .source = "OOC-Paleo, fig. 7",
    .traits = {Trait::kMovesPages, Trait::kPrefetchesPages, Trait::kMovesOnlyWhatItMust},
    .options = kAlgorithmsAlone,
    .make_plan =
        [](const PlanningProblem& problem) { return plan_paging(problem, Prefetch::kBothWays); },
};

}  // namespace ooc
