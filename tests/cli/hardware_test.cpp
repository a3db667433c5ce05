// `hardware new` from outside: the file it writes is one that the other commands read.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace ooc::test {
namespace {

/// A Titan X of 2016, and more arguments.
std::vector<std::string> titan_x(std::vector<std::string> more) {
  std::vector<std::string> arguments{"hardware",
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
                                     "pcie3x16"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST_CASE("hardware new writes a profile to a file or standard output, and says what is assumed") {
  const ScratchFolder folder;
  const Ran shown = run_ooc_paleo(titan_x({"--memory-rate", "480GB/s"}));
  CHECK(shown.exit_code == 0);
  CHECK(shown.out.find("\"architecture\": \"pascal\"") != std::string::npos);
  CHECK(shown.err.rfind("ooc-paleo: remark: mine: assumed, not from a data sheet: ", 0) == 0);
  const Ran kept = run_ooc_paleo(
      titan_x({"--memory-rate", "480GB/s", "-o", "mine.json", "--quiet"}), {folder.path(), {}});
  CHECK(kept.exit_code == 0);
  CHECK(kept.out == "");
  CHECK(kept.err == "");
  CHECK(folder.read("mine.json") == shown.out);
  CHECK(folder.entries() == std::vector<std::string>{"mine.json"});
}

TEST_CASE("hardware new tells all errors, a line each, and writes nothing") {
  const ScratchFolder folder;
  const Ran ran = run_ooc_paleo(titan_x({"--memory-rate", "480MB/s", "--peak", "float16=1",
                                         "--cudnn", "new", "-o", "mine.json"}),
                                {folder.path(), {}});
  CHECK(ran.exit_code == 2);
  CHECK(ran.out == "");
  CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 3);
  for (const char* word : {"--memory-rate: found \"480MB/s\"", "is \"480GB/s\" meant?",
                           "--peak: found \"float16=1\"", "--cudnn: found \"new\""}) {
    CAPTURE(word);
    CHECK(ran.err.find(word) != std::string::npos);
  }
  CHECK(folder.entries().empty());
}

TEST_CASE("hardware wants its action") {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"old"}, {"new", "a", "b"}}) {
    std::vector<std::string> arguments{"hardware"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const Ran ran = run_ooc_paleo(arguments);
    CHECK(ran.exit_code == 2);
    CHECK(ran.err.rfind("ooc-paleo: error: hardware: found ", 0) == 0);
  }
}

}  // namespace
}  // namespace ooc::test
