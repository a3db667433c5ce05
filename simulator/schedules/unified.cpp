// unified: unified memory on demand. Nothing is planned: a kernel that touches pages which are not near
// stands still until the driver has served the faults, page group by page group; where memory is
// full the driver first evicts what has been near for longest, however lately it was used, and copies it out unless
// the far copy is still current. While everything fits it is in-core.
//
// Example, four layers a b c d that save their outputs (1 GB each, 50 ms forward, 100 ms backward), network
// input 1 GB, copies of 100 ms each way, pages as large as tensors, and 4 GB of memory:
//
//     compute  a.fw b.fw c.fw d.fw ..... d.bw c.bw b.bw ..... a.bw
//     to_far                       a----
//     to_near                                           a----
//     starts   0    50   100  150  200   300  400  500  600   700       = 800 ms (in-core: 600)
//
// d.bw is the first to find memory full: a b c d are near and it writes the gradient of c. a came first and goes out
// while d.bw stands still. Then d is dead, and there is room until a.bw misses a, and stands still while it comes.
// tests/unit/schedules_paging_test.cpp has the sums, also those of 3 GB: 1000 ms.
//
// When it does not help: whenever memory is short by much. Forward fills memory with what backward needs
// last, so that the tensors at the turn stay and the first ones leave and come back, as under capacity;
// but nothing overlaps: every copy is waited for, and each group of faults costs tens of microseconds.
//
// More memory or a faster link can make it slower: the driver evicts whole blocks, by when they came (tests/property/monotony_test.cpp).
//
// Source: OOC-Paleo, section 4.3 (UM-Chainer); page faults and the order of eviction as in NVIDIA's driver since
// Pascal (docs/notebook/0016-what-the-driver-brings-and-evicts.md). Deviations (docs/notebook/0007-unified-memory.md): all
// faults of a task are served before it starts, instead of in between, which costs the same, and nothing that it
// touches leaves for it; pages are parts of tensors, 32 MiB on a 16 GB device, where the driver evicts 2 MiB;
// kernels that touch fresh memory pay nothing for it (frameworks reuse it); a task that touches more than the whole
// memory runs in slices, and so touches each page once.
#include "simulator/schedules/paging.hpp"

namespace ooc {

extern const Schedule unified_schedule{
    .name = "unified",
    .summary = "unified memory: page faults bring in what is touched, what came first leaves",
    .source = "OOC-Paleo, section 4.3",
    .traits = {Trait::kMovesPages, Trait::kMovesOnlyWhatItMust},
    .options = kAlgorithmsAlone,
    .make_plan =
        [](const PlanningProblem& problem) { return plan_paging(problem, Prefetch::kNone); },
};

}  // namespace ooc
