// One prediction:
//     predict_one_case NETWORK.json PROFILE.json BATCH [SCHEDULE]
#include <cstdio>
#include <exception>
#include <ooc/paleo.hpp>

int main(int count, char** words) try {
  if (count < 4) return 2;
  ooc::CaseOptions options;
  options.batch = std::atoll(words[3]);
  const ooc::Schedule* schedule = ooc::find_schedule(count > 4 ? words[4] : "capacity");
  if (schedule == nullptr) return 2;

  const ooc::Workload workload = ooc::read_workload(words[1], options);
  const ooc::Machine machine = ooc::read_machine(words[2]);
  const ooc::Case which = ooc::make_case(workload, machine, options);
  const ooc::RunReport report = ooc::predict(which, *schedule);

  if (!report.feasible) {
    std::printf("does not fit: stops at %s\n", report.out_of_memory->step.c_str());
    return 3;
  }
  std::printf("%lld ns\n", static_cast<long long>(report.iteration_time.count()));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
