// `max-batch`: the largest batch that runs, under every schedule, largest first.
#include "cli/command.hpp"
#include "cli/largest_batch.hpp"

namespace ooc {
extern const Command max_batch_command;

namespace {

int run_max_batch(const Arguments& arguments) { return run_largest(arguments, MaxOf::kBatch); }

const auto kMaxBatchFlags = flags::of_largest({}, {"--layer-times", "--batch"});

}  // namespace

const Command max_batch_command{
    .name = "max-batch",
    .summary = "the largest batch that runs, under every schedule",
    .examples =
        "  ooc-paleo max-batch resnet50 --hardware p100-nvlink1-power8\n"
        "  ooc-paleo max-batch resnet50 --hardware m40 --schedules in-core,capacity "
        "--optimizer momentum\n",
    .positionals = flags::kNetwork,
    .flags = kMaxBatchFlags,
    .run = &run_max_batch,
};

}  // namespace ooc
