// Groups of lines that are wrong: each gets one error that names the line, before anything runs, and the
// conversation goes on. Also groups in recorded sessions.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/replay/group.hpp"
#include "tests/unit/gpu_replay_plan.hpp"

using ooc::gpu::ReplayGroup;
using ooc::gpu::RequestError;
using ooc::test::GpuChild;
using ooc::test::last;
using ooc::test::PlanText;
using ooc::test::small_plan;

namespace {

// The group's problem, or "none".
std::string problem(const PlanText& plan) {
  ReplayGroup group;
  std::istringstream lines(plan.text());
  std::string text;
  while (std::getline(lines, text)) {
    const ooc::gpu::ParsedLine parsed = ooc::gpu::parse_line(text);
    if (parsed.line) {
      group.add(*parsed.line);
    } else {
      group.spoil(parsed.problem);
    }
  }
  try {
    static_cast<void>(group.finish());
    return "none";
  } catch (const RequestError& error) {
    return error.text;
  }
}

int group_count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

std::string group_read_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct GroupFolder {
  GroupFolder() {
    std::string name = std::filesystem::temp_directory_path() / "ooc-replay-XXXXXX";
    path = mkdtemp(name.data());
  }
  ~GroupFolder() { std::filesystem::remove_all(path); }
  GroupFolder(const GroupFolder&) = delete;
  GroupFolder& operator=(const GroupFolder&) = delete;
  std::string path;
};

}  // namespace

TEST_CASE("a plan's pages are checked, and its version") {
  const auto paged = [](const std::string& line, const std::string& part, const std::string& by) {
    return problem(small_plan()
                       .with("plan", "plan", "plan version=2 page_bytes=1003520 pool_pages=2")
                       .with_line("slot", "pages block=0 runs=0")
                       .with_line("slot", "pages block=1 runs=1")
                       .with_line("slot", "pages block=2 runs=0")
                       .with_line("slot", "pages block=3 runs=0")
                       .with(line, part, by));
  };
  CHECK(paged("plan", "version", "version") == "none");
  CHECK(
      paged("plan", "version=2", "version=3") ==
      "plan: 'version': found 3, this program reads plans of version 1 to 2: the main program and "
      "this one must be built from the same sources");
  CHECK(paged("plan", "page_bytes=1003520", "page_bytes=1003521") ==
        "plan: 'page_bytes': found 1003521, expected a multiple of 4096");
  CHECK(paged("pages block=1", "runs=1", "runs=1+2") ==
        "pages: 'runs': there is no page 2, the plan has 2");
  for (const char* wrong : {"runs=1+0", "runs=", "runs=1,", "runs=-1", "runs=1+x"}) {
    CHECK(paged("pages block=1", "runs=1", wrong).rfind("pages: 'runs': found '", 0) == 0);
  }
  CHECK(paged("pages block=1", "block=1", "block=4") ==
        "pages: 'block': there is no block 4, the plan has 4");
  CHECK(paged("block block=1", "bytes=1000000", "bytes=1000000 start=4096") ==
        "run: block 1 ends at byte 1004096 of its pages, which have 1003520");
  CHECK(paged("pages block=1", "block=1", "block=0") ==
        "run: block 1 ends at byte 1000000 of its pages, which have 0");
  CHECK(paged("block block=1", "bytes=1000000", "bytes=1000000 start=4") ==
        "block 1: 'start': found 4, expected a multiple of 8");
}

TEST_CASE("lines that are missing, double or too many are seen") {
  const PlanText plan = small_plan();
  CHECK(problem(plan) == "none");
  CHECK(problem(plan.without("step step=3")) ==
        "step 3: found step=4: a line is missing, double or not in its place");
  CHECK(problem(plan.with_line("step step=3", "step step=2 queue=compute kind=compute ns=1")) ==
        "step 3: found step=2: a line is missing, double or not in its place");
  CHECK(problem(plan.without("step step=6")) ==
        "run: the plan announces 7 step lines, 6 came before it");
  CHECK(problem(plan.with_line("run", "step step=7 queue=compute kind=compute ns=1")) ==
        "step 7: the plan announces 7 step lines");
  CHECK(problem(plan.without("block block=3")) ==
        "slot 0: the plan announces 4 block lines, 3 came before it");
  CHECK(problem(plan.without("slot")) ==
        "step 0: the plan announces 1 slot lines, 0 came before it");
  CHECK(problem(plan.with_line("run", "block block=4 offset=0 bytes=8")) ==
        "block 4: the plan announces 4 block lines");
  CHECK(problem(plan.without("plan")) == "'block' without a 'plan' before it");
  CHECK(problem(plan.with("plan", "steps=7", "steps=99999999999")) ==
        "plan: 'steps': found '99999999999', expected an integer of 1 to 1000000");
}

