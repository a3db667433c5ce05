// The reference workload on SimGrid's S4U interface: one actor per queue, semaphores for the waits, one
// sleep per step. One simulated second stands for one nanosecond, so that SimGrid's doubles are exact.
// Prints the makespan in ns and the CPU time of the run in ns per step (creating actors and semaphores
// is not counted). The memory of the workload never blocks and is a plain counter here.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <simgrid/s4u.hpp>
#include <vector>

#include "tests/support/reference_workload.hpp"

namespace sg = simgrid::s4u;

namespace {

double cpu_now() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

void work(std::int64_t ns) { sg::this_actor::sleep_for(static_cast<double>(ns)); }

struct Workload {
  explicit Workload(std::size_t layers)
      : durations(layers),
        forward_done(sg::Semaphore::create(0)),
        out_slots(sg::Semaphore::create(4)),
        in_slots(sg::Semaphore::create(0)),
        in_done(sg::Semaphore::create(0)) {
    for (std::size_t i = 0; i < layers; ++i) out_done.push_back(sg::Semaphore::create(0));
  }

  void compute() {
    const std::size_t layers = out_done.size();
    for (std::size_t i = 0; i < layers; ++i) {
      out_slots->acquire();  // O of layer i - 4
      used += ooc::test::kReferenceBlock;
      work(durations.forward[i]);
      forward_done->release();
    }
    in_slots->release();  // the first two copies in wait for the last forward task
    in_slots->release();
    for (std::size_t i = layers; i-- > 0;) {
      in_done->acquire();
      work(durations.backward[i]);
      used -= ooc::test::kReferenceBlock;
      in_slots->release();
    }
  }
  void to_far() {
    for (std::size_t i = 0; i < out_done.size(); ++i) {
      forward_done->acquire();
      work(durations.out[i]);
      used -= ooc::test::kReferenceBlock;
      out_done[i]->release();
      out_slots->release();
    }
  }
  void to_near() {
    for (std::size_t i = out_done.size(); i-- > 0;) {
      out_done[i]->acquire();
      in_slots->acquire();
      used += ooc::test::kReferenceBlock;
      work(durations.in[i]);
      in_done->release();
    }
  }

  ooc::test::ReferenceDurations durations;
  sg::SemaphorePtr forward_done, out_slots, in_slots, in_done;
  std::vector<sg::SemaphorePtr> out_done;  // by layer: copies in run in the other direction
  std::int64_t used = 0;
};

}  // namespace

int main(int argc, char** argv) {
  sg::Engine engine(&argc, argv);
  const std::size_t layers =
      argc > 1 ? std::strtoull(argv[1], nullptr, 10) / 4 : ooc::test::kReferenceLayers;
  auto* zone = sg::create_full_zone("zone");
  auto* host = zone->create_host("host", 1.0);
  zone->seal();
  Workload workload(layers);
  sg::Actor::create("compute", host, [&] { workload.compute(); });
  sg::Actor::create("to_far", host, [&] { workload.to_far(); });
  sg::Actor::create("to_near", host, [&] { workload.to_near(); });
  const double start = cpu_now();
  engine.run();
  const double ns = (cpu_now() - start) / static_cast<double>(4 * layers);
  std::printf("%.0f %.1f\n", sg::Engine::get_clock(), ns);
  return 0;
}
