// The flags that several subcommands share, as data (docs/formats.md, 4). A command lists those it
// takes; options.cpp gives them their meaning.
#pragma once

#include <algorithm>
#include <array>

#include "cli/command.hpp"

namespace ooc::flags {

inline constexpr Flag kHardware{
    .name = "--hardware",
    .value = "PROFILE",
    .help = "hardware profile: a file, - (standard input) or a name of `ooc-paleo list hardware`",
    .completes = Completes::kHardware};
inline constexpr Flag kBatch{
    .name = "--batch", .value = "N", .help = "samples per iteration; default: the network file's"};
inline constexpr Flag kSchedule{
    .name = "--schedule",
    .value = "NAME",
    .help = "what moves when: a name of `ooc-paleo list schedules`; default capacity",
    .completes = Completes::kSchedules};
inline constexpr Flag kSchedules{.name = "--schedules",
                                 .value = "LIST",
                                 .help = "all (default) or names between commas",
                                 .completes = Completes::kSchedules};
/// --schedule and --schedules are two names of one flag, of a name or of a list.
inline constexpr Flag kScheduleToo{.name = "--schedule",
                                   .value = "LIST",
                                   .help = "the same as --schedules",
                                   .completes = Completes::kSchedules};
inline constexpr Flag kSchedulesToo{.name = "--schedules",
                                    .value = "LIST",
                                    .help = "the same as --schedule",
                                    .completes = Completes::kSchedules};
inline constexpr Flag kMemory{
    .name = "--memory",
    .value = "SIZE",
    .help = "near memory for the job, e.g. 12GiB; default: the profile's capacity - reserved"};
inline constexpr Flag kFarMemory{
    .name = "--far-memory",
    .value = "SIZE",
    .help = "capacity of far memory, e.g. 64GiB; default: the profile's"};
inline constexpr Flag kFormat{.name = "--format",
                              .value = "FORMAT",
                              .help = "default: what -o ends with, else table",
                              .completes = Completes::kChoices,
                              .choices = "table|json|csv"};
inline constexpr Flag kOutput{.name = "--output",
                              .brief = "-o",
                              .value = "FILE",
                              .help = "where the result goes; - is standard output (default)",
                              .completes = Completes::kFiles};
inline constexpr Flag kTrace{.name = "--trace",
                             .value = "FILE",
                             .help = "also write a trace for https://ui.perfetto.dev",
                             .completes = Completes::kFiles};
inline constexpr Flag kReport{.name = "--report",
                              .value = "FILE",
                              .help = "also write charts: one HTML page, for any browser",
                              .completes = Completes::kFiles};
inline constexpr Flag kPlot{.name = "--plot",
                            .value = "FILE",
                            .help = "also write the main chart as SVG (needs Node.js)",
                            .completes = Completes::kFiles};
inline constexpr Flag kSteps{
    .name = "--steps", .value = "", .help = "also report every step of the plan with its times"};
inline constexpr Flag kEquations{
    .name = "--equations",
    .value = "",
    .help = "also report OOC-Paleo's equations (3) to (12), each beside what the run came to"};
inline constexpr Flag kExportPlan{.name = "--export-plan",
                                  .value = "FILE",
                                  .help = "also write the plan, one line a step",
                                  .completes = Completes::kFiles};
inline constexpr Flag kExportPolicy{
    .name = "--export-policy",
    .value = "FILE",
    .help = "also write what becomes of each tensor, as JSON for scripts/apply_policy.py",
    .completes = Completes::kFiles};
inline constexpr Flag kLayerTimes{
    .name = "--layer-times",
    .value = "FILE",
    .help =
        "measured times, CSV with the columns layer,forward_ms,backward_ms; - is standard input",
    .completes = Completes::kInputs};
inline constexpr Flag kLink{
    .name = "--link",
    .value = "RATE",
    .help = "link rate in both directions instead of the profile's, e.g. 32GB/s, or inf"};
inline constexpr Flag kLinkToFar{.name = "--link-to-far",
                                 .value = "RATE",
                                 .help = "link rate to far memory alone, before --link"};
inline constexpr Flag kLinkToNear{.name = "--link-to-near",
                                  .value = "RATE",
                                  .help = "link rate to near memory alone, before --link"};
inline constexpr Flag kDuplex{
    .name = "--duplex",
    .value = "RATIO",
    .help =
        "what each direction of the link keeps of its rate while both move bytes: 0.5 (half "
        "duplex of equal rates) to 1"};
inline constexpr Flag kComputeScale{
    .name = "--compute-scale",
    .value = "RATIO",
    .help =
        "the device computes so many times as fast: all its FLOP rates and the rates at which "
        "kernels read and write near memory"};
inline constexpr Flag kFarThroughput{
    .name = "--far-throughput", .value = "RATE", .help = "throughput of far memory, e.g. 40GB/s"};
inline constexpr Flag kLatency{
    .name = "--latency", .value = "TIME", .help = "latency of the connection, e.g. 5us"};
inline constexpr Flag kMode{.name = "--mode",
                            .value = "MODE",
                            .help = "how copies are made; default pinned",
                            .completes = Completes::kChoices,
                            .choices = "pinned|pageable"};
inline constexpr Flag kCompute{.name = "--compute",
                               .value = "MODEL",
                               .help = "compute time model; default native",
                               .completes = Completes::kChoices,
                               .choices = "native|paleo"};
inline constexpr Flag kAccounting{
    .name = "--accounting",
    .value = "RULE",
    .help =
        "what counts as in use; default liveness. Schedules that move tensors know only the "
        "first and the last",
    .completes = Completes::kChoices,
    .choices = "liveness|shared-gradients|all-gradients|define-by-run"};
inline constexpr Flag kFramework{
    .name = "--framework",
    .value = "FRAMEWORK",
    .help =
        "what the software around the kernels keeps and waits for: a file or a name of "
        "`ooc-paleo list frameworks`; default: the profile's, else ideal",
    .completes = Completes::kFrameworks};
inline constexpr Flag kDtype{.name = "--dtype",
                             .value = "TYPE",
                             .help = "element type instead of the network file's",
                             .completes = Completes::kChoices,
                             .choices = "float64|float32|tf32|float16|bfloat16"};
inline constexpr Flag kPrecision{
    .name = "--precision",
    .value = "NAME",
    .help =
        "element types of activations, weights, copies, gradients and state; default: all one "
        "type, "
        "state float32",
    .completes = Completes::kChoices,
    .choices = "fp32|tf32|bf16|fp16|amp-bf16|amp-fp16|fsdp-bf16|bf16-pure|fp8"};
inline constexpr Flag kGradDtype{.name = "--grad-dtype",
                                 .value = "TYPE",
                                 .help = "of the weights' gradients instead of --precision's",
                                 .completes = Completes::kChoices,
                                 .choices = "fp32"};
inline constexpr Flag kSeq{
    .name = "--seq",
    .value = "N[,M]",
    .help = "length of the sequence, the network's symbol seq; M: of the decoder's, target_seq"};
inline constexpr Flag kSymbol{
    .name = "--symbol",
    .value = "NAME=N[,...]",
    .help = "other values of symbols of the network file; --seq N is --symbol seq=N"};
inline constexpr Flag kKernels{
    .name = "--kernels",
    .value = "KIND",
    .help =
        "of a config.json; eager: attention in separate products, repeated keys and values; "
        "sdpa (default): flash attention; fused: norms, gate and loss too",
    .completes = Completes::kChoices,
    .choices = "eager|sdpa|fused"};
inline constexpr Flag kLoss{
    .name = "--loss",
    .value = "FORM",
    .help = "of a config.json: what the loss keeps of the logits; default: as the kernels do",
    .completes = Completes::kChoices,
    .choices = "probabilities|eager|upcast|in_place|chunked"};
inline constexpr Flag kLora{
    .name = "--lora",
    .value = "R[:NAMES]",
    .help =
        "learn adapters of rank R alone, beside the linear layers of these names, such as q,v; "
        "default: all those of the blocks"};
inline constexpr Flag kLoraDropout{
    .name = "--lora-dropout", .value = "RATE", .help = "of what adapters read; default 0"};
inline constexpr Flag kLoraDtype{.name = "--lora-dtype",
                                 .value = "TYPE",
                                 .help = "of adapters; default: as the precision keeps weights",
                                 .completes = Completes::kChoices,
                                 .choices = "float32|bfloat16|float16"};
inline constexpr Flag kBase{.name = "--base",
                            .value = "STORAGE",
                            .help =
                                "how what --lora freezes is kept; quantised: the linear layers of "
                                "the blocks, 16 bits the rest",
                            .completes = Completes::kChoices,
                            .choices = "fp32|bf16|int8|nf4|nf4-double"};
inline constexpr Flag kOptimizer{.name = "--optimizer",
                                 .value = "NAME",
                                 .help = "its state is resident; default sgd (none)",
                                 .completes = Completes::kChoices,
                                 .choices = "sgd|momentum|adam|adam8|adafactor"};
inline constexpr Flag kAdam{.name = "--adam",
                            .value = "KERNELS",
                            .help =
                                "one kernel, or one an operation over all parameters, with a "
                                "temporary number for each; default fused",
                            .completes = Completes::kChoices,
                            .choices = "fused|foreach"};
inline constexpr Flag kAllocator{
    .name = "--allocator",
    .value = "NAME",
    .help = "default: the framework's, which is ideal (no fragmentation) unless it says other",
    .completes = Completes::kChoices,
    .choices = "ideal|first-fit|best-fit|caching"};
inline constexpr Flag kDevices{
    .name = "--devices",
    .value = "N",
    .help = "split the batch over 1 to 8 such devices on one link; default 1"};
inline constexpr Flag kAccumulate{
    .name = "--accumulate",
    .value = "N",
    .help =
        "micro-batches that the batch is cut into, whose gradients add up before one update; "
        "N:near, N:far: where, if gradients leave near memory"};
inline constexpr Flag kExchange{
    .name = "--exchange",
    .value = "WHEN",
    .help = "devices exchange gradients behind the backward pass (default), or within it",
    .completes = Completes::kChoices,
    .choices = "end|overlap"};
inline constexpr Flag kDevice{
    .name = "--device", .brief = "", .value = "N", .help = "number of the device; default 0"};
inline constexpr Flag kTimeLimit{
    .name = "--time-limit",
    .value = "TIME",
    .help = "give the measuring program up after such a silence; default 60s"};
inline constexpr Flag kMaxInput{.name = "--max-input",
                                .value = "SIZE",
                                .help = "largest input file that is read; default 64MiB"};
inline constexpr Flag kQuiet{
    .name = "--quiet",
    .value = "",
    .help = "no progress and no remarks on standard error; of compare no chart"};
inline constexpr Flag kNoColor{
    .name = "--no-color", .brief = "", .value = "", .help = "no colours (as with NO_COLOR set)"};

/// Groups of flags, one behind the other.
template <std::size_t... kCounts>
[[nodiscard]] constexpr auto joined(const std::array<Flag, kCounts>&... groups) {
  std::array<Flag, (kCounts + ...)> all{};
  auto end = all.begin();
  ((end = std::copy(groups.begin(), groups.end(), end)), ...);
  return all;
}

/// What a network's training iteration is taken to be.
inline constexpr std::array kIteration{kCompute,   kFramework, kAccounting,  kOptimizer, kPrecision,
                                       kGradDtype, kDtype,     kSeq,         kSymbol,    kKernels,
                                       kLoss,      kLora,      kLoraDropout, kLoraDtype, kBase};
/// How it runs, whatever the schedule.
inline constexpr std::array kRun = joined(
    std::array{kLinkToFar, kLinkToNear, kDuplex, kFarThroughput, kLatency, kMode}, kIteration,
    std::array{kAdam, kComputeScale, kAllocator, kDevices, kAccumulate, kExchange, kMaxInput,
               kQuiet});

/// The argument of commands about one network.
inline constexpr Positionals kNetwork{
    .name = "NETWORK",
    .help = "a network file, - (standard input) or a name of `ooc-paleo list networks`",
    .completes = Completes::kNetworks};

}  // namespace ooc::flags
