// Only schedules that move pages ask something of a machine: modes of its connection.
#include "cli/runnable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "model/base/errors.hpp"
#include "simulator/predict/paged_plan.hpp"

namespace ooc {
namespace {

/// Why the schedule does not run on one of the machines.
std::optional<std::string> why_not(const Schedule& schedule, std::span<const Machine> machines,
                                   const CaseOptions& options) {
  const bool one_pool = std::all_of(machines.begin(), machines.end(), [](const Machine& machine) {
    return machine.profile.one_pool;
  });
  if (one_pool && !schedule.is(Trait::kMovesNothing)) {
    return "moving gains nothing here: one pool of memory";
  }
  try {
    for (const Machine& machine : machines) check_pages(schedule, machine, options);
    return std::nullopt;
  } catch (const SpecError& error) {
    return error.what();
  }
}

/// Nobody asked for what none of the machines can do.
bool is_expected(const Schedule& schedule, std::span<const Machine> machines) {
  return std::all_of(machines.begin(), machines.end(), [&](const Machine& machine) {
    const std::string mode = missing_mode(schedule, machine.profile);
    return !mode.empty() && machine.profile.connection.impossible_modes.contains(mode);
  });
}

}  // namespace

std::vector<const Schedule*> runnable(std::vector<const Schedule*> chosen, bool all,
                                      std::span<const Machine> machines, const CaseOptions& options,
                                      Remarks remarks) {
  if (!all) {
    for (const Schedule* schedule : chosen) {
      for (const Machine& machine : machines) check_pages(*schedule, machine, options);
    }
    return chosen;
  }
  std::string left_out;
  std::string why;
  std::erase_if(chosen, [&](const Schedule* schedule) {
    std::optional<std::string> reason = why_not(*schedule, machines, options);
    if (!reason) return false;
    if (is_expected(*schedule, machines)) return true;
    left_out += (left_out.empty() ? "" : ", ") + std::string(schedule->name);
    if (why.empty()) why = *std::move(reason);
    return true;
  });
  if (!why.empty()) remark(remarks, fmt::format("remark: without {}: {}", left_out, why));
  return chosen;
}

}  // namespace ooc