TEST_CASE("steps that wait for each other are seen before anything runs") {
  const PlanText plan = small_plan();
  CHECK(problem(plan.with("step step=2", "reads=0", "reads=0 waits=2")) ==
        "step 2: waits for itself (waits, or the order of its queue)");
  CHECK(problem(plan.with("step step=2", "reads=0", "reads=0 waits=5")) ==
        "step 2: waits for itself, by way of step 5, 4, 3 (waits, or the order of its queue)");
  // step 0 for the copy in 4, 4 for step 3, 3 comes after 2, 2 after 0
  CHECK(problem(plan.with("step step=0", "writes=0", "writes=0 waits=4")) ==
        "step 0: waits for itself, by way of step 4, 3, 1 (waits, or the order of its queue)");
  // an earlier step of the same queue is no more than what the queue does anyway
  CHECK(problem(plan.with("step step=2", "reads=0", "reads=0 waits=0")) == "none");
}

TEST_CASE("numbers that are none, or outside what they number, are seen") {
  const PlanText plan = small_plan();
  const auto with = [&plan](const char* line, const char* part, const char* by) {
    return problem(plan.with(line, part, by));
  };
  CHECK(with("step step=0", "ns=2000000", "ns=nan") ==
        "step 0: 'ns': found 'nan', expected nanoseconds, 0 to 1e13");
  for (const char* ns :
       {"ns=-1", "ns=inf", "ns=1e3", "ns=0x10", "ns=", "ns=1.2.3", "ns=.5", "ns=99999999999999"}) {
    CHECK(with("step step=0", "ns=2000000", ns).find("step 0: 'ns': found") == 0);
  }
  CHECK(with("step step=0", "ns=2000000 ", "") == "step 0: 'ns' is missing");
  CHECK(with("step step=0", "queue=compute", "queue=gpu") ==
        "step 0: 'queue': found 'gpu', expected compute, to_far or to_near");
  CHECK(with("step step=0", "kind=compute", "kind=sort") ==
        "step 0: 'kind': found 'sort', expected compute, recompute, to_far or to_near");
  CHECK(with("step step=1", "queue=to_far", "queue=to_near") ==
        "step 1: kind to_far does not belong on queue to_near");
  CHECK(with("step step=1", "waits=0", "waits=7") ==
        "step 1: 'waits': there is no step 7, the plan has 7");
  CHECK(with("step step=1", "waits=0", "waits=0,") ==
        "step 1: 'waits': found '0,', expected numbers separated by commas");
  CHECK(with("step step=1", "waits=0", "waits=-1") ==
        "step 1: 'waits': found '-1', expected numbers separated by commas");
  CHECK(with("step step=1", "block=0", "block=4") ==
        "step 1: 'block': there is no block 4, the plan has 4");
  CHECK(with("step step=1", "slot=0", "slot=1") ==
        "step 1: 'slot': there is no slot 1, the plan has 1");
  CHECK(with("step step=5", "reads=1,2", "reads=1,4") ==
        "step 5: 'reads': there is no block 4, the plan has 4");
  CHECK(with("step step=0", "writes=0", "writes=4") ==
        "step 0: 'writes': there is no block 4, the plan has 4");
  CHECK(with("step step=1", "bytes=1000000", "bytes=0") ==
        "step 1: 'bytes': found '0', expected an integer of 1 to 70368744177664");
  CHECK(with("step step=1", "bytes=1000000", "bytes=1000001") ==
        "step 1: ends at byte 1000001, its block has 1000000");
  CHECK(with("run", "compute=spin", "compute=fast") ==
        "run: 'compute': found 'fast', expected spin or real");
  CHECK(with("run", "iterations=3", "iterations=0") ==
        "run: 'iterations': found '0', expected an integer of 1 to 1000000");
  CHECK(with("run", "iterations=3", "verify=2").find("run: 'verify': found '2'") == 0);
}

TEST_CASE("blocks and slots outside their memory are seen") {
  const PlanText plan = small_plan();
  CHECK(problem(plan.with("block block=1", "offset=1000000", "offset=1000008")) ==
        "block 1: ends at byte 2000008, the arena has 2000000");
  CHECK(problem(plan.with("slot", "offset=0", "offset=8")) ==
        "slot 0: ends at byte 1000008, the far pool has 1000000");
  CHECK(problem(plan.with("slot", "offset=0", "offset=-8")).find("slot 0: 'offset': found '-8'") ==
        0);
  CHECK(problem(plan.with("block block=1", "offset=1000000", "offset=4")) ==
        "block 1: 'offset': found 4, expected a multiple of 8");
  CHECK(problem(plan.with("block block=1", "offset=1000000", "offset=999999999999992"))
            .find("block 1: 'offset': found '999999999999992', expected an integer") == 0);
}

