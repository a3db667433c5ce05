// Two outputs in one place would overwrite each other, and an output in the place of an input would
// destroy what the user cannot get back: refused. Inputs are compared by device and inode, so that
// another spelling, a symbolic or a hard link is no way around.
#include "cli/outputs.hpp"

#include <sys/stat.h>

#include <utility>
#include <vector>

#include "cli/locate.hpp"
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

/// The files that are there; what is wrong with the others is for their readers to say.
std::vector<std::string> input_files(const Arguments& arguments, const Inputs& inputs) {
  std::vector<std::string> files;
  for (const std::string& name : inputs.networks) {
    if (auto path = find_data(DataKind::kNetwork, name)) files.push_back(*std::move(path));
  }
  for (const std::string& name : inputs.profiles) {
    if (auto path = find_data(DataKind::kHardware, name)) files.push_back(*std::move(path));
  }
  for (const std::string_view flag : {"--layer-times", "--import-measurements"}) {
    if (auto path = arguments.value(flag)) files.push_back(*std::move(path));
  }
  return files;
}

void check_no_input(const OutputFile& output, std::string_view flag,
                    const std::vector<std::string>& inputs) {
  struct stat to {};
  // Only files are replaced: devices and pipes may well be both.
  if (output.target().empty() || stat(output.target().c_str(), &to) != 0) return;
  for (const std::string& input : inputs) {
    struct stat from {};
    if (stat(input.c_str(), &from) != 0) continue;
    if (from.st_dev != to.st_dev || from.st_ino != to.st_ino) continue;
    const std::string also = input == output.path() ? "" : " (" + quoted(input) + ")";
    bad_value(flag, quoted(output.path()) + ", which is an input" + also, "a place of its own",
              "the input would be lost");
  }
}

std::optional<OutputFile> open_optional(const Arguments& arguments, const std::string& flag) {
  auto path = arguments.value(flag);
  if (!path) return std::nullopt;
  return OutputFile(flag, *std::move(path));
}

}  // namespace

Outputs open_outputs(const Arguments& arguments, const Inputs& inputs) {
  Outputs outputs{.result = OutputFile("--output", arguments.value("--output").value_or("-")),
                  .trace = open_optional(arguments, "--trace"),
                  .plan = open_optional(arguments, "--export-plan")};
  if (outputs.trace) check_apart(outputs.result, *outputs.trace, "--trace");
  if (outputs.plan) check_apart(outputs.result, *outputs.plan, "--export-plan");
  if (outputs.trace && outputs.plan) check_apart(*outputs.trace, *outputs.plan, "--export-plan");
  const std::vector<std::string> files = input_files(arguments, inputs);
  check_no_input(outputs.result, "--output", files);
  if (outputs.trace) check_no_input(*outputs.trace, "--trace", files);
  if (outputs.plan) check_no_input(*outputs.plan, "--export-plan", files);
  return outputs;
}

}  // namespace ooc
