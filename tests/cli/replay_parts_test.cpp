// Parts of `replay` from inside: what a device said of a plan, and whether a profile is of the measured machine.
#include "cli/replay/run_plan.hpp"
#include "model/base/errors.hpp"
#include "model/base/spec_tree.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

HardwareProfile profile(const std::string& name, const std::string& description,
                        const std::string& measured = "") {
  HardwareProfile made;
  made.name = name;
  made.description = description;
  if (!measured.empty()) made.machine = object_node({{"device_name", text_node(measured)}});
  return made;
}

std::string mismatch(const HardwareProfile& made, const std::string& device) {
  return machine_mismatch(made, device);
}

ReplayPlan plan_of(std::size_t steps) {
  ReplayPlan plan;
  for (std::size_t i = 0; i < steps; ++i) plan.order.push_back(make_id<StepId>(steps - 1 - i));
  return plan;
}

}  // namespace

TEST_CASE("a measured profile is of the device that it was measured on") {
  const HardwareProfile h200 = profile("mine", "", "NVIDIA H200");
  CHECK(mismatch(h200, "NVIDIA H200").empty());
  CHECK(mismatch(h200, "NVIDIA H100 80GB HBM3") ==
        "the profile mine was measured on NVIDIA H200, the plan ran on NVIDIA H100 80GB HBM3");
}

TEST_CASE("other profiles are known by the device's model") {
  const HardwareProfile v100 = profile("v100-16gb-pcie3", "Tesla V100 SXM2 16 GB of a DGX-1");
  CHECK(mismatch(v100, "Tesla V100-SXM2-16GB").empty());
  CHECK_FALSE(mismatch(v100, "NVIDIA H200").empty());
  CHECK_FALSE(mismatch(v100, "NVIDIA A100-SXM2-16GB").empty());
  CHECK(mismatch(profile("x", "a GeForce RTX 3090"), "NVIDIA GeForce RTX 3090").empty());
  CHECK(mismatch(v100, "TITAN X").empty());  // no number to go by: nothing is claimed
}

TEST_CASE("a replay has its iterations, its spans by line, and must fit the plan") {
  const std::string hello = R"({"record":"hello","format":"ooc-paleo/bench","version":1})"
                            "\n";
  const std::string plan = R"("request":"replay id=7")";
  const auto text = [&](const std::string& ends) {
    return hello + R"({"record":"begin",)" + plan + "}\n" + R"({"record":"iterations",)" + plan +
           R"(,"ns":[10,12],"issue_ns":[2,3],"host_ns":[11,13]})"
           "\n" +
           R"({"record":"spans",)" + plan + R"(,"start_ns":[0,4],"end_ns":)" + ends +
           R"(,"median_ns":[4,6],"min_ns":[3,5],"max_ns":[5,7]})"
           "\n" +
           R"({"record":"done",)" + plan +
           R"(,"near_bytes":64,"far_bytes":32})"
           "\n";
  };
  const auto run = std::get<MeasuredRun>(read_measured_run(text("[4,10]"), "f", 7, plan_of(2)));
  REQUIRE(run.iterations.size() == 2);
  CHECK(run.iterations[1].issue == Duration(3));
  CHECK(run.steps[0].span.end == Duration(10));  // the second line is the first step
  CHECK(run.near_pool == Bytes(64));
  CHECK_THROWS_AS((void)read_measured_run(text("[4,10]"), "f", 8, plan_of(2)), SpecError);
  CHECK_THROWS_AS((void)read_measured_run(text("[4,10]"), "f", 7, plan_of(3)), SpecError);
  CHECK_THROWS_AS((void)read_measured_run(text("[4,3]"), "f", 7, plan_of(2)), SpecError);
  const std::string failed = hello + R"({"record":"error",)" + plan +
                             R"(,"text":"no room"})"
                             "\n";
  CHECK(std::get<std::string>(read_measured_run(failed, "f", 7, plan_of(2))) == "no room");
}
