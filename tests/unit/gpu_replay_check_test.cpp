// Is a wrong plan caught? Each test takes the small plan, which is right, and makes one mistake in it.
#include <doctest/doctest.h>

#include "tests/unit/gpu_replay_plan.hpp"

using ooc::test::GpuChild;
using ooc::test::last;
using ooc::test::PlanText;
using ooc::test::run_plan;
using ooc::test::small_plan;
using Lines = std::vector<ooc::gpu::Line>;

namespace {

// The first step that found wrong words, block and tensor: "5/2/1"; nothing may have been timed.
std::string found_by(const PlanText& plan, const GpuChild::Environment& environment = {}) {
  const Lines lines = run_plan(plan, environment);
  if (lines.back().word == "done") return "none";
  CHECK(lines.size() == 1);
  return last(lines, "step") + '/' + last(lines, "block") + '/' + last(lines, "content");
}

// The small plan with a second tenant of slot 0: tensor 2 is copied out there after tensor 1 has come back.
PlanText two_in_a_slot() {
  return small_plan()
      .with("plan", "steps=7", "steps=8")
      .with_line("run",
                 "step step=7 queue=to_far kind=to_far block=1 slot=0 bytes=1000000 waits=2,4");
}

}  // namespace

TEST_CASE("a plan that is right is not complained of") {
  CHECK(found_by(small_plan()) == "none");
  CHECK(found_by(two_in_a_slot()) == "none");
}

TEST_CASE("a copy out that does not wait for the step that writes its source is caught") {
  const Lines lines = run_plan(small_plan().with("step step=1", " waits=0", ""));
  CHECK(found_by(small_plan().with("step step=1", " waits=0", "")) == "5/2/1");
  CHECK(last(lines, "text") ==
        "step 5 (conv1.backward) read wrong data: 125000 of the 125000 words of block 2 are not "
        "those "
        "of tensor 1");
}

TEST_CASE("a step that does not wait for its copy in is caught") {
  CHECK(found_by(small_plan().with("step step=5", " waits=4", "")) == "5/2/1");
}

TEST_CASE(
    "a step that does not wait for its copy in is caught where the tensor still lies in its "
    "place") {
  // Without step 3's tensor nothing else was ever where tensor 1 was. The copy in begins at 3.005 ms, step 5
  // at 3.1 ms.
  const PlanText plan = small_plan()
                            .with("step step=3", "ns=100000 writes=3 waits=1", "ns=600000")
                            .with("step step=4", "waits=3", "waits=1,2");
  CHECK(found_by(plan) == "none");
  CHECK(found_by(plan.with("step step=5", " waits=4", "")) == "5/2/1");
}

TEST_CASE("a block that is given away while a copy still reads it is caught") {
  // The copy in waits for the copy out, so it is step 3 alone that does the damage.
  const PlanText plan = small_plan().with("step step=4", "waits=3", "waits=1,3");
  CHECK(found_by(plan) == "none");
  CHECK(found_by(plan.with("step step=3", " waits=1", "")) == "5/2/1");
  const PlanText workspace = plan.with("block block=3", " content=3", "");
  CHECK(found_by(workspace) == "none");
  CHECK(found_by(workspace.with("step step=3", " waits=1", "")) == "5/2/1");
}

TEST_CASE("a block that is given away while a later step reads it is caught") {
  // Block 3 in place of block 1, which step 5 reads after step 3 wrote.
  CHECK(found_by(small_plan()
                     .with("block block=3", "offset=0", "offset=1500000")
                     .with("block block=3", "bytes=1000000", "bytes=8")) == "5/1/2");
}

