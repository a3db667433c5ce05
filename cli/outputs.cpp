// Two outputs in one place would overwrite each other, and an output in the place of an input would
// destroy what the user cannot get back: refused. Inputs are compared by device and inode, so that
// another spelling, a symbolic or a hard link is no way around.
#include "cli/outputs.hpp"

#include <sys/stat.h>

#include <utility>

#include "cli/locate.hpp"
#include "model/base/errors.hpp"
#include "model/base/text_file.hpp"

namespace ooc {
namespace {

/// An output as the user named it.
struct Named {
  std::string flag;
  std::string path;
};

bool same_place(const Named& a, const Named& b) {
  if (a.path == "-" || b.path == "-") return a.path == b.path;
  const std::string target = output_target(a.path);
  return !target.empty() && target == output_target(b.path);
}

void check_apart(const Named& first, const Named& second) {
  if (!same_place(first, second)) return;
  bad_value(second.flag, in_quotes(second.path) + ", where another output goes",
            "a place of its own",
            second.path == "-" ? "give that one a file, or use -o FILE for the result" : "");
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
  files.insert(files.end(), inputs.others.begin(), inputs.others.end());
  if (!arguments.job.empty()) files.push_back(arguments.job);
  for (const GivenFlag& given : arguments.flags) {
    if (given.flag->completes == Completes::kInputs) files.push_back(given.values.front());
  }
  return files;
}

void check_no_input(const Named& output, const std::vector<std::string>& inputs) {
  struct stat to {};
  const std::string target = output_target(output.path);
  // Only files are replaced: devices and pipes may well be both.
  if (target.empty() || stat(target.c_str(), &to) != 0) return;
  for (const std::string& input : inputs) {
    struct stat from {};
    if (stat(input.c_str(), &from) != 0) continue;
    if (from.st_dev != to.st_dev || from.st_ino != to.st_ino) continue;
    const std::string also = input == output.path ? "" : " (" + in_quotes(input) + ")";
    bad_value(output.flag, in_quotes(output.path) + ", which is an input" + also,
              "a place of its own", "the input would be lost");
  }
}

}  // namespace

void check_outputs(const Arguments& arguments, const Inputs& inputs) {
  std::vector<Named> named{{"--output", arguments.output()}};
  for (const char* flag :
       {"--trace", "--memory-snapshot", "--export-plan", "--export-policy", "--report"}) {
    if (auto path = arguments.value(flag)) named.push_back({flag, *std::move(path)});
  }
  const std::vector<std::string> files = input_files(arguments, inputs);
  for (std::size_t i = 0; i < named.size(); ++i) {
    for (std::size_t before = 0; before < i; ++before) check_apart(named[before], named[i]);
    check_no_input(named[i], files);
  }
}

Outputs open_outputs(const Arguments& arguments, const Inputs& inputs) {
  // Everything is checked before the first file is made.
  check_outputs(arguments, inputs);
  const auto open = [&](const char* flag) -> std::optional<OutputFile> {
    auto path = arguments.value(flag);
    return path ? std::optional<OutputFile>(std::in_place, flag, *std::move(path)) : std::nullopt;
  };
  return {.result = OutputFile("--output", arguments.output()),
          .trace = open("--trace"),
          .plan = open("--export-plan"),
          .policy = open("--export-policy"),
          .snapshot = open("--memory-snapshot"),
          .pictures = Pictures(arguments)};
}

Pictures::Pictures(const Arguments& arguments, std::string_view flag) {
  auto path = arguments.value(flag);
  if (!path) return;
  auto script = find_page_script();
  if (!script) {
    bad_value(flag, "no charts: pages/report.js is not there",
              "it beside the program's data, or in the build folder of its sources",
              "scripts/build-pages makes it; it needs npm");
  }
  script_ = *std::move(script);
  page_.emplace(std::string(flag), *std::move(path));
}

void Pictures::finish(std::string_view title, std::span<const PageDocument> documents) {
  if (!page_) return;
  const std::string script = read_text_file(script_);
  page_->finish(page_html({.title = title, .documents = documents, .script = script}));
}

}  // namespace ooc
