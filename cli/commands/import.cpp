// `import`: a checkpoint's config.json or an ONNX model as a network file.
#include <string>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/locate.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/remarks.hpp"
#include "model/base/errors.hpp"
#include "model/network/import_config.hpp"
#include "model/network/network_json.hpp"
#include "model/onnx/import_onnx.hpp"

namespace ooc {
namespace {

constexpr Flag kName{"--name", "NAME", "of the network; default: the file's, or the folder's"};
constexpr Flag kSource{"--source", "TEXT", "where the config comes from"};

const auto kImportFlags =
    flags::joined(flags::of_options({"--seq", "--target-seq", "--symbol", "--kernels", "--loss", "--allow-long",
                                     "--lora", "--lora-dropout", "--lora-dtype", "--base"}),
                  {kName, kSource, flags::kMaxInput, flags::kOutput});

/// The network of a checkpoint's config or of an ONNX model, and what could not be expressed.
SpecDocument imported(const std::string& name, NetworkOptions& options) {
  const std::string path = locate(DataKind::kNetwork, name, "MODEL");
  if (is_onnx(path)) {
    SpecDocument document = import_onnx(path, options);
    for (auto& [key, value] : document.root.members) {
      if (key == "name" && !options.name.empty()) value.text = options.name;
      if (key == "source" && !options.source.empty()) value.text = options.source;
      if (key == "description") remark_on(Remarks::kShown, path, value.text);
    }
    return document;
  }
  const SpecDocument config = read_spec_file(path, options.limits);
  if (!is_checkpoint_config(config)) {
    throw SpecError({config.file, "", "no \"model_type\"",
                     "the config.json of a checkpoint, or an ONNX model",
                     "a network file needs no import"});
  }
  return read_spec_text(import_config(config, options), "the network of " + config.file, options.limits);
}

int run_import(const Arguments& arguments) {
  const std::string name =
      required_positional(arguments, "MODEL", "a config.json, the folder of one, or an ONNX model");
  NetworkOptions how = arguments.options;
  how.name = arguments.value(kName).value_or("");
  how.source = arguments.value(kSource).value_or("");
  Outputs outputs = open_outputs(arguments, {.networks = {&name, 1}});
  SpecDocument file = imported(name, how);
  const Network network = read_network(file, how);
  expect_sums(file, network);
  const bool fused = how.kernels == ImportKernels::kFused;
  if (how.adapters) add_adapters(file, *how.adapters, fused);
  outputs.result.finish(json_text(file.root));
  return kExitOk;
}

}  // namespace

extern const Command import_command{
    .name = "import",
    .summary = "an ONNX model, or the config.json of a transformer, as a network file",
    .examples =
        "  ooc-paleo import Meta-Llama-3-8B/config.json --seq 8192 -o llama.json\n"
        "  ooc-paleo import Meta-Llama-3-8B --kernels fused -o fused.json\n"
        "  ooc-paleo import model.onnx --symbol seq=128 -o model.json\n",
    .positionals = {.name = "MODEL",
                    .help = "an ONNX model, the config.json of a checkpoint, its folder, or - (standard input)",
                    .completes = Completes::kInputs},
    .flags = kImportFlags,
    .run = &run_import,
};

}  // namespace ooc
