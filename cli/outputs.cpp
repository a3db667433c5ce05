// Two outputs in one place would overwrite each other: refused.
#include "cli/outputs.hpp"

#include <utility>

#include "cli/options.hpp"

namespace ooc {
namespace {

bool same_place(const OutputFile& a, const OutputFile& b) {
  if (a.is_stdout() || b.is_stdout()) return a.is_stdout() && b.is_stdout();
  return !a.target().empty() && a.target() == b.target();
}

void check_apart(const OutputFile& first, const OutputFile& second, std::string_view flag) {
  if (!same_place(first, second)) return;
  bad_value(flag, quoted(second.path()) + ", where another output goes", "a place of its own",
            second.is_stdout() ? "give that one a file, or use -o FILE for the result" : "");
}

std::optional<OutputFile> open_optional(const Arguments& arguments, const std::string& flag) {
  auto path = arguments.value(flag);
  if (!path) return std::nullopt;
  return OutputFile(flag, *std::move(path));
}

}  // namespace

Outputs open_outputs(const Arguments& arguments) {
  Outputs outputs{.result = OutputFile("--output", arguments.value("--output").value_or("-")),
                  .trace = open_optional(arguments, "--trace"),
                  .plan = open_optional(arguments, "--export-plan")};
  if (outputs.trace) check_apart(outputs.result, *outputs.trace, "--trace");
  if (outputs.plan) check_apart(outputs.result, *outputs.plan, "--export-plan");
  if (outputs.trace && outputs.plan) check_apart(*outputs.trace, *outputs.plan, "--export-plan");
  return outputs;
}

}  // namespace ooc
