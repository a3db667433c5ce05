// `completion`: a script that teaches a shell the commands and flags.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"

namespace ooc {
namespace {

std::string spaced(std::string_view choices) {
  std::string words(choices);
  std::ranges::replace(words, '|', ' ');
  return words;
}

/// Names are those of files, which others may have named: compgen -W would run what stands in them, and the shell
/// what it puts on the line. Names of odd characters are not offered, those of files are quoted.
constexpr std::string_view kBashHelpers =
    "_ooc_paleo_names() {\n"
    "  local name rest\n"
    "  while read -r name rest; do\n"
    "    if [[ $name == \"$word\"* && $name != *[!A-Za-z0-9._+-]* ]]; then COMPREPLY+=(\"$name\"); "
    "fi\n"
    "  done < <(ooc-paleo list \"$1\" 2>/dev/null)\n"
    "}\n"
    "_ooc_paleo_files() {\n"
    "  local name\n"
    "  compopt -o filenames 2>/dev/null\n"
    "  while IFS= read -r name; do COMPREPLY+=(\"$name\"); done < <(compgen -f -- \"$word\")\n"
    "}\n";

/// A command that offers the words.
std::string bash_words(std::string_view words) {
  return fmt::format("COMPREPLY+=($(compgen -W \"{}\" -- \"$word\"))", words);
}

/// Commands that offer what a value may be.
std::string bash_values(Completes completes, std::string_view choices) {
  const std::string_view listed = list_word(completes);
  if (!listed.empty()) {
    return fmt::format("_ooc_paleo_names {}{}", listed,
                       completes == Completes::kSchedules ? "" : "; _ooc_paleo_files");
  }
  const bool is_file = completes == Completes::kFiles || completes == Completes::kInputs;
  return is_file ? "_ooc_paleo_files" : bash_words(spaced(choices));
}

std::string all_commands() {
  std::string names;
  for (const Command* command : commands()) names += std::string(command->name) + " ";
  return names + "--help --version";
}

std::string bash_case(const Command& command) {
  std::string flags;
  std::string out = fmt::format("    {})\n      case $before in\n", command.name);
  if (const auto words = help_words(command); !words.empty()) {
    out += fmt::format("        --help | -h) {}; return ;;\n",
                       bash_words(fmt::format("{}", fmt::join(words, " "))));
  }
  for (const Flag& flag : command.flags) {
    flags += std::string(flag.name) + " ";
    if (flag.brief.starts_with("--")) flags += std::string(flag.brief) + " ";
    if (flag.value.empty()) continue;
    const std::string pattern =
        flag.brief.empty() ? std::string(flag.name) : fmt::format("{} | {}", flag.name, flag.brief);
    out += fmt::format("        {}) {}; return ;;\n", pattern,
                       bash_values(flag.completes, flag.choices));
  }
  const Positionals& names = command.positionals;
  std::string values = bash_values(names.completes, names.choices);
  if (!names.word.empty()) values = bash_words(spaced(names.word_choices)) + "; " + values;
  out += fmt::format(
      "      esac\n"
      "      if [[ $word == -* ]]; then\n"
      "        {}\n"
      "      else\n"
      "        {}\n"
      "      fi ;;\n",
      bash_words(flags + "--help"), values);
  return out;
}

std::string bash_completion() {
  std::string out = "# Completion of ooc-paleo for bash:  source <(ooc-paleo completion bash)\n";
  out += kBashHelpers;
  out +=
      "_ooc_paleo() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} IFS=$' \\t\\n'\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n";
  out += "    " + bash_words(all_commands()) + "\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n";
  for (const Command* command : commands()) out += bash_case(*command);
  return out + "  esac\n}\ncomplete -F _ooc_paleo ooc-paleo\n";
}

std::string zsh_completion() {
  // In a folder of $fpath the file is the function that completes, read at the first use: that use is to complete too.
  return "#compdef ooc-paleo\n"
         "# Completion of ooc-paleo for zsh:  source <(ooc-paleo completion zsh)\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_completion() +
         "[[ ${funcstack[1]} != _ooc-paleo ]] || _bash_complete -F _ooc_paleo\n";
}

std::string script_for(const std::string& shell) {
  if (shell == "bash") return bash_completion();
  if (shell == "zsh") return zsh_completion();
  unknown_word("completion", shell, {"bash", "zsh"});
}

int run_completion(const Arguments& arguments) {
  const std::string text = script_for(required_positional(arguments, "completion", "bash or zsh"));
  OutputFile("stdout", "-").finish(text);
  return kExitOk;
}

}  // namespace

extern const Command completion_command{
    .name = "completion",
    .summary = "a completion script for bash or zsh",
    .examples =
        "  ooc-paleo completion bash > ~/.local/share/bash-completion/completions/ooc-paleo\n"
        "  ooc-paleo completion zsh >> ~/.zshrc\n",
    .positionals = {.name = "SHELL",
                    .help = "bash or zsh",
                    .completes = Completes::kChoices,
                    .choices = "bash|zsh"},
    .run = &run_completion,
};

}  // namespace ooc
