// CLI11 does the splitting (--flag=value, -oFILE, "--"); what a wrong command line is told is ours:
// the same SpecErrors as for files, so that a script sees one kind of message.
#include "cli/parse.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"
#include "model/base/spec_tree.hpp"
#include "simulator/predict/options.hpp"

namespace ooc {
namespace {

struct Slot {
  const Flag* flag = nullptr;
  CLI::Option* option = nullptr;
  std::vector<std::string> values;
  bool given = false;  ///< of a switch
};

std::string cli11_names(const Flag& flag) {
  std::string names(flag.name);
  if (!flag.brief.empty()) names += "," + std::string(flag.brief);
  return names;
}

std::string description(const Command& command) {
  return "Examples:\n" + std::string(command.examples) + "\n" + std::string(command.summary);
}

[[noreturn]] void unknown_argument(const Command& command, const std::string& word,
                                   bool behind_dashes) {
  const std::string flag = word.substr(0, word.find('='));
  const std::string help = "see `ooc-paleo " + std::string(command.name) + " --help`";
  if (word.size() < 2 || word.front() != '-' || flag == "--" || behind_dashes) {
    bad_value(command.name,
              "one argument too many, " + in_quotes(word) + (behind_dashes ? " behind \"--\"" : ""),
              command.positionals.name.empty() ? "flags only"
                                               : "one " + std::string(command.positionals.name),
              behind_dashes ? "all words behind \"--\" are arguments: flags go before" : help);
  }
  std::vector<std::string> known{"--help"};
  for (const Flag& each : command.flags) {
    known.emplace_back(each.name);
    if (each.brief.starts_with("--")) known.emplace_back(each.brief);
  }
  const auto near = nearest_word(flag, known);
  bad_value(flag, "an unknown flag", "a flag of `" + std::string(command.name) + "`",
            near ? "did you mean " + *near + "?" : help);
}

void add_flags(CLI::App& app, const Command& command, std::vector<Slot>& slots) {
  slots.resize(command.flags.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Slot& slot = slots[i];
    slot.flag = &command.flags[i];
    const bool is_switch = slot.flag->value.empty();
    const std::string names = cli11_names(*slot.flag);
    slot.option = is_switch ? app.add_flag(names, slot.given, help_of(*slot.flag))
                            : app.add_option(names, slot.values, help_of(*slot.flag));
    if (is_switch) continue;
    slot.option->type_name(std::string(slot.flag->value));
    // Without these a list flag would take everything and a plain one would reject a repetition in
    // CLI11's words.
    slot.option->expected(1, slot.flag->many ? CLI::detail::expected_max_vector_size : 1);
    // "[a]" is to stay "[a]", not become a list.
    slot.option->allow_extra_args(slot.flag->many);
    slot.option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
}

bool is_help(std::string_view name) { return name == "--help" || name == "-h"; }

/// What CLI11 would take in another sense: "--quiet=0" (true or false), "--memory --batch 3" (the memory
/// is "--batch").
void check_words(const Command& command, const std::vector<std::string>& command_line) {
  const auto flag_named = [&](std::string_view name) {
    return std::find_if(command.flags.begin(), command.flags.end(), [&](const Flag& each) {
      return each.name == name || (!each.brief.empty() && each.brief == name);
    });
  };
  const auto is_flag = [&](const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    return is_help(name) || flag_named(name) != command.flags.end();
  };
  for (std::size_t i = 2; i < command_line.size() && command_line[i] != "--"; ++i) {
    const std::string& word = command_line[i];
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto flag = flag_named(name);
    const bool is_known = flag != command.flags.end();
    if (is_known && !flag->value.empty() && equals == std::string::npos) {
      ++i;  // over its value
      if (i < command_line.size() && !is_flag(command_line[i]) && command_line[i] != "--") continue;
      bad_value(flag->name, "no value", "a value behind it",
                "see `ooc-paleo " + std::string(command.name) + " --help`");
    }
    if (!is_known || !flag->value.empty() || equals == std::string::npos) continue;
    bad_value(name, "the value " + in_quotes(word.substr(equals + 1)), "no value",
              "the flag alone switches it on");
  }
}

bool has_group(const Command& command, OptionGroup group) {
  return std::any_of(command.flags.begin(), command.flags.end(),
                     [&](const Flag& flag) { return flag.group == group; });
}

/// The part of --help that is asked for: "" of --help alone; none where nobody asks.
std::optional<std::string> help_asked(const Command& command,
                                      const std::vector<std::string>& command_line) {
  for (std::size_t i = 2; i < command_line.size() && command_line[i] != "--"; ++i) {
    const std::string& word = command_line[i];
    const std::size_t equals = word.find('=');
    if (!is_help(word.substr(0, equals))) {
      const auto flag =
          std::find_if(command.flags.begin(), command.flags.end(),
                       [&](const Flag& each) { return each.name == word || each.brief == word; });
      if (flag != command.flags.end() && !flag->value.empty()) ++i;
      continue;
    }
    const std::vector<std::string> words = help_words(command);
    std::string asked;
    if (equals != std::string::npos) {
      asked = word.substr(equals + 1);
    } else if (i + 1 < command_line.size() && !command_line[i + 1].starts_with("-")) {
      asked = command_line[i + 1];
    }
    const bool is_known = std::find(words.begin(), words.end(), asked) != words.end();
    if (!asked.empty() && !words.empty() && !is_known) unknown_word("--help", asked, words);
    return asked;
  }
  return std::nullopt;
}

/// The flags of a group, or of all; of --help alone also how to see the others.
std::string help_text(CLI::App& app, const Command& command, const std::vector<Slot>& slots,
                      const std::string& asked) {
  std::string others;
  for (const FlagGroup& group : flag_groups()) {
    const bool shown = asked == "all" || asked == group.word;
    if (!shown && !group.word.empty() && has_group(command, group.group)) {
      others += fmt::format("  --help {:<14}{}\n", group.word, group.title);
    }
    for (const Slot& slot : slots) {
      if (slot.flag->group == group.group)
        slot.option->group(shown ? std::string(group.title) : "");
    }
  }
  if (asked.empty() && !others.empty()) {
    app.footer("More options:\n" + others + "  --help all           Every option");
  }
  return app.help();
}

/// CLI11 says "--batch: 1 required N missing".
[[noreturn]] void rephrase(const Command& command, const std::string& what) {
  const std::size_t colon = what.find(": ");
  const bool names_flag = what.rfind("--", 0) == 0 && colon != std::string::npos;
  bad_value(names_flag ? what.substr(0, colon) : std::string(command.name),
            names_flag ? "no value" : what,
            names_flag ? "a value behind it" : "a command line it understands",
            "see `ooc-paleo " + std::string(command.name) + " --help`");
}

}  // namespace

std::variant<Arguments, HelpWanted> parse_arguments(const Command& command,
                                                    const std::vector<std::string>& command_line) {
  check_words(command, command_line);
  CLI::App app(description(command), "ooc-paleo " + std::string(command.name));
  app.allow_extras();
  std::vector<Slot> slots;
  add_flags(app, command, slots);
  std::string word;
  if (!command.positionals.word.empty()) {
    app.add_option(std::string(command.positionals.word), word,
                   std::string(command.positionals.word_help))
        ->type_name(std::string(command.positionals.word_choices));
  }
  std::vector<std::string> positionals;
  if (!command.positionals.name.empty()) {
    app.add_option(std::string(command.positionals.name), positionals,
                   std::string(command.positionals.help))
        ->expected(0, CLI::detail::expected_max_vector_size)
        ->type_name(std::string(command.positionals.choices));
  }

  if (const auto asked = help_asked(command, command_line)) {
    return HelpWanted{help_text(app, command, slots, *asked)};
  }
  std::vector<std::string> reversed(command_line.rbegin(), command_line.rend() - 2);
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    rephrase(command, error.what());
  }
  const auto dashes = std::find(command_line.begin(), command_line.end(), "--");
  const auto behind_dashes = [&](const std::string& each) {
    return std::find(dashes, command_line.end(), each) != command_line.end();
  };
  for (const std::string& extra : app.remaining()) {
    if (extra != "--") unknown_argument(command, extra, behind_dashes(extra));
  }
  if (positionals.size() > 1 && !command.positionals.many) {
    unknown_argument(command, positionals[1], behind_dashes(positionals[1]));
  }

  std::vector<std::pair<std::string, std::vector<std::string>>> flags;
  for (Slot& slot : slots) {
    if (slot.option->count() == 0) continue;
    if (slot.values.size() > 1 && !slot.flag->many) {
      bad_value(slot.flag->name, "it " + std::to_string(slot.values.size()) + " times", "it once");
    }
    if (slot.values.empty()) slot.values.emplace_back();
    flags.emplace_back(slot.flag->name, std::move(slot.values));
  }
  return Arguments(std::move(positionals), std::move(flags), command_line, std::move(word));
}

}  // namespace ooc
