// Look-ups in a parsed command line and in the table of subcommands.
#include "cli/command.hpp"

#include <algorithm>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"

namespace ooc {

std::string_view list_word(Completes completes) {
  constexpr std::pair<Completes, std::string_view> kWords[] = {
      {Completes::kNetworks, "networks"},
      {Completes::kHardware, "hardware"},
      {Completes::kFrameworks, "frameworks"},
      {Completes::kRows, "rows"},
      {Completes::kSchedules, "schedules"}};
  for (const auto& [each, word] : kWords) {
    if (each == completes) return word;
  }
  return "";
}

std::string help_of(const Flag& flag) {
  std::string help(flag.help);
  if (!flag.list.empty()) help += "; several: " + std::string(flag.list);
  if (!flag.choices.empty()) help += " (" + std::string(flag.choices) + ")";
  return help;
}

std::span<const FlagGroup> flag_groups() {
  static constexpr FlagGroup kGroups[] = {
      {OptionGroup::kUsual, "", "Options"},
      {OptionGroup::kMachine, "machine", "Machine and link"},
      {OptionGroup::kTransformers, "transformers", "Sequences, checkpoints and adapters"},
      {OptionGroup::kState, "state", "How weights, gradients and optimiser state move"},
      {OptionGroup::kSchedules, "schedules", "Options of some schedules"}};
  return kGroups;
}

std::vector<std::string> help_words(const Command& command) {
  std::vector<std::string> words;
  for (const FlagGroup& group : flag_groups()) {
    const bool has = std::ranges::any_of(
        command.flags, [&](const Flag& flag) { return flag.group == group.group; });
    if (has && !group.word.empty()) words.emplace_back(group.word);
  }
  if (!words.empty()) words.emplace_back("all");
  return words;
}

std::span<const std::string> Arguments::values(std::string_view flag) const {
  for (const GivenFlag& given : flags) {
    if (given.flag->name == flag) return given.values;
  }
  return {};
}

std::optional<std::string> Arguments::value(std::string_view flag) const {
  const std::span<const std::string> all = values(flag);
  if (all.empty()) return std::nullopt;
  return all.front();
}

void Arguments::refuse(std::initializer_list<std::string_view> names, const std::string& with,
                       const std::string& remedy, const std::string& why) const {
  for (const std::string_view name : names) {
    if (has(name)) cannot_combine(name, with, remedy, why);
  }
}

const Command* find_command(std::string_view name) { return find_named(commands(), name); }

std::string_view version() { return OOC_PALEO_VERSION; }

}  // namespace ooc
