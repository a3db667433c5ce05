// `max-batch`: `max --of batch`.
#include "cli/command.hpp"
#include "cli/solve.hpp"

namespace ooc {
namespace {

const auto kMaxBatchFlags = flags::of_largest({}, {"--layer-times", "--batch"});

}  // namespace

extern const Command max_batch_command{
    .name = "max-batch",
    .summary = "the largest batch that runs, under every schedule",
    .examples =
        "  ooc-paleo max-batch resnet50 --hardware p100-nvlink1-power8\n"
        "  ooc-paleo max-batch resnet50 --hardware m40 --schedules in-core,capacity "
        "--optimizer momentum\n",
    .positionals = flags::kNetwork,
    .flags = kMaxBatchFlags,
    .run = &run_max,
};

}  // namespace ooc