TEST_CASE("a wait that is missing is caught where nothing happened to go wrong without it") {
  // Block 3 is workspace beside the others, so the copy in may begin as soon as the copy out has ended, at
  // 3.010 ms; it takes 1.005 ms, and step 5 begins 5 ms later: it reads what is right.
  const PlanText plan = small_plan()
                            .with("plan", "arena_bytes=2000000", "arena_bytes=3000000")
                            .with("block block=3", "offset=0", "offset=2000000")
                            .with("step step=3", "ns=100000", "ns=5000000");
  CHECK(found_by(plan) == "none");
  const PlanText lucky = plan.with("step step=4", "waits=3", "waits=1,2");
  CHECK(found_by(lucky) == "none");
  const PlanText unordered = lucky.with("step step=5", " waits=4", "");
  CHECK(found_by(unordered) == "5/2/1");
  CHECK(last(run_plan(unordered), "text") ==
        "step 5 (conv1.backward) reads block 2 while step 4 may still write the same memory: "
        "neither waits for the other");
  // Step 2 reads block 0 until 2.5 ms; block 2 is in its place.
  CHECK(last(run_plan(plan.with("step step=4", "waits=3", "waits=1")), "text") ==
        "step 4 writes block 2 while step 2 may still read the same memory: neither waits for the "
        "other");
}

TEST_CASE("a copy that leaves before its tensor is written a second time is caught") {
  // Step 2 writes tensor 1 once more, in place; step 5 reads what was copied out after step 0.
  const PlanText plan = small_plan().with("step step=2", "writes=1", "writes=0,1");
  CHECK(found_by(plan.with("step step=1", "waits=0", "waits=2")) == "none");
  CHECK(found_by(plan) == "5/2/1");
}

TEST_CASE("a block that nobody wrote is not right because its tensor lies there") {
  // Step 4's copy goes to a block of its own; block 2 lies where step 0 wrote tensor 1, and nothing came after.
  const PlanText plan =
      small_plan()
          .with("plan", "blocks=4", "blocks=5")
          .with("plan", "arena_bytes=2000000", "arena_bytes=3000000")
          .with_line("slot", "block block=4 offset=2000000 bytes=1000000 content=1")
          .with("block block=3", "offset=0", "offset=1000000")
          .with("step step=3", " writes=3", "")
          .with("step step=4", "block=2", "block=4");
  CHECK(found_by(plan.with("step step=5", "reads=1,2", "reads=1,4")
                     .with("step step=6", "reads=2", "reads=4")) == "none");
  CHECK(found_by(plan) == "5/2/1");
}

TEST_CASE("a slot that is overwritten while a copy still reads it is caught") {
  CHECK(found_by(two_in_a_slot().with("step step=7", "waits=2,4", "waits=2")) == "5/2/1");
}

TEST_CASE("a copy of the wrong block, or to the wrong place, is caught") {
  CHECK(found_by(small_plan()
                     .with("step step=1", "block=0", "block=1")
                     .with("step step=1", "waits=0", "waits=2")) == "5/2/1");
  const PlanText slots = small_plan()
                             .with("plan", "slots=1", "slots=2")
                             .with("plan", "far_bytes=1000000", "far_bytes=2000000")
                             .with_line("step step=0", "slot slot=1 offset=1000000 bytes=1000000");
  CHECK(found_by(slots) == "none");
  CHECK(found_by(slots.with("step step=1", "slot=0", "slot=1")) == "5/2/1");
}

TEST_CASE("a copy that is too short is caught") {
  CHECK(found_by(small_plan().with("step step=1", "bytes=1000000", "bytes=999992")) == "5/2/1");
}

TEST_CASE("a tensor that is there from the beginning is filled before the plan starts") {
  // Tensor 1 in slot 0 and tensor 2 in block 1, written by nobody.
  const PlanText plan = small_plan()
                            .with("slot", "bytes=1000000", "bytes=1000000 content=1")
                            .with("block block=1", "content=2", "content=2 initial=1")
                            .with("step step=1", "slot=0", "slot=1")
                            .with("step step=2", " writes=1", "")
                            .with("plan", "slots=1", "slots=2")
                            .with("plan", "far_bytes=1000000", "far_bytes=2000000")
                            .with_line("step step=0", "slot slot=1 offset=1000000 bytes=1000000");
  CHECK(found_by(plan) == "none");
  CHECK(found_by(plan.with("block block=1", " initial=1", "")) == "5/1/2");
  CHECK(found_by(plan.with("slot slot=0", " content=1", " content=2")) == "5/2/1");
}

