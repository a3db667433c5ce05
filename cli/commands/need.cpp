// `need`: the smallest link, memory or rate that makes a job as fast as asked, under every schedule.
#include <algorithm>
#include <string>
#include <vector>

#include "cli/remarks.hpp"
#include "cli/solve.hpp"

namespace ooc {
namespace {

constexpr std::string_view kNeededWords =
    "link|link-to-far|link-to-near|near-memory|far-memory|far-throughput";

constexpr Flag kWithin{"--within", "SHARE", "of compute alone, above it, e.g. 5%; default 1%"};
constexpr Flag kTime{"--time", "TIME", "of an iteration, at most; in place of --within"};

const auto kNeedFlags = flags::joined(
    flags::of_runs({"--schedule"}), {kWithin, kTime, flags::kFormat, flags::kOutput, flags::kReport,
                                     flags::kMaxInput, flags::kQuiet, flags::kNoColor});

const SolveAxis& needed_axis(const Arguments& arguments) {
  if (arguments.word.empty()) bad_value("WHAT", "none", "one of " + std::string(kNeededWords));
  const SolveAxis* axis = find_solve_axis(arguments.word);
  if (axis == nullptr || !axis->is_needed()) {
    std::vector<std::string> words;
    for (const SolveAxis& each : solve_axes()) {
      if (each.is_needed()) words.emplace_back(each.word);
    }
    unknown_word("WHAT", arguments.word, words);
  }
  const auto refuse = [&](std::initializer_list<std::string_view> flags) {
    arguments.refuse(flags, "need " + std::string(axis->word), "leave it out",
                     "that is what is looked for");
  };
  refuse({axis->flag});
  if (axis->word == "link") refuse({"--link-to-far", "--link-to-near"});
  return *axis;
}

Ratio within_of(const Arguments& arguments) {
  const auto text = arguments.value(kWithin);
  if (!text) return Ratio(kOne.count() / 100);
  if (arguments.has(kTime)) cannot_combine(kWithin.name, "--time", "use one of them");
  constexpr double kMostShare = 1000;
  return ratio_of(*text, kWithin.name, 0, kMostShare);
}

int run_need(const Arguments& arguments) {
  const SolveAxis& axis = needed_axis(arguments);
  const Ratio within = within_of(arguments);
  const auto time = arguments.value(kTime);
  const auto goal = time ? std::optional(duration_of(*time, kTime.name)) : std::nullopt;
  Job job = read_job(arguments, Asks::kRuns);
  SolveRequest request = request_about(job, axis);
  request.time = goal;
  request.within = within;
  const bool searches = std::ranges::any_of(
      request.chosen, [](const Schedule* each) { return each->is(Trait::kOptimizes); });
  if (searches && allocator_of(request.options) == Allocator::kCaching) {
    remark_on(arguments.remarks(), "best",
              "searched for each value that is tried, which under a caching allocator may take "
              "minutes; --schedules leaves it out");
  }
  return run_solve(job, request);
}

}  // namespace

extern const Command need_command{
    .name = "need",
    .summary = "the smallest link, memory or rate that makes a job as fast as asked",
    .examples =
        "  ooc-paleo need link vgg16 --hardware v100-16gb-pcie3 --batch 256\n"
        "  ooc-paleo need near-memory vgg16 --hardware v100-16gb-pcie3 --batch 256 --within 10% "
        "--schedules in-core,capacity\n"
        "  ooc-paleo need link-to-far vgg16 --hardware v100-16gb-pcie3 --batch 256 --time 1s\n",
    .positionals = {.name = flags::kNetwork.name,
                    .help = flags::kNetwork.help,
                    .completes = flags::kNetwork.completes,
                    .word = "WHAT",
                    .word_help = "what may be more",
                    .word_choices = kNeededWords},
    .flags = kNeedFlags,
    .run = &run_need,
};

}  // namespace ooc
