// Completion as a shell would use it.
#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

/// What bash offers when the cursor is behind the last of `words`, one a line.
std::string offered(const std::string& words,
                    const Surroundings& surroundings = {
                        .folder = std::string(OOC_SOURCE_DIR) + "/tests/data", .environment = {}}) {
  const Ran ran =
      run_program({"/bin/bash", "-c",
                   "source <(ooc-paleo completion bash)\nCOMP_WORDS=(" + words +
                       ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_ooc_paleo\nprintf '%s\\n' "
                       "\"${COMPREPLY[@]}\"\n"},
                  surroundings);
  CHECK(ran.err == "");
  return ran.out;
}

TEST_CASE("bash offers commands, flags, choices and shipped names") {
  CHECK(offered("ooc-paleo pre") == "predict\n");
  CHECK(offered("ooc-paleo predict --har") == "--hardware\n");
  CHECK(offered("ooc-paleo predict vgg16 --format j") == "json\n");
  CHECK(offered("ooc-paleo predict vgg16 --hardware v100-16") == "v100-16gb-pcie3\n");
  CHECK(offered("ooc-paleo compare vgg16 --schedules vdnn-l") == "vdnn-like\n");
  CHECK(offered("ooc-paleo max-b") == "max-batch\n");
  CHECK(offered("ooc-paleo max-batch resnet50 --max") ==
        "--max-swaps\n--max-batch-limit\n--max-input\n");
  CHECK(offered("ooc-paleo max-batch resnet50 --schedules unified-") ==
        "unified-prefetch\nunified-prefetch+\n");
  CHECK(offered("ooc-paleo need link-to") == "link-to-far\nlink-to-near\n");
  CHECK(offered("ooc-paleo need link google") == "googlenet\n");
  CHECK(offered("ooc-paleo max --of b") == "batch\n");
  CHECK(offered("ooc-paleo predict google") == "googlenet\n");
  CHECK(offered("ooc-paleo predict vgg16 -o missp") == "misspelt.json\n");
  CHECK(offered("ooc-paleo list net") == "networks\n");
  CHECK(offered("ooc-paleo hardware n") == "new\n");
  CHECK(offered("ooc-paleo hardware new mine --mem") == "--memory\n--memory-rate\n");
  CHECK(offered("ooc-paleo predict vgg16 --batch 1") == "\n");
  CHECK(offered("ooc-paleo predict --help tr") == "transformers\n");
}

TEST_CASE("completion runs nothing that a file is called, and keeps names of files whole") {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch.path() / "data/networks");
  for (const char* name :
       {"$(touch${IFS}PWNED)", "`touch${IFS}PWNED`", "x(e:touch PWNED:)", "own"}) {
    scratch.file("data/networks/" + std::string(name) + ".json", read_file(kNetwork));
  }
  scratch.file("my $(touch PWNED).json", "");
  const Surroundings there{scratch.path(),
                           {{"OOC_PALEO_DATA", (scratch.path() / "data").string()}}};
  const std::string all = offered("ooc-paleo predict ''", there);
  CHECK(has(all, "\nown\n"));
  CHECK_FALSE(has(all, "touch$"));
  CHECK_FALSE(has(all, "(e:"));
  CHECK(has(all, "\nmy $(touch PWNED).json\n"));
  CHECK(offered("ooc-paleo predict own -o my", there) == "my $(touch PWNED).json\n");
  CHECK(scratch.entries() == Words{"data", "my $(touch PWNED).json"});
}

TEST_CASE("each shell gets its own script, an unknown one is refused") {
  CHECK(has(run_ooc_paleo({"completion", "zsh"}).out, "bashcompinit"));
  const std::string fish = run_ooc_paleo({"completion", "fish"}).out;
  CHECK(has(fish, "complete -c ooc-paleo -n '__fish_seen_subcommand_from sweep' -l jobs -x"));
  CHECK(has(fish, "complete -c ooc-paleo -n '__fish_seen_subcommand_from need' -f -a 'link "));
  const Ran unknown = run_ooc_paleo({"completion", "bahs"});
  CHECK(unknown.exit_code == 2);
  CHECK(has(unknown.err, "did you mean bash?"));
}

}  // namespace
}  // namespace ooc::test
