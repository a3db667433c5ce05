// A schedule of one's own, linked in from outside: of what the first layers save half moves, or --max-swaps tensors.
//     own_schedule NETWORK.json PROFILE.json BATCH
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <ooc/paleo.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

ooc::PlanResult move_first_half(const ooc::PlanningProblem& problem) {
  std::vector<ooc::TensorId> away =
      ooc::find_candidates(problem.graph);  // what backward needs first comes first
  const auto all = static_cast<std::int64_t>(away.size());
  const std::int64_t most = problem.options.own->max_swaps.value_or((all + 1) / 2);
  if (most < 0) ooc::bad_value("--max-swaps", std::to_string(most), "an integer >= 0");
  away.erase(away.begin(), away.end() - std::min(most, all));
  return ooc::plan_moving(problem, away);
}

// What it reads; plan_moving reads --algorithms.
constexpr std::string_view kOptions[] = {"--algorithms", "--max-swaps"};

const ooc::Schedule kFirstHalf{.name = "first-half",
                               .summary = "what the first half of the network saves moves",
                               .source = "examples/own_schedule.cpp",
                               .options = kOptions,
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
