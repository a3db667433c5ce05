// `hardware new` from outside: the file it writes is one that the other commands read.
#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

/// A Titan X of 2016, and more arguments.
Words titan_x(const Words& more) {
  return Words{"hardware",
               "new",
               "mine",
               "--architecture",
               "pascal",
               "--multiprocessors",
               "28",
               "--peak",
               "float32=10.97TFLOP/s",
               "--memory",
               "12GiB",
               "--link",
               "pcie3x16"} +
         more;
}

TEST_CASE("hardware new writes a profile to a file or standard output, and says what is assumed") {
  const ScratchFolder folder;
  const Ran shown = run_ooc_paleo(titan_x({"--memory-rate", "480GB/s"}));
  CHECK(shown.exit_code == 0);
  CHECK(has(shown.out, "\"architecture\": \"pascal\""));
  CHECK(shown.err.starts_with("ooc-paleo: remark: mine: assumed, not from a data sheet: "));
  const Ran kept = run_ooc_paleo(
      titan_x({"--memory-rate", "480GB/s", "-o", "mine.json", "--quiet"}), in(folder));
  CHECK(kept.exit_code == 0);
  CHECK(kept.out == "");
  CHECK(kept.err == "");
  CHECK(folder.read("mine.json") == shown.out);
  CHECK(folder.entries() == Words{"mine.json"});
}

}  // namespace
}  // namespace ooc::test
