// `max`: the largest of what is named, under every schedule.
#include <string>

#include "cli/options.hpp"
#include "cli/solve.hpp"
#include "model/base/named.hpp"
#include "model/network/layer_tree.hpp"

namespace ooc {
namespace {

constexpr Flag kOf{"--of", "WHAT",
                   "of which the largest is looked for, batch (default), layers: copies of the "
                   "repeat of the network that scales, or seq: the length of its sequence",
                   Completes::kChoices, "batch|layers|seq"};
constexpr Flag kStep{"--step", "N",
                     "of --of seq: lengths are multiples of it; default 128, beyond 32768 of 1024"};

const auto kMaxFlags = flags::of_largest({kOf, kStep}, {"--layer-times"});

const SolveAxis& max_axis(const Arguments& arguments) {
  const std::string word = arguments.value(kOf).value_or("batch");
  const SolveAxis* axis = find_solve_axis(word);
  if (axis == nullptr || axis->is_needed()) {
    unknown_word(kOf.name, word, {"batch", "layers", "seq"});
  }
  if (!axis->flag.empty()) {
    arguments.refuse({axis->flag}, "--of " + word, "leave it out",
                     "that is what is looked for; --limit says what is the largest to try");
  }
  if (word != "seq") {
    arguments.refuse({kStep}, "--of " + word, "leave it out",
                     "it is for --of seq, whose multiples are tried");
  }
  return *axis;
}

std::int64_t limit_of(const Arguments& arguments, const SolveAxis& axis) {
  constexpr std::int64_t kMaxCopies = 10'000;  // more take minutes
  constexpr std::string_view flag = flags::kLimit.name;
  const auto text = arguments.value(flag);
  const bool is_layers = axis.flag.empty();
  if (!text) return is_layers ? kMaxCopies : kMaxBatch;
  const std::int64_t limit = parse_batch(*text, flag);
  if (is_layers && limit > kMaxTimes) {
    bad_value(flag, in_quotes(*text),
              "at most " + std::to_string(kMaxTimes) + ", the most copies of a repeat");
  }
  const int devices = axis.word == "batch" ? arguments.options.devices : 1;
  if (limit < devices) {
    bad_value(flag, *text,
              "at least " + std::to_string(devices) + ", a sample for each of the --devices");
  }
  return limit;
}

}  // namespace

int run_max(const Arguments& arguments) {
  const SolveAxis& axis = max_axis(arguments);
  const std::int64_t limit = limit_of(arguments, axis);
  const auto step = arguments.value(kStep);
  const bool is_seq = axis.word == "seq";
  Job job = read_job(arguments, axis.word == "batch" ? Asks::kLargestBatch
                                : is_seq             ? Asks::kLongestSequence
                                                     : Asks::kRuns);
  if (is_seq && find_named(job.options.symbols, "seq") != nullptr) {
    cannot_combine("--symbol seq", "--of seq", "leave it out", "that is what is looked for");
  }
  SolveRequest request = request_about(job, axis);
  request.limit = limit;
  if (step) request.step = parse_batch(*step, kStep.name);
  return run_solve(job, request);
}

extern const Command max_command{
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
