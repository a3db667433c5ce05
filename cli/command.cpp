// Look-ups in a parsed command line and in the table of subcommands.
#include "cli/command.hpp"

namespace ooc {

std::span<const std::string> Arguments::values(FlagName flag) const {
  for (const auto& [name, values] : flags_) {
    if (name == flag.text()) return values;
  }
  return {};
}

std::optional<std::string> Arguments::value(FlagName flag) const {
  const std::span<const std::string> all = values(flag);
  if (all.empty()) return std::nullopt;
  return all.front();
}

const Command* find_command(std::string_view name) {
  for (const Command* command : commands()) {
    if (command->name == name) return command;
  }
  return nullptr;
}

}  // namespace ooc
