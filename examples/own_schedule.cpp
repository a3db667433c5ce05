// A schedule of one's own, linked in from outside: what the first layers save moves, all else stays.
//     own_schedule NETWORK.json PROFILE.json BATCH
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <ooc/paleo.hpp>
#include <vector>

namespace {

ooc::PlanResult move_first_half(const ooc::PlanningProblem& problem) {
  std::vector<ooc::TensorId> away =
      ooc::find_candidates(problem.graph);  // what backward needs first comes first
  away.erase(away.begin(), away.begin() + static_cast<std::ptrdiff_t>(away.size() / 2));
  return ooc::plan_moving(problem, away);
}

const ooc::Schedule kFirstHalf{.name = "first-half",
                               .summary = "what the first half of the network saves moves",
                               .source = "examples/own_schedule.cpp",
                               .make_plan = &move_first_half};

}  // namespace

int main(int count, char** words) try {
  if (count < 4) return 2;
  ooc::CaseOptions options;
  options.batch = std::atoll(words[3]);
  const ooc::Workload workload = ooc::read_workload(words[1], options);
  const ooc::Machine machine = ooc::read_machine(words[2]);
  const ooc::RunReport report =
      ooc::predict(ooc::make_case(workload, machine, options), kFirstHalf);
  std::printf("%s: %s, %.3f s, peak %.2f GB\n", report.inputs.schedule.c_str(),
              report.feasible ? "fits" : "does not fit",
              static_cast<double>(report.iteration_time.count()) / 1e9,
              static_cast<double>(report.peak_near.count()) / 1e9);
  return report.feasible ? 0 : 3;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
