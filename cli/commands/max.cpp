// `max`: the largest of what is named; `max --of batch` is `max-batch`.
#include <array>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/largest_batch.hpp"
#include "cli/options.hpp"
#include "cli/schedule_flags.hpp"

namespace ooc {
extern const Command max_command;

namespace {

constexpr Flag kOf{.name = "--of",
                   .value = "WHAT",
                   .help = "of which the largest is looked for; default batch",
                   .completes = Completes::kChoices,
                   .choices = "batch"};

constexpr auto kOwnFlags = flags::joined(std::array{kOf}, flags::kOfLargestBatch);
const auto kFlags = flags::with_schedule_flags(kOwnFlags);

int run_max(const Arguments& arguments) {
  const auto what = arguments.value(kOf);
  if (what && *what != kOf.choices) unknown_word(kOf.name, *what, {"batch"});
  return run_largest_batch(arguments);
}

}  // namespace

const Command max_command{
    .name = "max",
    .summary = "the largest of what is named: --of batch, as max-batch",
    .examples =
        "  ooc-paleo max --of batch resnet50 --hardware p100-nvlink1-power8\n"
        "  ooc-paleo max --of batch resnet50 --hardware m40 --schedules in-core,capacity\n",
    .positionals = flags::kNetwork,
    .flags = kFlags,
    .run = &run_max,
};

}  // namespace ooc
