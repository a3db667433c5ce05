// A flag of an option says what its row says.
#include "cli/flags.hpp"

#include "model/base/named.hpp"
#include "simulator/predict/options.hpp"

namespace ooc::flags {
namespace {

constexpr std::string_view kBeforeJob = "--layer-times";  // files that are read stand together

enum class Values { kOne, kSeveral };

Flag flag_of(const Option& option, Values values) {
  const bool several = values == Values::kSeveral;
  return {.name = option.flag,
          .value = several ? "LIST" : option.value,
          .help = option.help,
          .completes = option.choices.empty() ? option.completes : Completes::kChoices,
          .choices = option.choices,
          .list = several ? option.list : "",
          .group = option.group,
          .brief = option.completes == Completes::kSchedules ? "--schedules" : "",
          .option = &option};
}

/// Those that nearly every command line has come first.
template <class Chosen>
std::vector<Flag> in_order(const Chosen& chosen) {
  constexpr std::string_view kFirst[] = {"--hardware", "--batch", "--schedule", "--memory",
                                         "--link"};
  std::vector<Flag> all;
  const auto add = [&](const Option& option) {
    if (option.flag.starts_with("--")) chosen(option, all);
  };
  for (const std::string_view flag : kFirst) add(*find_option(flag));
  for (const Option& option : run_options()) {
    const bool done = contains(kFirst, option.flag);
    if (!done) add(option);
  }
  return all;
}

}  // namespace

std::vector<Flag> of_runs(std::initializer_list<std::string_view> lists,
                          std::initializer_list<std::string_view> but) {
  return in_order([&](const Option& option, std::vector<Flag>& all) {
    if (!contains(but, option.flag)) {
      const bool several = contains(lists, option.flag);
      all.push_back(flag_of(option, several ? Values::kSeveral : Values::kOne));
    }
    if (option.flag == kBeforeJob) all.push_back(kJob);
  });
}

std::vector<Flag> of_sweeps() {
  return in_order([](const Option& option, std::vector<Flag>& all) {
    if (option.flag == kBeforeJob) {
      all.push_back(kJob);
      return;  // times were measured at one batch on one machine
    }
    all.push_back(flag_of(option, option.column.empty() ? Values::kOne : Values::kSeveral));
    all.back().many = option.flag == "--hardware";
  });
}

std::vector<Flag> of_options(std::initializer_list<std::string_view> names) {
  return in_order([&](const Option& option, std::vector<Flag>& all) {
    const bool of_schedules = option.of_schedules != nullptr && contains(names, "--schedule");
    if (of_schedules || contains(names, option.flag)) all.push_back(flag_of(option, Values::kOne));
  });
}

std::vector<Flag> joined(std::vector<Flag> flags, std::initializer_list<Flag> own) {
  for (const Flag& flag : own) {
    if (Flag* same = find_named(flags, flag.name)) {
      *same = flag;
    } else {
      flags.push_back(flag);
    }
  }
  return flags;
}

}  // namespace ooc::flags