TEST_CASE("a wrong group gets one error, and the conversation goes on") {
  GpuChild child;
  const auto lines = child.ask(small_plan().without("step step=2").text(5));
  CHECK(lines.size() == 1);
  CHECK(last(lines, "id") == "5");
  CHECK(child.ask(small_plan().text(6)).back().word == "done");
  const auto overlong =
      child.ask(small_plan()
                    .with("step step=2", "reads=0", "reads=0 name=" + std::string(5000, 'x'))
                    .text(7));
  CHECK(overlong.size() == 1);
  CHECK(last(overlong, "text") == "line longer than 4096 bytes");
  const auto words = child.ask(small_plan().with_line("step step=2", "=").text(8));
  CHECK(words.size() == 1);
  CHECK(child.ask("run id=9").back().word == "error");
  CHECK(child.ask(small_plan().text(10)).back().word == "done");
}

TEST_CASE("a group that another request cuts short ends with an error") {
  GpuChild child;
  const std::string half = small_plan().without("run").text(1);
  const auto cut = child.ask(half + "\nmeasure id=2 what=launch repetitions=1 warmup_ms=0");
  CHECK(last(cut, "id") == "1");
  CHECK(last(cut, "text") == "the plan was given up by 'measure' before its 'run'");
  const auto other = child.ask(half + "\n" + small_plan().text(3));
  REQUIRE(other.back().word == "done");  // of the measurement
  CHECK(last(other, "id") == "2");
  // then the error of the half plan, and the whole one
  std::string text;
  while (const auto line = child.read_line(1000)) text += *line + '\n';
  CHECK(text.find("error id=1 text=the%20plan%20was%20given%20up%20by%20another%20%27plan%27") ==
        0);
  CHECK(text.find("done id=3 ") != std::string::npos);
}

TEST_CASE("the end of input within a plan runs nothing") {
  GpuChild child;
  child.send(small_plan().without("run").text());
  CHECK(child.finish() == 0);
}

TEST_CASE(
    "a recorded session skips plans that have their answer as wholes, and leaves out half a plan") {
  const GroupFolder folder;
  const std::string requests = folder.path + "/requests";
  const std::string answers = folder.path + "/answers";
  const std::vector<std::string> arguments{"--script", requests, "--output", answers};
  const std::string wrong = small_plan().without("slot").text(2);
  std::ofstream(requests) << small_plan().text(1) << "\n# a comment\n"
                          << wrong << '\n'
                          << small_plan().without("run").text(3) << '\n';
  CHECK(GpuChild({}, arguments).finish() == 2);  // the file is cut short
  std::string text = group_read_file(answers);
  CHECK(group_count(text, "\ndone id=1 ") == 1);
  CHECK(group_count(text, "\nerror id=2 ") == 1);
  CHECK(group_count(text, " id=3") == 0);

  std::ofstream(requests, std::ios::app) << "run id=3 iterations=4\n"
                                         << "measure id=4 what=launch repetitions=1 warmup_ms=0\n";
  CHECK(GpuChild({}, arguments).finish() == 0);
  text = group_read_file(answers);
  CHECK(group_count(text, "\ndone id=1 ") == 1);
  CHECK(group_count(text, "\nerror id=2 ") == 1);
  CHECK(group_count(text, "\ndone id=3 iterations=4 ") == 1);
  CHECK(group_count(text, "\ndone id=4 ") == 1);
}

TEST_CASE("a recorded session that is cut off within a plan's answer runs the plan again") {
  const GroupFolder folder;
  const std::string requests = folder.path + "/requests";
  const std::string answers = folder.path + "/answers";
  const std::vector<std::string> arguments{"--script", requests, "--output", answers};
  std::ofstream(requests) << small_plan().text(1) << '\n';
  CHECK(GpuChild(GpuChild::Environment{{"OOC_STUB_DIE", "cudaStreamWaitEvent:20"}}, arguments)
            .finish() == 128 + 9);
  CHECK(group_count(group_read_file(answers), "\ndone ") == 0);
  CHECK(GpuChild({}, arguments).finish() == 0);
  const std::string text = group_read_file(answers);
  CHECK(group_count(text, "\ndone id=1 ") == 1);
  CHECK(group_count(text, "hello ") == 2);
}
