// A plan's times on a device whose times are known, what is answered, and what happens when the device fails.
#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "tests/unit/gpu_replay_plan.hpp"

using ooc::test::GpuChild;
using ooc::test::kRoundDevice;
using ooc::test::last;
using ooc::test::PlanText;
using ooc::test::run_plan;
using ooc::test::small_plan;
using ooc::test::values;
using Environment = GpuChild::Environment;
using RunLines = std::vector<ooc::gpu::Line>;

namespace {

std::vector<double> numbers(const RunLines& lines, const std::string& word,
                            const std::string& key) {
  std::vector<double> found;
  for (const std::string& text : values(lines, word, key)) {
    found.push_back(std::strtod(text.c_str(), nullptr));
  }
  return found;
}

void check_times(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("number " << i);
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5));  // events are floats of ms
  }
}

}  // namespace

namespace {

// The small plan, and the same in a pool of two pages of 1003520 bytes (245 x 4096).
ooc::test::PlanText paged_plan() {
  return small_plan()
      .with("plan", "plan", "plan version=2 page_bytes=1003520 pool_pages=3")
      .with_line("slot", "pages block=0 runs=0")
      .with_line("slot", "pages block=1 runs=1")
      .with_line("slot", "pages block=2 runs=0")
      .with_line("slot", "pages block=3 runs=2,0")
      .with("block block=3", "bytes=1000000", "bytes=1000000 start=8192");
}

}  // namespace

TEST_CASE("a plan in pages takes the same time as in an arena, and its pool is its pages") {
  const RunLines lines = run_plan(paged_plan());
  CHECK(values(lines, "iteration", "ns") == values(run_plan(small_plan()), "iteration", "ns"));
  CHECK(last(lines, "near_bytes") == "3014656");  // 4096 + 3 x 1003520
  CHECK(last(lines, "pool_pages") == "3");
  CHECK(last(lines, "page_bytes") == "1003520");
  CHECK(last(run_plan(small_plan()), "pool_pages") == "0");
}

TEST_CASE("where pages cannot be mapped the plan runs in its arena, and a note says why") {
  const auto in_arena = [](const GpuChild::Environment& environment, const std::string& why) {
    GpuChild child(environment);
    for (int id = 1; id <= 2; ++id) {  // what was mapped half-way has been given back
      const RunLines lines = child.ask(paged_plan().text(id));
      CHECK(lines.back().word == "done");
      CHECK(last(lines, "near_bytes") == (id == 1 || why.empty() ? "2004096" : "3014656"));
      if (id == 1)
        CHECK(values(lines, "note", "text").front() ==
              "one arena in place of pages, 2000000 bytes for 3010560: " + why);
    }
  };
  const std::string device = ooc::test::kRoundDevice;
  for (const char* call :
       {"cuMemCreate:3", "cuMemAddressReserve:2", "cuMemMap:5", "cuMemSetAccess:2"}) {
    CAPTURE(call);
    in_arena({{"OOC_STUB", device + ",free=80000000"}, {"OOC_STUB_FAIL", call}},
             std::string(call).substr(0, std::string(call).find(':')) + ": out of memory");
  }
  const auto note_of = [&](const std::string& more) {
    GpuChild child(GpuChild::Environment{{"OOC_STUB", device + more}});
    return values(child.ask(paged_plan().text(1)), "note", "text").front();
  };
  CHECK(note_of(",page_bytes=0") ==
        "one arena in place of pages, 2000000 bytes for 3010560: the device has no virtual memory "
        "management");
  CHECK(note_of(",page_bytes=65536") ==
        "one arena in place of pages, 2000000 bytes for 3010560: the plan's pages of 1003520 bytes "
        "are no multiple of the device's, 65536");
}

TEST_CASE("a plan takes on the device the time that its schedule says") {
  const RunLines lines = run_plan(small_plan());
  REQUIRE(lines.back().word == "done");
  // A copy: 5 us + 1 MB × 1 ns = 1.005 ms.
  // step 0: 0 - 2.0; step 1: 2.0 - 3.005; step 2: 2.0 - 2.5, beside the copy; step 3 waits for the copy:
  // 3.005 - 3.105; step 4: 3.105 - 4.11; step 5: 4.11 - 4.41; step 6: - 4.61
  check_times(numbers(lines, "iteration", "ns"), {4610000, 4610000, 4610000});
  check_times(numbers(lines, "span", "start_ns"),
              {0, 2000000, 2000000, 3005000, 3105000, 4110000, 4410000});
  check_times(numbers(lines, "span", "end_ns"),
              {2000000, 3005000, 2500000, 3105000, 4110000, 4410000, 4610000});
  check_times(numbers(lines, "span", "median_ns"),
              {2000000, 1005000, 500000, 100000, 1005000, 300000, 200000});
  CHECK(values(lines, "iteration", "iteration") == std::vector<std::string>{"0", "1", "2"});
  CHECK(values(lines, "note", "text").empty());
  CHECK(last(lines, "iterations") == "3");
  CHECK(last(lines, "verified") == "1");
  CHECK(last(lines, "checked_bytes") == "4000000");  // step 2: block 0, 5: 1 and 2, 6: 2
  CHECK(last(lines, "near_bytes") == "2004096");     // 4096 + 2000000, as the plan says
  CHECK(last(lines, "far_bytes") == "1000000");
  CHECK(last(lines, "spin_overhead_ns") == "1000.000");  // of an empty kernel; taken off each step
}

