// `manual`: the page that `man ooc-paleo` shows once it is installed.
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/output_file.hpp"
#include "simulator/predict/options.hpp"

namespace ooc {
namespace {

/// Text that troff takes as it stands: no escapes, no hyphens for minus signs, no requests.
std::string quoted_for_troff(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_begins = c == '\n';
  }
  return out;
}

std::string bold_words(std::string_view text) { return "\\fB" + quoted_for_troff(text) + "\\fR"; }

/// "--output, -o FILE": what it does (its choices).
std::string entry(std::string_view name, const std::string& help) {
  return fmt::format(".TP\n{}\n{}\n", name, quoted_for_troff(help));
}

std::string flag_entry(const Flag& flag) {
  std::string name = bold_words(flag.name);
  if (!flag.brief.empty()) name += ", " + bold_words(flag.brief);
  if (!flag.value.empty()) name += " " + quoted_for_troff(flag.value);
  return entry(name, help_of(flag));
}

std::string section(const Command& command) {
  const Positionals& names = command.positionals;
  std::string usage = bold_words(fmt::format("ooc-paleo {}", command.name));
  if (!names.word.empty()) usage += fmt::format(" {}", names.word);
  if (!names.name.empty()) usage += fmt::format(" {}{}", names.name, names.many ? "..." : "");
  if (!command.flags.empty()) usage += " [OPTIONS]";
  std::string text =
      fmt::format(".SS {}\n{}\n.PP\n{}\n.PP\n.EX\n{}.EE\n", command.name, usage,
                  quoted_for_troff(command.summary), quoted_for_troff(command.examples));
  if (!names.word.empty()) {
    text += entry(names.word, fmt::format("{} ({})", names.word_help, names.word_choices));
  }
  if (!names.name.empty()) {
    const std::string listed = names.choices.empty() ? "" : fmt::format(" ({})", names.choices);
    text += entry(quoted_for_troff(names.name), std::string(names.help) + listed);
  }
  for (const FlagGroup& group : flag_groups()) {
    std::string entries;
    for (const Flag& flag : command.flags) {
      if (flag.group == group.group) entries += flag_entry(flag);
    }
    if (!entries.empty() && !group.word.empty()) {
      text += fmt::format(".PP\n{} (\\-\\-help {}):\n", group.title, group.word);
    }
    text += entries;
  }
  return text;
}

/// The page in the language of man(7).
std::string manual_page() {
  std::string text = fmt::format(
      ".TH OOC\\-PALEO 1 \"\" \"ooc\\-paleo {}\" \"User Commands\"\n"
      ".SH NAME\n"
      "ooc\\-paleo \\- predicts training iterations that do not fit in accelerator memory\n"
      ".SH SYNOPSIS\n"
      "\\fBooc\\-paleo\\fR COMMAND [ARGUMENTS]\n"
      ".SH DESCRIPTION\n"
      "Predicts how long one training iteration takes when the network does not fit in the\n"
      "accelerator's memory and tensors are swapped to far memory, and why.\n"
      ".SH COMMANDS\n",
      version());
  for (const Command* command : commands()) text += section(*command);
  text +=
      ".SH ENVIRONMENT\n"
      ".TP\n\\fBOOC_PALEO_DATA\\fR\n"
      "a folder with networks/, hwprofiles/ and validation/ that goes before what is installed\n"
      ".TP\n\\fBNO_COLOR\\fR\nno colours\n"
      ".TP\n\\fBCOLUMNS\\fR\nwidth of the terminal\n"
      ".SH EXIT STATUS\n";
  return text + std::string(kExitCodes) + ".\n";
}

}  // namespace

extern const Command manual_command;

namespace {

constexpr std::array kManualFlags{flags::kOutput};

int run_manual(const Arguments& arguments) {
  OutputFile("--output", arguments.value("--output").value_or("-")).finish(manual_page());
  return kExitOk;
}

}  // namespace

const Command manual_command{
    .name = "manual",
    .summary = "the manual page, for man",
    .examples =
        "  ooc-paleo manual | man -l -\n"
        "  ooc-paleo manual -o ~/.local/share/man/man1/ooc-paleo.1\n",
    .positionals = {},
    .flags = kManualFlags,
    .run = &run_manual,
};

}  // namespace ooc
