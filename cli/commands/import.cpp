// `import`: a checkpoint's config.json as a network file.
#include <string>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/locate.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "model/base/errors.hpp"
#include "model/network/import_config.hpp"
#include "model/network/network_json.hpp"

namespace ooc {
extern const Command import_command;

namespace {

constexpr Flag kName{"--name", "NAME", "of the network; default: the file's, or the folder's"};
constexpr Flag kSource{"--source", "TEXT", "where the config comes from"};

const auto kImportFlags =
    flags::joined(flags::of_options({"--seq", "--target-seq", "--kernels", "--loss", "--allow-long",
                                     "--lora", "--lora-dropout", "--lora-dtype", "--base"}),
                  {kName, kSource, flags::kMaxInput, flags::kOutput});

ImportOptions import_options(const Arguments& arguments, const CaseOptions& job) {
  ImportOptions options;
  options.families = job.families;
  options.symbols = job.symbols;
  options.kernels = job.kernels.value_or(options.kernels);
  options.loss = job.loss;
  options.allow_long = job.long_sequences;
  options.name = arguments.value(kName).value_or("");
  options.source = arguments.value(kSource).value_or("");
  return options;
}

int run_import(const Arguments& arguments) {
  const std::string name =
      required_positional(arguments, "CONFIG", "a config.json or the folder of one");
  const CaseOptions job = case_options(arguments);
  const ImportOptions options = import_options(arguments, job);
  const std::optional<AdapterOptions>& adapters = job.adapters;
  const ReadLimits limits = job.limits;
  Outputs outputs = open_outputs(arguments, {.networks = {&name, 1}, .profiles = {}});
  const SpecDocument config = read_spec_file(locate(DataKind::kNetwork, name, "CONFIG"), limits);
  if (!is_checkpoint_config(config)) {
    throw SpecError({.file = config.file,
                     .found = "no \"model_type\"",
                     .expected = "the config.json of a checkpoint",
                     .hint = "a network file needs no import"});
  }
  SpecDocument file =
      read_spec_text(import_config(config, options), "the network of " + config.file, limits);
  const Network network =
      read_network(file, {.limits = limits, .symbols = options.symbols, .adapters = adapters});
  expect_sums(file, network);
  if (adapters) add_adapters(file, *adapters);
  outputs.result.finish(json_text(file.root));
  return kExitOk;
}

}  // namespace

const Command import_command{
    .name = "import",
    .summary = "the config.json of a transformer as a network file",
    .examples =
        "  ooc-paleo import Meta-Llama-3-8B/config.json --seq 8192 -o llama.json\n"
        "  ooc-paleo import Meta-Llama-3-8B --kernels fused -o fused.json\n",
    .positionals = {.name = "CONFIG",
                    .help = "config.json of a checkpoint, its folder, or - (standard input)",
                    .completes = Completes::kInputs},
    .flags = kImportFlags,
    .run = &run_import,
};

}  // namespace ooc
