// `inspect`: what a network is made of; with --hardware also what its layers cost.
#include <optional>
#include <string>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/job.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/predict/remarks.hpp"

namespace ooc {
namespace {

const auto kInspectFlags = flags::joined(
    flags::of_options({"--hardware",        "--batch",      "--layer-times",  "--compute",
                       "--percent-of-peak", "--framework",  "--accounting",   "--optimizer",
                       "--precision",       "--grad-dtype", "--master-dtype", "--state-dtype",
                       "--dtype",           "--seq",        "--target-seq",   "--symbol",
                       "--kernels",         "--loss",       "--allow-long",   "--lora",
                       "--lora-dropout",    "--lora-dtype", "--base"}),
    {flags::kFormat, flags::kOutput, flags::kMaxInput, flags::kQuiet, flags::kNoColor});

int run_inspect(const Arguments& arguments) {
  const std::string network = network_of(arguments);
  const std::optional<std::string> profile = arguments.value("--hardware");
  if (!profile && arguments.has("--layer-times")) needs_option("--layer-times", "--hardware");
  CaseOptions options = arguments.options;
  options.per_sample = true;
  const ResultOptions& result = arguments.result;
  Outputs outputs = open_outputs(
      arguments, {.networks = {&network, 1}, .profiles = arguments.values("--hardware")});

  std::optional<Machine> machine;
  if (profile) machine = load_hardware(*profile, "--hardware", options);
  load_framework_of(options, arguments.value("--framework"),
                    {machine ? &*machine : nullptr, profile ? 1U : 0U});
  const Workload workload = load_workload(network, "NETWORK", options);
  load_layer_times(options, arguments, workload);
  remark_on_training(result.remarks, workload, options);
  const NetworkReport report = inspect(workload, machine ? &*machine : nullptr, options);
  if (machine) {
    remark_on_machine(result.remarks, *machine, 0);
    const ComputeOptions compute{.batch = report.inputs.batch, .layer_times = options.layer_times};
    remark_on(result.remarks, workload.path, stated_times_remark(workload, compute));
  }
  const HardwareProfile* hardware = machine ? &machine->profile : nullptr;
  const std::string text = dtype_remark(*workload.network, hardware, options);
  if (!text.empty()) remark(result.remarks, "remark: " + text);
  outputs.result.finish(result.writer->inspection(report, result.write));
  return kExitOk;
}

}  // namespace

extern const Command inspect_command{
    .name = "inspect",
    .summary = "layers, shapes, parameters, MACs, saved bytes",
    .examples =
        "  ooc-paleo inspect vgg16\n"
        "  ooc-paleo inspect vgg16 --batch 256 --hardware v100-16gb-pcie3 --format json\n",
    .positionals = flags::kNetwork,
    .flags = kInspectFlags,
    .run = &run_inspect,
};

}  // namespace ooc
