// Schedules that search by trial see their plans as the framework will run them.
#include "simulator/predict/scheduled_case.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

const std::string kPartsData = std::string(OOC_SOURCE_DIR) + "/tests/data/";

/// Returns capacity's plan, having tried it; the trial's time is left here.
Duration tried;

PlanResult try_capacity(const PlanningProblem& problem) {
  PlanResult made = find_schedule("capacity")->make_plan(problem);
  tried = problem.evaluate(std::get<Plan>(made)).iteration_time.value();
  return made;
}

}  // namespace

TEST_CASE("a trial runs with copies that wait as the plan's will") {
  const Schedule trying{.name = "trying",
                        .summary = "",
                        .source = "",
                        .traits = {Trait::kSearchesByTrial},
                        .make_plan = try_capacity};
  const Workload workload = read_workload(kPartsData + "worked_example.json");
  const Machine machine = read_machine(kPartsData + "worked_example_machine.json");
  CaseOptions options;
  options.memory = Bytes(4'000'000'000);
  struct Row {
    CopyStreams streams;
    int milliseconds;
  };
  for (const Row& row : {Row{CopyStreams::kOverlap, 600}, Row{CopyStreams::kFramework, 700},
                         Row{CopyStreams::kSerial, 800}}) {
    CAPTURE(copy_streams_name(row.streams));
    Framework framework;
    framework.copies.streams = row.streams;
    options.framework = std::make_shared<const Framework>(framework);
    const RunReport report = predict(make_case(workload, machine, options), trying);
    CHECK(tried == Duration(row.milliseconds * 1'000'000LL));
    CHECK(report.iteration_time == tried);
  }
}

}  // namespace ooc::test
