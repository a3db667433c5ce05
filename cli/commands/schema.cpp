// `schema`: the JSON Schema of an input format, as editors and checkers want it.
#include <array>
#include <filesystem>
#include <string>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/job_file.hpp"
#include "cli/locate.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "model/base/text_file.hpp"

namespace ooc {
namespace {

constexpr std::array kSchemaFlags{flags::kOutput};

DataKind kind_of(const std::string& format) {
  if (format == "network") return DataKind::kNetwork;
  if (format == "hwprofile") return DataKind::kHardware;
  if (format == "framework") return DataKind::kFramework;
  if (format == "row") return DataKind::kRow;
  unknown_word("schema", format,
               {"network", "hwprofile", "framework", "job", "study", "policy", "row", "measured"});
}

std::string path_of(const std::string& format) {
  // No kind of data that is found by name: beside what they are about.
  const auto beside = [](DataKind kind, const char* file) {
    return (std::filesystem::path(schema_path(kind)).parent_path() / file).string();
  };
  if (format == "measured") return beside(DataKind::kRow, "measured.schema.json");
  if (format == "policy") return beside(DataKind::kNetwork, "policy.schema.json");
  return schema_path(kind_of(format));
}

int run_schema(const Arguments& arguments) {
  const std::string format = required_positional(
      arguments, "schema", "network, hwprofile, framework, job, policy, row or measured");
  const bool is_job = format == "job" || format == "study";
  OutputFile("--output", arguments.output())
      .finish(is_job ? job_schema() : read_text_file(path_of(format)));
  return kExitOk;
}

}  // namespace

extern const Command schema_command{
    .name = "schema",
    .summary =
        "the JSON Schema of networks, hardware profiles, frameworks, jobs, policies or rows of "
        "`validate`",
    .examples =
        "  ooc-paleo schema network\n"
        "  ooc-paleo schema hwprofile -o hwprofile.schema.json\n",
    .positionals =
        {.name = "FORMAT",
         .help = "network, hwprofile, framework, job (study: the same), policy, row or measured",
         .completes = Completes::kChoices,
         .choices = "network|hwprofile|framework|job|study|policy|row|measured"},
    .flags = kSchemaFlags,
    .run = &run_schema,
};

}  // namespace ooc
