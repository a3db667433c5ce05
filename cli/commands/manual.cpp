// `manual`: the page that `man ooc-paleo` shows once it is installed.
#include "cli/manual.hpp"

#include <array>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/output_file.hpp"

namespace ooc {
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
