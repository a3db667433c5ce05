// Finds the subcommand and runs it; the top-level --help and --version.
#include "cli/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "cli/command.hpp"
#include "cli/job_file.hpp"
#include "cli/locate.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/parse.hpp"
#include "cli/remarks.hpp"
#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/terminal_text.hpp"
#include "model/base/text_file.hpp"
#include "reports/writers/text_table.hpp"
#include "simulator/predict/options.hpp"

namespace ooc {
namespace {

/// Throws SpecError if two inputs are standard input. Unless --quiet, remarks on names of data files that also exist in
/// the current folder.
void check_inputs(const Arguments& arguments) {
  bool reads_standard_input = false;
  const auto check = [&](std::string_view place, Completes completes,
                         std::span<const std::string> names) {
    const std::optional<DataKind> kind = data_kind(list_word(completes));
    if (!kind && completes != Completes::kInputs) return;
    for (const std::string& name : names) {
      if (name == kStandardInput && std::exchange(reads_standard_input, true)) {
        bad_value(place, "standard input, which is read already", "one input from there",
                  "give the other as a file");
      }
      const std::string text = kind ? remark_on_name(*kind, name) : "";
      if (!text.empty()) remark(arguments.remarks(), "remark: " + text);
    }
  };
  const Positionals& positionals = arguments.command->positionals;
  check(positionals.name, positionals.completes, arguments.positionals);
  for (const auto& [flag, values] : arguments.flags) check(flag->name, flag->completes, values);
}

std::string top_level_help() {
  std::string text = "Examples:\n";
  for (const std::string_view name : {"predict", "compare", "sweep", "inspect"}) {
    const std::string_view examples = find_command(name)->examples;
    text += examples.substr(0, examples.find('\n') + 1);
  }
  text +=
      "\n"
      "OOC-Paleo predicts how long one training iteration takes when the network does not fit in\n"
      "the accelerator's memory, and why.\n"
      "\n"
      "Usage: ooc-paleo COMMAND [ARGUMENTS]\n"
      "\n"
      "Commands:\n";
  for (const Command* command : commands()) {
    text += fmt::format("  {:<12}{}\n", command->name, command->summary);
  }
  text +=
      "\n"
      "`ooc-paleo COMMAND --help` explains one command; --version prints the version.\n"
      "Exit codes: ";
  text += kExitCodes;
  text += ".\n";
  return text;
}

/// The version, and where names are looked up: two installations differ in both.
std::string version_text() {
  std::string text = fmt::format("ooc-paleo {}\n", version());
  const std::vector<std::string> folders = data_folders();
  for (const std::string& folder : folders) text += fmt::format("data: {}\n", printable(folder));
  if (folders.empty()) text += no_data_folder() + "\n";
  return text;
}

int print(const std::string& text) {
  OutputFile("stdout", "-").finish(text);
  return kExitOk;
}

[[noreturn]] void unknown_command(const std::string& word) {
  std::vector<std::string> known = names_of(commands());
  const bool is_flag = word.rfind('-', 0) == 0;
  if (is_flag) known = {"--help", "--version"};
  const auto near = nearest_word(word, known);
  bad_value(is_flag ? word : "",
            is_flag ? "an unknown flag" : "the unknown command \"" + word + "\"",
            fmt::format("{}one of: {}", is_flag ? "a command or " : "", fmt::join(known, ", ")),
            near ? "did you mean " + *near + "?" : "");
}

/// Whether one value was wanted where lists and ranges are what `sweep` takes.
bool is_for_sweep(const Command& command, const SpecError::Parts& error) {
  if (command.name == "sweep" || !error.file.empty() || !error.hint.empty()) return false;
  const auto kinds = axis_kinds();
  const std::size_t quote = error.found.rfind('"');
  return quote != std::string::npos && error.found.find_first_of(":,") < quote &&
         find_named(kinds, error.place, &Option::flag) != nullptr;
}

/// The flag that was typed for what an error blames: --schedules is --schedule, and a preset of --state is a list of
/// --offload.
std::string_view typed_for(const Arguments& arguments, const SpecError::Parts& error) {
  if (!error.file.empty()) return "";
  if (error.place == "--offload" && arguments.has("--state") && !arguments.has("--offload")) {
    return "--state";
  }
  const auto& words = arguments.command_line;
  const bool is_list = std::ranges::any_of(words, [](const std::string& word) {
    return word == "--schedules" || word.starts_with("--schedules=");
  });
  return error.place == "--schedule" && is_list ? "--schedules" : "";
}

}  // namespace

int run_command_line(const std::vector<std::string>& command_line) {
  if (command_line.size() < 2) {
    throw SpecError({"", "", "no command", "`ooc-paleo COMMAND ...`", "see `ooc-paleo --help`"});
  }
  const std::string& word = command_line[1];
  if (word == "--help" || word == "-h" || word == "help") {
    return print(folded(top_level_help(), width_for("-")));
  }
  if (word == "--version") return print(version_text());
  const Command* command = find_command(word);
  if (command == nullptr) unknown_command(word);

  auto parsed = parse_arguments(*command, command_line);
  if (const auto* help = std::get_if<HelpWanted>(&parsed))
    return print(folded(help->text, width_for("-")));
  const Arguments& typed = std::get<Arguments>(parsed);
  const auto job = find_job(typed);
  Arguments arguments = job ? job->with_flags_of(typed) : typed;
  try {
    check_inputs(arguments);
    read_options(arguments);
    return command->run(arguments);
  } catch (const SpecError& error) {
    SpecError::Parts parts = error.parts();
    if (is_for_sweep(*command, parts)) {
      parts.hint = "lists and ranges of values are for `ooc-paleo sweep`";
    } else if (const auto flag = typed_for(arguments, parts); !flag.empty()) {
      parts.place = flag;
    } else if (!job) {
      throw;
    }
    throw job ? job->located(SpecError(std::move(parts)), typed) : SpecError(std::move(parts));
  }
}

}  // namespace ooc