TEST_CASE("a byte that arrives wrong is caught, on the way out and on the way back") {
  CHECK(found_by(small_plan(), {{"OOC_STUB_CORRUPT", "cudaMemcpyAsync:1"}}) == "5/2/1");
  CHECK(found_by(small_plan(), {{"OOC_STUB_CORRUPT", "cudaMemcpyAsync:2"}}) == "5/2/1");
}

TEST_CASE("what an earlier run left in the far pool is not taken for this run's tensor") {
  GpuChild child(GpuChild::Environment{{"OOC_STUB", ooc::test::kRoundDevice}});
  CHECK(child.ask(small_plan().text(1)).back().word == "done");
  const PlanText wrong = small_plan().with("step step=1", "bytes=1000000", "bytes=8");
  CHECK(last(child.ask(wrong.text(2)), "step") == "5");
  CHECK(child.ask(small_plan().text(3)).back().word == "done");
}

TEST_CASE("blocks in pages that are no neighbours are right, and a page of two of them is caught") {
  // Pages of 8192 bytes, 123 a block. Block 0 (pages 0 to 122) and block 1 (123 to 245) are there at once;
  // blocks 2 and 3 are there with block 1, after block 0. Step 2 writes block 1, step 3 block 3.
  const PlanText plan =
      small_plan()
          .with("plan", "plan", "plan version=2 page_bytes=8192 pool_pages=370")
          .with_line("slot", "pages block=0 runs=0+123")
          .with_line("slot", "pages block=1 runs=123+123")
          .with_line("slot", "pages block=2 runs=100+23,246+100")
          .with_line("slot", "pages block=3 runs=1,0,2+20,346+20,50+30")
          .with_line("slot",
                     "pages block=3 runs=366,90,80+8,24+8,32+8,40+8,48+2,88+2,91,92+8,367,22+2,368")
          .with("block block=3", "bytes=1000000", "bytes=1000000 start=1024");
  CHECK(found_by(plan) == "none");
  CHECK(last(run_plan(plan), "pool_pages") == "370");
  CHECK(last(run_plan(plan), "near_bytes") == "3035136");  // 4096 + 370 x 8192
  CHECK(found_by(plan.with("pages block=3 runs=1,", "346+20", "130+20")) == "5/1/2");
  CHECK(found_by(plan.with("pages block=2", "246+100", "246+99,245")) == "5/1/2");
}

TEST_CASE("without verify a wrong plan is timed all the same") {
  const Lines lines =
      run_plan(small_plan().with("step step=1", " waits=0", "").with("run", "run", "run verify=0"));
  CHECK(last(lines, "verified") == "0");
  CHECK(last(lines, "checked_bytes") == "0");
}

TEST_CASE("blocks larger than what the stub device copies whole are checked too") {
  // 40 MB each: the copies take 40.005 ms.
  PlanText plan = small_plan()
                      .with("plan", "arena_bytes=2000000 far_bytes=1000000",
                            "arena_bytes=80000000 far_bytes=40000000")
                      .with("block block=1", "offset=1000000", "offset=40000000")
                      .with("slot slot=0", "bytes=1000000", "bytes=40000000");
  for (const char* line : {"block block=0", "block block=1", "block block=2", "block block=3",
                           "step step=1", "step step=4"}) {
    plan = plan.with(line, "bytes=1000000", "bytes=40000000");
  }
  CHECK(found_by(plan) == "none");
  CHECK(found_by(plan.with("step step=3", " waits=1", "")) == "5/2/1");
}
