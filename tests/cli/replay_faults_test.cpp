// What can go wrong with a replay: each has its exit code and says what it was.
#include "tests/cli/replay_support.hpp"
#include "tests/support/test.hpp"

using namespace ooc::test;

namespace {

const Words kMoved{"--schedule", "vdnn-all"};

void check_ends(const Ran& ran, int exit_code, const std::string& message) {
  CHECK(ran.exit_code == exit_code);
  CHECK_MESSAGE(has(ran.err, message), ran.err);
  CHECK(ran.out.empty());
}

}  // namespace

TEST_CASE(
    "without a measuring program or a device the exit code is 5 and the message says what was "
    "looked for") {
  const ScratchFolder folder;
  const Ran none = replay_without(folder, {});
  check_ends(none, 5, "no GPU to replay on: ooc-paleo-gpu was not found");
  CHECK(has(none.err, "/usr/bin/ooc-paleo-gpu"));
  CHECK(has(none.err, "--import-measurements"));
  check_ends(replay(folder, {}, "devices=0"), 5, "no GPU to replay on");
  check_ends(replay(folder, {"--device", "3"}), 5, "no GPU to replay on");
}

TEST_CASE("a device that fails, a program that dies or hangs: what it was, and no result") {
  const ScratchFolder folder;
  Words words = kMoved;
  words.insert(words.end(), {"-o", "r.json", "--trace", "t.json"});
  check_ends(replay(folder, words, "", {{"OOC_STUB_FAIL", "cudaMemcpyAsync:9:700"}}), 5,
             "the device did not run the plan: cudaMemcpyAsync");
  check_ends(replay(folder, words, "", {{"OOC_STUB_DIE", "cudaMemcpyAsync:9"}}), 5,
             "the device did not run the plan: ended the program by signal 9");
  CHECK(folder.entries().empty());
  Words limited = kMoved;
  limited.insert(limited.end(), {"--time-limit", "300ms"});
  check_ends(replay(folder, limited, "", {{"OOC_STUB_HANG", "cudaMemcpyAsync:9"}}), 5,
             "said nothing for 0.3 s");
}

TEST_CASE("a plan that does not fit its budget is reported as predictions report it") {
  const ScratchFolder folder;
  const Ran ran = replay(folder, {"--schedule", "in-core", "--memory", "5MB"});
  CHECK(ran.exit_code == 3);
  CHECK(has(ran.out, "Does not fit"));
}

TEST_CASE("bad values name their flag") {
  const ScratchFolder folder;
  check_ends(replay(folder, {"--compute", "native"}), 2,
             "--compute: found \"native\", expected one of: spin, busy");
  check_ends(replay(folder, {"--iterations", "0"}), 2, "--iterations: found \"0\"");
  check_ends(replay(folder, {"--warmup", "-1"}), 2, "--warmup");
  check_ends(replay(folder, {"--tolerance", "wide"}), 2, "--tolerance");
  check_ends(replay(folder, {"--tolerance", "10"}), 2, "--tolerance");  // 1000 %
  check_ends(replay(folder, {"--max-time", "0s"}), 2, "--max-time");
  check_ends(replay(folder, {"--device", "two"}), 2, "--device");
  check_ends(replay_without(folder, {"--probe", "none"}), 2, "--probe");
}

TEST_CASE("a machine with several devices is refused") {
  const ScratchFolder folder;
  std::string profile = read_file(kStubMachine);
  const std::string one = "\"devices\": 1";
  profile.replace(profile.find(one), one.size(), "\"devices\": 2");
  folder.file("two.json", profile);
  const Ran ran = run_ooc_paleo({"replay", "example_skip", "--hardware", "./two.json"}, in(folder));
  check_ends(ran, 2, "/devices: found 2, expected 1");
}
