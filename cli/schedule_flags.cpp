// The options themselves: simulator/schedules/option_table.cpp.
#include "cli/schedule_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"
#include "simulator/predict/planning.hpp"

namespace ooc {
namespace {

constexpr std::string_view kSchedule = "--schedule";

const Schedule& schedule_named(const std::string& name) {
  if (const Schedule* schedule = find_schedule(name)) return *schedule;
  unknown_word(kSchedule, name, names_of(schedules()));
}

/// The schedules of "all" or of comma-separated names.
std::vector<const Schedule*> schedules_named(const std::string& list) {
  if (list == "all") return {schedules().begin(), schedules().end()};
  std::vector<const Schedule*> found;
  for (const std::string& name : split_list(list, kSchedule)) {
    if (name == "all") bad_value(kSchedule, in_quotes(list), "all alone, or names between commas");
    const Schedule* schedule = &schedule_named(name);
    if (std::ranges::find(found, schedule) != found.end()) {
      bad_value(kSchedule, in_quotes(name) + " twice", "each schedule once");
    }
    found.push_back(schedule);
  }
  return found;
}

std::string readers_of(std::string_view flag) {
  std::string names;
  for (const Schedule* schedule : schedules()) {
    if (!reads(*schedule, flag)) continue;
    names += (names.empty() ? "" : ", ") + std::string(schedule->name);
  }
  return names;
}

}  // namespace

void read_schedules(const Command& command, Arguments& arguments) {
  const Flag* flag = find_named(command.flags, kSchedule);
  if (flag == nullptr) return;
  const bool usually_all =
      flag->takes_list() && flag->option != nullptr;  // not `fit`, whose flag is its own
  const std::string list = arguments.value(kSchedule).value_or(usually_all ? "all" : "capacity");
  if (flag->takes_list()) {
    arguments.schedules = schedules_named(list);
    arguments.all_schedules = list == "all";
    return;
  }
  if (list == "all" || list.find(',') != std::string::npos) {
    bad_value(kSchedule, in_quotes(list), "one schedule", "`ooc-paleo compare` takes several");
  }
  arguments.schedules = {&schedule_named(list)};
}

void check_chosen(const Arguments& arguments, std::span<const Schedule* const> chosen) {
  for (const ScheduleOption& flag : schedule_option_table()) {
    if (!arguments.has(flag.name)) continue;
    const bool read = std::ranges::any_of(
        chosen, [&](const Schedule* schedule) { return reads(*schedule, flag.name); });
    if (read) continue;
    std::string names;
    for (const Schedule* schedule : chosen) {
      names += (names.empty() ? "" : ", ") + std::string(schedule->name);
    }
    cannot_combine(flag.name, "--schedule " + names,
                   "use a schedule that reads it: " + readers_of(flag.name));
  }
}

namespace {

void check_runs(const Schedule& schedule, const Machine& machine, const CaseOptions& options) {
  check_passes(pass_job(options, machine.profile, &schedule));
  check_modes(schedule, machine);
}

/// Why the schedule does not run on one of the machines.
std::optional<std::string> why_not(const Schedule& schedule, std::span<const Machine> machines,
                                   const CaseOptions& options) {
  const bool one_pool = std::ranges::all_of(
      machines, [](const Machine& machine) { return machine.profile.one_pool; });
  if (one_pool && !schedule.is(Trait::kMovesNothing)) {
    return "moving gains nothing here: one pool of memory";
  }
  try {
    for (const Machine& machine : machines) check_runs(schedule, machine, options);
    return std::nullopt;
  } catch (const SpecError& error) {
    return error.what();
  }
}

/// Nobody asked for what none of the machines can do.
bool is_expected(const Schedule& schedule, std::span<const Machine> machines) {
  return std::ranges::all_of(machines, [&](const Machine& machine) {
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
      for (const Machine& machine : machines) check_runs(*schedule, machine, options);
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
