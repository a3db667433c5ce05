// The request lines: all of them for the worked example, then escapes, modes and lengths.
#include "simulator/replay/replay_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "model/base/errors.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/schedules/schedule.hpp"
#include "tests/support/random_networks.hpp"

namespace ooc {
namespace {

// Computes of 50 and 100 ms, copies of 100 ms (1 GB at 10 GB/s), 3 GB. Memory makes d.forward wait for the
// copy out of a (step 1) and d.backward for that of b (step 3); b.forward (step 2) needs only the
// input's free, which is compute's own; `capacity` brings b in behind c.backward and a behind b.backward.
constexpr const char* kWorkedExample =
    R"(plan id=7 blocks=10 slots=2 steps=12 budget_bytes=3000000000 static_bytes=0 arena_bytes=3000000000 far_bytes=2000000000
block id=7 block=0 offset=0 bytes=1000000000 content=0 initial=1
block id=7 block=1 offset=1000000000 bytes=1000000000 content=1
block id=7 block=2 offset=2000000000 bytes=1000000000 content=2
block id=7 block=3 offset=0 bytes=1000000000 content=3
block id=7 block=4 offset=1000000000 bytes=1000000000 content=4
block id=7 block=5 offset=2000000000 bytes=1000000000 content=5
block id=7 block=6 offset=1000000000 bytes=1000000000 content=6
block id=7 block=7 offset=2000000000 bytes=1000000000 content=2
block id=7 block=8 offset=0 bytes=1000000000 content=7
block id=7 block=9 offset=1000000000 bytes=1000000000 content=1
slot id=7 slot=0 offset=0 bytes=1000000000
slot id=7 slot=1 offset=1000000000 bytes=1000000000
step id=7 step=0 queue=compute kind=compute ns=50000000 reads=0 writes=1 name=a.forward
step id=7 step=1 queue=to_far kind=to_far block=1 slot=0 bytes=1000000000 waits=0 name=to_far%20a
step id=7 step=2 queue=compute kind=compute ns=50000000 reads=1 writes=2 name=b.forward
step id=7 step=3 queue=to_far kind=to_far block=2 slot=1 bytes=1000000000 waits=2 name=to_far%20b
step id=7 step=4 queue=compute kind=compute ns=50000000 reads=2 writes=3 name=c.forward
step id=7 step=5 queue=compute kind=compute ns=50000000 waits=1 reads=3 writes=4 name=d.forward
step id=7 step=6 queue=compute kind=compute ns=100000000 waits=3 reads=4 writes=5 name=d.backward
step id=7 step=7 queue=compute kind=compute ns=100000000 reads=3,5 writes=6 name=c.backward
step id=7 step=8 queue=to_near kind=to_near block=7 slot=1 bytes=1000000000 waits=7 name=to_near%20b
step id=7 step=9 queue=compute kind=compute ns=100000000 waits=8 reads=6,7 writes=8 name=b.backward
step id=7 step=10 queue=to_near kind=to_near block=9 slot=0 bytes=1000000000 waits=9 name=to_near%20a
step id=7 step=11 queue=compute kind=compute ns=100000000 waits=10 reads=8,9 name=a.backward
run id=7 compute=spin iterations=20 warmup=2 verify=1 max_ms=30000
)";

TEST_CASE("the worked example with 3 GB becomes these lines") {
  test::Workload workload =
      test::workload_of_file(std::string(OOC_SOURCE_DIR) + "/tests/data/worked_example.json", 1);
  const BytesPerSecond rate(10'000'000'000);
  test::set_link(workload.costs, {.to_far = rate, .to_near = rate});
  const Bytes budget(3'000'000'000);
  const PlanResult plan =
      find_schedule("capacity")->make_plan({workload.graph, workload.costs, budget});
  const Outcome outcome =
      simulate({.plan = std::get<Plan>(plan), .costs = workload.costs, .budget = budget});
  const ReplayProgram program = make_replay_program(
      std::get<Plan>(plan), workload.graph, workload.costs, std::get<Timeline>(outcome), budget);
  CHECK(write_replay_requests(program, {.id = 7}) == kWorkedExample);
  CHECK(program.not_covered == std::vector<std::string>{"custom"});
  CHECK(program.peak_near == budget);
}

ReplayProgram one_step() {
  ReplayProgram program;
  program.steps.emplace_back();
  program.steps[0].name = "a layer, 100% \xC3\xA9";
  program.steps[0].operation = "op=relu pass=forward batch=1 elements=1 x=0 y=0";
  return program;
}

std::string step_line(const ReplayProgram& program, const ReplayRun& run) {
  const std::string text = write_replay_requests(program, run);
  const std::size_t begin = text.find("step ");
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST_CASE("names are escaped, and operations are for real runs only") {
  CHECK(step_line(one_step(), {}) ==
        "step id=1 step=0 queue=compute kind=compute ns=0 name=a%20layer,%20100%25%20%C3%A9");
  CHECK(step_line(one_step(), {.mode = ReplayMode::kReal}) ==
        "step id=1 step=0 queue=compute kind=compute ns=0 op=relu pass=forward batch=1 elements=1 "
        "x=0 y=0 name=a%20layer,%20100%25%20%C3%A9");
  ReplayProgram recomputes = one_step();
  recomputes.steps[0].recompute = true;
  CHECK(step_line(recomputes, {}).find("queue=compute kind=recompute ") != std::string::npos);
}

TEST_CASE("a long name is cut between letters, a long list of blocks is refused") {
  ReplayProgram program = one_step();
  program.steps[0].name = std::string(5000, ' ');  // three bytes each when escaped
  const std::string line = step_line(program, {});
  CHECK(line.size() <= 4096);
  CHECK(line.size() > 4096 - 3);
  CHECK(line.ends_with("%20"));
  program.steps[0].reads.assign(2000, 1000);
  CHECK_THROWS_AS((void)write_replay_requests(program, {}), SpecError);
}

}  // namespace
}  // namespace ooc