TEST_CASE("both directions at once slow each other, and the plan's time shows it") {
  // Two copies of 1 MB from the beginning, each at half the rate: 5 us + 2 ms. duplex=0.5
  const PlanText plan(
      {"plan blocks=2 slots=2 steps=2 budget_bytes=2000000 static_bytes=0 arena_bytes=2000000 "
       "far_bytes=2000000",
       "block block=0 offset=0 bytes=1000000 content=1 initial=1",
       "block block=1 offset=1000000 bytes=1000000 content=2", "slot slot=0 offset=0 bytes=1000000",
       "slot slot=1 offset=1000000 bytes=1000000 content=2",
       "step step=0 queue=to_far kind=to_far block=0 slot=0 bytes=1000000",
       "step step=1 queue=to_near kind=to_near block=1 slot=1 bytes=1000000",
       "run iterations=1 warmup=0"});
  const RunLines lines = run_plan(plan, {{"OOC_STUB", std::string(kRoundDevice) + ",duplex=0.5"}});
  check_times(numbers(lines, "iteration", "ns"), {2005000});
  check_times(numbers(lines, "span", "end_ns"), {2005000, 2005000});
}

TEST_CASE("where calls cost more than the steps last, the host is the limit") {
  // 20 steps of 3 us on one queue. Each takes three calls of 5 us (event, kernel, event), so a step begins
  // 15 us after the one before it once the host is no longer ahead; the last lasts 3 us, but ends with its event, 10 us after its start.
  std::vector<std::string> lines{
      "plan blocks=0 slots=0 steps=20 budget_bytes=0 static_bytes=0 arena_bytes=0 far_bytes=0"};
  for (int i = 0; i < 20; ++i) {
    lines.push_back("step step=" + std::to_string(i) + " queue=compute kind=compute ns=3000");
  }
  lines.emplace_back("run iterations=1 warmup=0");
  const RunLines answer = run_plan(PlanText(lines), {{"OOC_STUB", "issue_ns=5000,launch_ns=1000"}});
  // The kernel in front, the start event and two waits for it, then 20 × 3 calls.
  check_times(numbers(answer, "iteration", "issue_ns"), {64 * 5000});
  // The last event comes with the last call. The first step begins when the kernel in front ends: one call of 5 us,
  // 50 us and the launch's 1 us.
  check_times(numbers(answer, "iteration", "ns"), {64 * 5000 - 56000});
}

TEST_CASE("a step of no time launches nothing, a step shorter than an empty kernel is told") {
  const PlanText plan(
      {"plan blocks=0 slots=0 steps=3 budget_bytes=0 static_bytes=0 arena_bytes=0 far_bytes=0",
       "step step=0 queue=compute kind=compute ns=0",
       "step step=1 queue=compute kind=compute ns=400",
       "step step=2 queue=compute kind=compute ns=1500.5", "run iterations=1"});
  const RunLines lines = run_plan(plan);
  check_times(numbers(lines, "span", "end_ns"), {0, 1000, 2500.5});
  CHECK(values(lines, "note", "text") ==
        std::vector<std::string>{
            "1 steps are shorter than an empty spinning kernel and last as long as that"});
}

TEST_CASE("waits may name steps that come later in the lines, as long as none waits for itself") {
  // Step 0 waits for step 2 on another queue: 1.005 ms, then 0.1 ms.
  const PlanText plan(
      {"plan blocks=1 slots=1 steps=3 budget_bytes=1000000 static_bytes=0 arena_bytes=1000000 "
       "far_bytes=1000000",
       "block block=0 offset=0 bytes=1000000 content=1",
       "slot slot=0 offset=0 bytes=1000000 content=1",
       "step step=0 queue=compute kind=compute ns=100000 reads=0 waits=2",
       "step step=1 queue=compute kind=compute ns=100000 reads=0 waits=0",
       "step step=2 queue=to_near kind=to_near block=0 slot=0 bytes=1000000", "run iterations=1"});
  const RunLines lines = run_plan(plan);
  check_times(numbers(lines, "span", "start_ns"), {1005000, 1105000, 0});
}

