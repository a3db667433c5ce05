// `schema`: the JSON Schema of an input format, as editors and checkers want it.
#include <array>
#include <string>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/locate.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "cli/text_file.hpp"

namespace ooc {
extern const Command schema_command;

namespace {

constexpr std::array kFlags{flags::kOutput};

int run_schema(const Arguments& arguments) {
  const std::string kind = required_positional(arguments, "schema", "network or hwprofile");
  if (kind != "network" && kind != "hwprofile") {
    unknown_word("schema", kind, {"network", "hwprofile"});
  }
  OutputFile out("--output", arguments.value("--output").value_or("-"));
  out.write(read_text_file(
      schema_path(kind == "network" ? DataKind::kNetwork : DataKind::kHardware), ""));
  out.commit();
  return kExitOk;
}

}  // namespace

const Command schema_command{
    .name = "schema",
    .summary = "the JSON Schema of the network or hardware profile format",
    .examples =
        "  ooc-paleo schema network\n"
        "  ooc-paleo schema hwprofile -o hwprofile.schema.json\n",
    .positionals = {.name = "FORMAT",
                    .help = "network or hwprofile",
                    .completes = Completes::kChoices,
                    .choices = "network|hwprofile"},
    .flags = kFlags,
    .run = &run_schema,
};

}  // namespace ooc
