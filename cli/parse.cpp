// A word begins a flag where "-" and more stand at its front, but no number. What a wrong command line is told are the same
// SpecErrors as for files, so that a script sees one kind of message.
#include "cli/parse.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>

#include "cli/flags.hpp"
#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"
#include "model/base/quantity_io.hpp"
#include "model/base/spec_tree.hpp"

namespace ooc {
namespace {

bool is_help(std::string_view name) { return name == "--help" || name == "-h"; }

bool begins_flag(std::string_view word) {
  return word.size() > 1 && word.front() == '-' && (word[1] < '0' || word[1] > '9');
}

std::string see_help(const Command& command) {
  return fmt::format("see `ooc-paleo {} --help`", command.name);
}

[[noreturn]] void unknown_flag(const Command& command, const std::string& flag) {
  std::vector<std::string> known{"--help"};
  for (const Flag& each : command.flags) {
    known.emplace_back(each.name);
    if (each.brief.starts_with("--")) known.emplace_back(each.brief);
  }
  const auto near = nearest_word(flag, known);
  bad_value(flag, "an unknown flag", fmt::format("a flag of `{}`", command.name),
            near ? "did you mean " + *near + "?"
                 : fmt::format("see `ooc-paleo {} --help all`", command.name));
}

[[noreturn]] void too_many(const Command& command, const std::string& word, bool behind_dashes) {
  bad_value(
      command.name,
      "one argument too many, " + in_quotes(word) + (behind_dashes ? " behind \"--\"" : ""),
      command.positionals.name.empty() ? "flags only"
                                       : "one " + std::string(command.positionals.name),
      behind_dashes ? "all words behind \"--\" are arguments: flags go before" : see_help(command));
}

/// "  --batch N                   samples per iteration", a long left part on a line of its own.
std::string help_line(std::string left, std::string_view right) {
  constexpr std::size_t kLeft = 30;
  left.insert(0, "  ");
  left.append(left.size() < kLeft ? kLeft - left.size() : 0, ' ');
  if (left.size() > kLeft) left += "\n" + std::string(kLeft, ' ');
  return left.append(right) + "\n";
}

std::string names_of(const Flag& flag) {
  if (flag.brief.empty()) return std::string(flag.name);
  const bool is_letter = !flag.brief.starts_with("--");
  return is_letter ? fmt::format("{},{}", flag.brief, flag.name)
                   : fmt::format("{},{}", flag.name, flag.brief);
}

std::string help_of_positionals(const Positionals& positionals) {
  std::string lines;
  const auto add = [&](std::string_view name, std::string_view choices, std::string_view end,
                       std::string_view help) {
    if (name.empty()) return;
    const std::string_view between = choices.empty() ? "" : " ";
    lines += help_line(fmt::format("{}{}{}{}", name, between, choices, end), help);
  };
  add(positionals.word, positionals.word_choices, "", positionals.word_help);
  add(positionals.name, positionals.choices, " ...", positionals.help);
  return lines.empty() ? lines : "Positionals:\n" + lines + "\n";
}

/// The flags of a group, or of all; of --help alone ("") also how to see the others.
std::string help_text(const Command& command, const std::string& asked) {
  const Positionals& positionals = command.positionals;
  std::string text =
      fmt::format("Examples:\n{}\n{}\nUsage: ooc-paleo {} [OPTIONS]{}{}\n\n{}", command.examples,
                  command.summary, command.name,
                  positionals.word.empty() ? "" : fmt::format(" [{}]", positionals.word),
                  positionals.name.empty() ? "" : fmt::format(" [{}...]", positionals.name),
                  help_of_positionals(positionals));
  std::string others;
  for (const FlagGroup& group : flag_groups()) {
    std::string lines;
    if (group.word.empty()) lines = help_line("-h,--help", "Print this help message and exit");
    for (const Flag& flag : command.flags) {
      if (flag.group != group.group) continue;
      const std::string value = flag.value.empty() ? "" : fmt::format(" {}", flag.value);
      lines += help_line(names_of(flag) + value + (flag.many ? " ..." : ""), help_of(flag));
    }
    if (lines.empty()) continue;
    if (asked == "all" || asked == group.word) {
      text += fmt::format("{}:\n{}\n", group.title, lines);
    } else if (!group.word.empty()) {
      others += fmt::format("  --help {:<14}{}\n", group.word, group.title);
    }
  }
  if (!asked.empty() || others.empty()) return text;
  return text + "\nMore options:\n" + others + "  --help all           Every option\n";
}

ReadLimits limits_of(std::string_view text, std::string_view flag) {
  const ReadLimits limits{.max_bytes = bytes_of(text, flag).count()};
  const Int128 memory = Int128{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  if (memory > 0 && memory < limits.max_bytes) {
    bad_value(flag, in_quotes(text),
              fmt::format("at most {}, the memory of this machine",
                          format_bytes(Bytes(static_cast<std::int64_t>(memory)))));
  }
  return limits;
}

class Parser {
 public:
  Parser(const Command& command, const std::vector<std::string>& words)
      : command_(command), words_(words) {}

  std::variant<Arguments, HelpWanted> parse() {
    while (at_ < words_.size() && words_[at_] != "--") {
      const std::string& word = words_[at_++];
      begins_flag(word) ? take_flag(word) : plain_.push_back(word);
    }
    const std::size_t before_dashes = plain_.size();
    if (at_ < words_.size())
      plain_.insert(plain_.end(), words_.begin() + long(at_) + 1, words_.end());
    if (help_) return HelpWanted{help_text(command_, *help_)};
    if (unknown_) unknown_flag(command_, *unknown_);
    const std::size_t words = command_.positionals.word.empty() ? 0 : 1;
    const std::size_t most = words + (command_.positionals.many           ? plain_.size()
                                      : command_.positionals.name.empty() ? 0
                                                                          : 1);
    if (plain_.size() > most) too_many(command_, plain_[most], most >= before_dashes);
    std::string word;
    if (words > 0 && !plain_.empty()) {
      word = plain_.front();
      plain_.erase(plain_.begin());
    }
    Arguments arguments{.command = &command_, .command_line = words_, .word = std::move(word)};
    for (auto& [flag, values] : given_) {
      if (flag->value.empty()) values.resize(1);
      if (values.size() > 1 && !flag->many) {
        bad_value(flag->name, in_quotes(values[0]) + ", then " + in_quotes(values[1]), "it once");
      }
      arguments.flags.push_back({flag, std::move(values)});
    }
    arguments.positionals = std::move(plain_);
    if (const auto text = arguments.value(flags::kMaxInput)) {
      arguments.options.limits = limits_of(*text, flags::kMaxInput.name);
    }
    return arguments;
  }

 private:
  [[nodiscard]] const Flag* find(std::string_view name) const {
    const auto found = std::ranges::find_if(command_.flags, [&](const Flag& each) {
      return each.name == name || (!name.empty() && each.brief == name);
    });
    return found == command_.flags.end() ? nullptr : &*found;
  }
  [[nodiscard]] bool has_value_next() const {
    return at_ < words_.size() && words_[at_] != "--" && !begins_flag(words_[at_]);
  }

  /// "--batch 3", "--batch=3", "-o x", "-ox".
  void take_flag(const std::string& word) {
    constexpr std::size_t kLetter = 2;  // "-o"
    std::size_t end = std::min(word.find('='), word.size());
    if (word[1] != '-' && find(word.substr(0, kLetter)) != nullptr) end = kLetter;
    const std::string name = word.substr(0, end);
    const bool joined = end < word.size();
    std::string value =
        word.substr(std::min(end + (joined && word[end] == '=' ? 1 : 0), word.size()));
    if (is_help(name)) return take_help(joined, std::move(value));
    const Flag* flag = find(name);
    if (flag == nullptr) {
      if (!unknown_) unknown_ = name;
      return;
    }
    std::vector<std::string>& values = given_[flag];
    if (flag->value.empty()) {
      if (joined) {
        bad_value(name, "the value " + in_quotes(value), "no value",
                  "the flag alone switches it on");
      }
      values.emplace_back();
      return;
    }
    if (joined) {
      values.push_back(std::move(value));
    } else if (has_value_next()) {
      values.push_back(words_[at_++]);
    } else {
      bad_value(flag->name, "no value", "a value behind it", see_help(command_));
    }
    while (flag->many && has_value_next()) values.push_back(words_[at_++]);
  }

  /// "--help", "--help state", "--help=state".
  void take_help(bool joined, std::string asked) {
    if (!joined && has_value_next()) asked = words_[at_];
    const std::vector<std::string> groups = help_words(command_);
    const bool is_known = contains(groups, asked);
    if (!asked.empty() && !groups.empty() && !is_known) unknown_word("--help", asked, groups);
    if (!help_) help_ = groups.empty() ? "" : std::move(asked);
  }

  const Command& command_;
  const std::vector<std::string>& words_;
  std::size_t at_ = 2;  ///< behind the names of program and command
  std::vector<std::string> plain_;
  std::map<const Flag*, std::vector<std::string>> given_;  ///< in the order of the command's
  std::optional<std::string> unknown_;                     ///< the first unknown flag
  std::optional<std::string> help_;                        ///< what of the help is wanted
};

}  // namespace

std::variant<Arguments, HelpWanted> parse_arguments(const Command& command,
                                                    const std::vector<std::string>& command_line) {
  return Parser(command, command_line).parse();
}

}  // namespace ooc
