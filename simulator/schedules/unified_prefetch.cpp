// unified-prefetch: unified memory with prefetches in the backward pass. When the backward pass reaches layer l, what layer
// l-1 will read is asked for at once (cudaMemPrefetchAsync) and comes while l computes; what is not there in time, or was
// evicted again, comes by page fault as under `unified`. Swapping out is left to the driver: what came first goes first.
//
// Example as in unified.cpp, at 4 GB of memory: a leaves before d.bw, 200 to 300 ms, as there. When b.bw starts,
// at 500, a is fetched beside it and is there at 600, when a.bw wants it: 700 ms instead of 800. At 3 GB there
// is no room for a beside b and the gradients of b and a: 1000 ms, as on demand.
//
// When it does not help: while the forward pass waits for copies out, and where copies take longer than the
// layer beside which they run. One layer ahead hides one layer's compute at most.
//
// More memory or a faster link can make it slower: it evicts as unified does (tests/property/monotony_test.cpp).
//
// Source: OOC-Paleo, section 4.3 (UM-Chainer with prefetch, after OC-Caffe). As the order of arrival is the reverse of
// the order in which backward needs things, it keeps what is near the turn, like the capacity strategy there.
// Deviations: those of unified; a prefetch that would evict what the task beside it or itself needs is not made.
#include "simulator/schedules/paging.hpp"

namespace ooc {

extern const Schedule unified_prefetch_schedule{
    .name = "unified-prefetch",
    .summary = "unified memory that fetches what the next layer of the backward pass reads",
    .source = "OOC-Paleo, section 4.3",
    .traits = {Trait::kMovesPages, Trait::kPrefetchesPages, Trait::kMovesOnlyWhatItMust},
    .options = kAlgorithmsAlone,
    .make_plan =
        [](const PlanningProblem& problem) { return plan_paging(problem, Prefetch::kNextLayer); },
};

}  // namespace ooc