TEST_CASE("after max_ms no iteration is begun, but three are made") {
  // 4.61 ms an iteration, 2 + 3 of them: 23.05 ms; the fourth would begin after 20.
  const RunLines lines =
      run_plan(small_plan().with("run", "iterations=3", "iterations=50 max_ms=20"));
  CHECK(last(lines, "iterations") == "3");
  CHECK(values(lines, "note", "text") ==
        std::vector<std::string>{"stopped by max_ms after 3 iterations"});
}

TEST_CASE("the spans are those of an iteration that was measured, and of the median one") {
  const RunLines lines = run_plan(small_plan().with("run", "iterations=3", "iterations=9"),
                                  {{"OOC_STUB", std::string(kRoundDevice) + ",noise=0.05,seed=3"}});
  std::vector<double> all = numbers(lines, "iteration", "ns");
  const std::vector<double> ends = numbers(lines, "span", "end_ns");
  std::sort(all.begin(), all.end());
  REQUIRE(all.size() == 9);
  CHECK(all.front() < all.back());
  CHECK(*std::max_element(ends.begin(), ends.end()) == doctest::Approx(all[4]).epsilon(1e-9));
  const std::vector<double> low = numbers(lines, "span", "min_ns");
  const std::vector<double> middle = numbers(lines, "span", "median_ns");
  const std::vector<double> high = numbers(lines, "span", "max_ns");
  for (std::size_t i = 0; i < low.size(); ++i) {
    CHECK(low[i] < middle[i]);
    CHECK(middle[i] < high[i]);
  }
}

TEST_CASE(
    "what does not fit into free near memory is refused with both numbers, and nothing is taken") {
  // 100 MB free, of which 64 MiB are kept: 32891136 bytes.
  GpuChild child(Environment{{"OOC_STUB", "memory=200e6,free=100e6"}});
  const PlanText large = small_plan().with("plan", "arena_bytes=2000000", "arena_bytes=50000000");
  CHECK(last(child.ask(large.text()), "text") ==
        "the plan needs 50004096 bytes of near memory (4096 static, 50000000 arena), at most "
        "32891136 "
        "may be taken: 100000000 are free of 200000000");
  CHECK(child.ask(small_plan().text(2)).back().word == "done");
}

TEST_CASE("a far pool that the host has no room for is refused") {
  const RunLines lines =
      run_plan(small_plan().with("plan", "far_bytes=1000000", "far_bytes=60000000000000"));
  CHECK(last(lines, "text").find("needs 60000000000000 bytes of host memory") == 0);
}

TEST_CASE("the far pool is kept from plan to plan, and near memory given back") {
  // 30.9 MB of near memory can be taken; both plans together would need more.
  GpuChild child(Environment{{"OOC_STUB", "memory=98e6"}, {"OOC_STUB_FAIL", "cudaHostAlloc:4"}});
  const PlanText plan = small_plan().with("plan", "arena_bytes=2000000", "arena_bytes=30000000");
  // Calls of cudaHostAlloc: the far pool, and the gate of the overhead's timer in each run.
  CHECK(child.ask(plan.text(1)).back().word == "done");  // 1 and 2
  CHECK(child.ask(plan.text(2)).back().word == "done");  // 3: the pool is there
  CHECK(last(child.ask(plan.text(3)), "call") == "cudaHostAlloc");
  CHECK(child.ask(plan.text(4)).back().word == "done");
}

TEST_CASE("an error of the device ends the plan, and the next one is run") {
  for (const char* fault : {"cudaStreamWaitEvent:2", "cudaEventRecord:40", "cudaMemcpyAsync:4",
                            "cudaEventCreateWithFlags:9", "cudaMalloc:2", "launch_spin:65"}) {
    INFO(fault);
    GpuChild child(Environment{{"OOC_STUB_FAIL", fault}});
    const RunLines lines = child.ask(small_plan().text());
    CHECK(lines.back().word == "error");
    CHECK(last(lines, "name") == "cudaErrorMemoryAllocation");
    CHECK(last(lines, "file").find(".cpp") != std::string::npos);
    CHECK(child.ask(small_plan().text(2)).back().word == "done");
    child.send("quit");
    CHECK(child.finish() == 0);
  }
}

TEST_CASE("an error that stays ends the child with 4, a child that dies or hangs gives no answer") {
  GpuChild lost(Environment{{"OOC_STUB_FAIL", "cudaMemcpyAsync:2:700"}});
  CHECK(last(lost.ask(small_plan().text()), "name") == "cudaErrorIllegalAddress");
  CHECK(lost.finish() == 4);

  GpuChild dead(Environment{{"OOC_STUB_DIE", "cudaStreamWaitEvent:20"}});
  dead.send(small_plan().text());
  while (dead.read_line()) {
  }
  CHECK(dead.finish() == 128 + SIGKILL);

  GpuChild hung(Environment{{"OOC_STUB_HANG", "cudaStreamSynchronize:70"}});
  hung.send(small_plan().text());
  std::string text;
  while (const auto line = hung.read_line(500)) text += *line;
  CHECK(text.find("done") == std::string::npos);
}
