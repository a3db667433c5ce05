// A run with reused buffers allocates nothing: every allocation of the program is counted here.
#include <new>

#include "simulator/engine/simulate.hpp"
#include "tests/support/reference_workload.hpp"
#include "tests/support/test.hpp"

namespace {

std::size_t allocations = 0;

}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }

using namespace ooc;
using namespace ooc::test;

TEST_CASE("a run with reused buffers allocates nothing, a fresh one a number that does not grow") {
  const auto count = [](std::size_t layers, Allocator allocator, std::int64_t duplex, bool reuse) {
    const Plan plan = reference_plan(layers);
    CostTable costs = reference_costs(ReferenceDurations(layers));
    costs.transfers.duplex = Ratio(duplex);
    const SimulationInput input{
        .plan = plan, .costs = costs, .budget = Bytes(1 << 22), .allocator = allocator};
    SimulationBuffers buffers;
    if (reuse) REQUIRE_FALSE(simulate(input, buffers).has_value());
    const std::size_t before = allocations;
    const bool stopped = simulate(input, buffers).has_value();
    const std::size_t made = allocations - before;
    REQUIRE_FALSE(stopped);
    return made;
  };
  for (const Allocator allocator :
       {Allocator::kIdeal, Allocator::kFirstFit, Allocator::kBestFit, Allocator::kCaching}) {
    for (const std::int64_t duplex : {1'000'000'000, 800'000'000}) {
      CHECK(count(1000, allocator, duplex, true) == 0);
    }
  }
  // Spans once, the list of stalls by doubling: 10 times the layers is at most 4 doublings more.
  const std::size_t small = count(1000, Allocator::kIdeal, 1'000'000'000, false);
  CHECK(small > 0);
  CHECK(count(10'000, Allocator::kIdeal, 1'000'000'000, false) <= small + 4);
}
