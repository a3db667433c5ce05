// `max`: the largest of what is named; `max --of batch` is `max-batch`.
#include <string>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/largest_batch.hpp"
#include "cli/options.hpp"

namespace ooc {
extern const Command max_command;

namespace {

constexpr Flag kOf{.name = "--of",
                   .value = "WHAT",
                   .help =
                       "of which the largest is looked for, batch (default), layers: copies of the "
                       "repeat of the network that scales, or seq: the length of its sequence",
                   .completes = Completes::kChoices,
                   .choices = "batch|layers|seq"};

const auto kMaxFlags = flags::of_largest({kOf, flags::kLimit, flags::kStep}, {"--layer-times"});

int run_max(const Arguments& arguments) {
  const std::string what = arguments.value(kOf).value_or("batch");
  for (const MaxOf of : {MaxOf::kBatch, MaxOf::kLayers, MaxOf::kSeq}) {
    if (what != max_of_word(of)) continue;
    if (of == MaxOf::kBatch && arguments.has("--batch")) {
      bad_value("--batch", "it with --of batch", "none: that is what is looked for",
                "--limit says what is the largest to try");
    }
    if (of != MaxOf::kSeq && arguments.has(flags::kStep)) {
      bad_value(flags::kStep.name, "it with --of " + what, "it left out",
                "it is of --of seq, the multiples that are tried");
    }
    if (of == MaxOf::kSeq && arguments.has("--seq")) {
      bad_value("--seq", "it with --of seq", "it left out",
                "that is what is looked for; --limit says what is the largest to try");
    }
    return run_largest(arguments, of);
  }
  unknown_word(kOf.name, what, {"batch", "layers", "seq"});
}

}  // namespace

const Command max_command{
    .name = "max",
    .summary =
        "the largest batch that runs, as max-batch, the deepest network or the longest sequence",
    .examples =
        "  ooc-paleo max --of batch resnet50 --hardware p100-nvlink1-power8\n"
        "  ooc-paleo max --of batch resnet50 --hardware m40 --schedules in-core,capacity\n"
        "  ooc-paleo max --of layers gpt2_large --hardware rtx-3090 --batch 4\n"
        "  ooc-paleo max --of seq llama-3-8b --hardware gh200 --precision bf16-pure\n",
    .positionals = flags::kNetwork,
    .flags = kMaxFlags,
    .run = &run_max,
};

}  // namespace ooc
