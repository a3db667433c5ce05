// compute=real: operations in the place of spinning kernels, and what they wrote after its journey.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/kernels.hpp"
#include "calibrate/gpu/replay/group.hpp"
#include "calibrate/gpu/replay/replay.hpp"
#include "tests/unit/gpu_replay_plan.hpp"

namespace ooc::gpu {
using ooc::test::last;
using ooc::test::PlanText;
using ooc::test::run_plan;
using ooc::test::small_plan;
using ooc::test::values;

namespace {

// Spins for 1 ms whatever the step says, and counts what is asked of it.
class Counting : public Operation {
 public:
  explicit Counting(std::vector<std::string>& calls) : calls_(calls) {}
  void initialise(cudaStream_t) override { calls_.emplace_back("initialise"); }
  void run(cudaStream_t stream) override {
    calls_.emplace_back("run");
    OOC_GPU_CHECK(launch_spin(stream, 1e6));
  }

 private:
  std::vector<std::string>& calls_;
};

PlanText real_plan() {
  return small_plan()
      .with("step step=0", "writes=0", "writes=0 op=count x=0")
      .with("step step=5", "reads=1,2", "reads=1,2 op=lost")
      .with("step step=6", "reads=2", "reads=2 op=lost")
      .with("run", "compute=spin iterations=3", "compute=real iterations=1 warmup=1");
}

// Runs in this process on the default stub device.
std::vector<Line> run_here(const PlanText& plan,
                           std::function<MadeOperation(const Line&, const ReplayMemory&)> make) {
  ReplayGroup group;
  std::istringstream lines(plan.text());
  std::string text;
  while (std::getline(lines, text)) group.add(parse_line(text).line.value_or(Line{}));
  const ReplayProgram program = group.finish();
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  BufferPool pool;
  Output output(file.get());
  replay({program, 1, 1, std::move(make)}, Machine{}, pool, output);
  std::rewind(file.get());
  std::string all;
  for (int c = std::fgetc(file.get()); c != EOF; c = std::fgetc(file.get())) {
    all += static_cast<char>(c);
  }
  std::istringstream answers(all);
  std::vector<Line> found;
  while (std::getline(answers, text)) found.push_back(parse_line(text).line.value_or(Line{}));
  return found;
}

}  // namespace

TEST_CASE(
    "a step's operation runs in its place, once an iteration, after it has been initialised") {
  std::vector<std::string> calls;
  const auto make = [&calls](const Line& step, const ReplayMemory& memory) -> MadeOperation {
    CHECK(memory.block_bytes(1) == 1000000);
    CHECK(memory.block(1) == memory.pool() + 1000000);
    CHECK(memory.static_bytes() == 4096);
    if (*step.find("op") != "count") return {nullptr, "unknown op"};
    CHECK(*step.find("x") == "0");
    return {std::make_unique<Counting>(calls), ""};
  };
  const std::vector<Line> lines = run_here(real_plan(), make);
  // the intact check, one to warm up and one timed
  CHECK(calls == std::vector<std::string>{"initialise", "run", "run", "run"});
  CHECK(values(lines, "note", "text") ==
        std::vector<std::string>{"step 5 and its like spin: unknown op"});  // once, not for step 6
  const std::vector<std::string> medians = values(lines, "span", "median_ns");
  REQUIRE(medians.size() == 7);
  // 1 ms and an empty kernel's 1.5 us, not the step's 2 ms, and none of the calls: a short kernel stands in front
  CHECK(std::strtod(medians[0].c_str(), nullptr) == doctest::Approx(1001500));
  CHECK(std::strtod(medians[6].c_str(), nullptr) == doctest::Approx(200000));
  CHECK(last(lines, "checked_bytes") == "5000000");  // 4 MB of patterns, 1 MB copied in
}

TEST_CASE("an operation whose keys are wrong ends the plan and is named") {
  try {
    run_here(real_plan(), [](const Line&, const ReplayMemory&) -> MadeOperation {
      throw RequestError{"'filters': found '0'"};
    });
    FAIL("no error");
  } catch (const RequestError& error) {
    CHECK(error.text == "step 0: 'filters': found '0'");
  }
}

TEST_CASE("an operation is not asked for when every step spins") {
  const PlanText plan = real_plan().with("run", "compute=real", "compute=spin");
  const std::vector<Line> lines =
      run_here(plan, [](const Line&, const ReplayMemory&) -> MadeOperation {
        FAIL("asked");
        return {nullptr, ""};
      });
  CHECK(lines.back().word == "done");
}

TEST_CASE("with real operations a byte that arrives wrong is caught, out and back") {
  // Calls of cudaMemcpyAsync: two copies and the counters of the patterns, then two copies of the hash check.
  for (const char* call : {"cudaMemcpyAsync:4", "cudaMemcpyAsync:5"}) {
    const std::vector<Line> lines = run_plan(real_plan(), {{"OOC_STUB_CORRUPT", call}});
    CHECK(lines.back().word == "error");
    CHECK(last(lines, "step") == "4");
    CHECK(last(lines, "block") == "2");
    CHECK(last(lines, "content") == "1");
    CHECK(last(lines, "text") ==
          "step 4: what came back with real operations is not what was copied out");
  }
  const std::vector<Line> later =
      run_plan(real_plan(), {{"OOC_STUB_CORRUPT", "cudaMemcpyAsync:7"}});
  CHECK(later.back().word == "done");  // in an iteration that is not checked
}

TEST_CASE("the content check with patterns comes first with real operations too") {
  const std::vector<Line> lines = run_plan(real_plan().with("step step=5", " waits=4", ""));
  CHECK(last(lines, "step") == "5");
  CHECK(values(lines, "iteration", "ns").empty());
}

}  // namespace ooc::gpu
