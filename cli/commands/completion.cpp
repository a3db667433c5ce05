// `completion`: a script that teaches a shell the commands and flags.
#include "cli/completion.hpp"

#include <string>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"

namespace ooc {
extern const Command completion_command;

namespace {

std::string script_for(const std::string& shell) {
  if (shell == "bash") return bash_completion();
  if (shell == "zsh") return zsh_completion();
  if (shell == "fish") return fish_completion();
  unknown_word("completion", shell, {"bash", "zsh", "fish"});
}

int run_completion(const Arguments& arguments) {
  const std::string text =
      script_for(required_positional(arguments, "completion", "bash, zsh or fish"));
  OutputFile("stdout", "-").finish(text);
  return kExitOk;
}

}  // namespace

const Command completion_command{
    .name = "completion",
    .summary = "a completion script for bash, zsh or fish",
    .examples =
        "  ooc-paleo completion bash > ~/.local/share/bash-completion/completions/ooc-paleo\n"
        "  ooc-paleo completion zsh >> ~/.zshrc\n"
        "  ooc-paleo completion fish > ~/.config/fish/completions/ooc-paleo.fish\n",
    .positionals = {.name = "SHELL",
                    .help = "bash, zsh or fish",
                    .completes = Completes::kChoices,
                    .choices = "bash|zsh|fish"},
    .flags = {},
    .run = &run_completion,
};

}  // namespace ooc
