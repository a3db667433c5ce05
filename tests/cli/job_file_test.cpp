// Jobs as files: what flags say, and the `inputs` of results.
#include <fmt/ranges.h>

#include <random>

#include "model/base/spec_tree.hpp"
#include "simulator/predict/options.hpp"
#include "simulator/schedules/schedule.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/support/property_cases.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

/// From its inputs on: the command line stands before them.
std::string result_of(const Ran& ran) {
  return ran.out.substr(std::min(ran.out.size(), ran.out.find("\"inputs\"")));
}

/// The `inputs` of a result as a file.
std::string inputs_file(const ScratchFolder& scratch, const std::string& result) {
  const SpecDocument document = read_spec_text(result, "result");
  return scratch.file("inputs.json", json_text(SpecView(document).get("inputs").node()));
}

/// Of options whose row names no values.
const std::map<std::string_view, Words> kTexts{
    {"--batch", {"1", "7"}},
    {"--memory", {"3GiB", "40GB"}},
    {"--far-memory", {"100GiB"}},
    {"--link", {"8GB/s", "inf"}},
    {"--link-to-far", {"20 GB/s"}},
    {"--latency", {"5us"}},
    {"--far-throughput", {"30GB/s", "inf"}},
    {"--far-compute", {"60GB/s", "3Gparam/s"}},
    {"--duplex", {"0.9", "95 %"}},
    {"--compute-scale", {"2", "0.5"}},
    {"--host-speed", {"2", "0.5"}},
    {"--framework", {"ideal", "pytorch-2"}},
    {"--devices", {"2"}},
    {"--accumulate", {"2", "2:far"}},
    {"--state", {"zero-offload", "megatron-hybrid:0.5", "stream", "paged", "none"}},
    {"--offload", {"optimizer", "optimizer:0.25,gradients", "weights"}},
    {"--seq", {"64", "128"}},
    {"--symbol", {"seq=96"}},
    {"--lora", {"8", "4:qkv"}},
    {"--lora-dropout", {"0.1"}}};

Words values_of(const Option& option) {
  if (option.value.empty()) return {""};
  if (!option.choices.empty()) return words_of(option.choices);
  if (option.of_schedules != nullptr) return words_of(option.of_schedules->tried);
  if (option.completes == Completes::kSchedules) {
    Words names;
    for (const Schedule* schedule : schedules()) names.emplace_back(schedule->name);
    return names;
  }
  const auto found = kTexts.find(option.flag);
  return found == kTexts.end() ? Words{} : found->second;
}

TEST_CASE("the inputs of a result are a job file that gives the result again") {
  for_each_seed(25, [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto pick = [&](const auto& from) { return from[random() % from.size()]; };
    Words job{"predict",    pick(Words{"gpt2", "alexnet"}),
              "--hardware", pick(Words{"a100-40gb-pcie", "rtx-3090"}),
              "--format",   "json",
              "--quiet"};
    std::vector<Option> options(run_options().begin(), run_options().end());
    std::shuffle(options.begin(), options.end(), random);
    const auto schedule = std::find_if(options.begin(), options.end(), [](const Option& each) {
      return each.flag == "--schedule";
    });
    std::iter_swap(options.begin(), schedule);
    Ran ran = run_ooc_paleo(job);
    // Options that cannot stand beside the others are left out.
    for (std::size_t i = 0; i < options.size() && job.size() < 19; ++i) {
      const Words values = values_of(options[i]);
      if (values.empty()) continue;
      Words more = job;
      more.emplace_back(options[i].flag);
      if (!options[i].value.empty()) more.push_back(pick(values));
      Ran longer = run_ooc_paleo(more);
      if (longer.exit_code == 2) continue;
      job = std::move(more);
      ran = std::move(longer);
    }
    CAPTURE(fmt::format("{}", fmt::join(job, " ")));
    const ScratchFolder scratch;
    const std::string file = inputs_file(scratch, ran.out);
    const Ran again = run_ooc_paleo({"predict", file, "--format", "json", "--quiet"});
    CAPTURE(read_file(file));
    CHECK(again.err == "");
    CHECK(again.exit_code == ran.exit_code);
    CHECK(result_of(again) == result_of(ran));
  });
}

}  // namespace
}  // namespace ooc::test
