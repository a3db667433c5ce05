// What can go wrong while measuring: in every case the message says what, and the samples stay.
#include "calibrate/session/samples.hpp"
#include "tests/cli/calibrate_support.hpp"
#include "tests/support/test.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

const Words kMeasure{"-o", "p.json", "--probe", OOC_GPU_STUB, "--like", "v100-16gb-pcie3"};

/// Calls so slow that no machine measures everything in the time that is given, but all some of it.
const std::string kSlowCalls = kSmallStub + ",sleep_ns=3000000";

std::size_t samples_in(const ScratchFolder& folder) {
  return read_samples(folder.read("p.json.samples.jsonl"), "samples").count();
}

}  // namespace

TEST_CASE("without a measuring program the exit code is 5 and the message says where it looked") {
  const ScratchFolder folder;
  const Ran ran = calibrate(folder, {"-o", "p.json"});
  CHECK(ran.exit_code == 5);
  CHECK(has(ran.err, "no GPU"));
  CHECK(has(ran.err, "/usr/bin/ooc-paleo-gpu"));
  CHECK(folder.entries().empty());
  const Ran named = calibrate(folder, {"-o", "p.json"}, "", {{"OOC_PALEO_GPU", "/nowhere"}});
  CHECK(named.exit_code == 2);
  CHECK(has(named.err, "OOC_PALEO_GPU"));
}

TEST_CASE("without a device the exit code is 5 and the message is the measuring program's") {
  const ScratchFolder folder;
  const Ran ran = calibrate(folder, kMeasure, "devices=0");
  CHECK(ran.exit_code == 5);
  CHECK(has(ran.err, "no GPU"));
  // A device with too little free memory is refused before anything runs.
  const Ran small = calibrate(folder, kMeasure, "memory=16777216");
  CHECK(small.exit_code == 5);
  CHECK(has(small.err, "16777216 bytes free"));
  CHECK(folder.entries().empty());
}

TEST_CASE("with samples at hand a missing device is no error: they are fitted as they are") {
  const ScratchFolder folder;
  Words arguments = kMeasure;
  arguments.insert(arguments.end(), {"--from", kRecorded});
  const Ran ran = calibrate(folder, arguments, "devices=0");
  CHECK(ran.exit_code == 0);
  CHECK(has(ran.err, "the samples are fitted as they are"));
}

TEST_CASE(
    "a request that kills or hangs the measuring program costs itself, and the profile is "
    "written") {
  const ScratchFolder folder;
  const Ran died =
      calibrate(folder, kMeasure, kSmallStub, {{"OOC_STUB_DIE", "cudaMemPrefetchAsync:50"}});
  CHECK_MESSAGE(died.exit_code == 0, died.err);
  CHECK(has(died.out, "refused: ended the program by signal 9"));
  Words arguments = kMeasure;
  arguments.insert(arguments.end(), {"--time-limit", "300ms", "--within", "8s"});
  const Ran hung =
      calibrate(folder, arguments, kSmallStub, {{"OOC_STUB_HANG", "cudaMemPrefetchAsync:400"}});
  CHECK_MESSAGE(hung.exit_code == 0, hung.err);
  CHECK(has(hung.out, "refused: did not answer for"));
  CHECK(folder.entries() == Words{"p.json", "p.json.samples.jsonl"});
}

TEST_CASE("what is no measuring program is not believed") {
  const ScratchFolder folder;
  folder.file("program", "#!/bin/sh\necho rubbish\n");
  std::filesystem::permissions(folder.path() / "program", std::filesystem::perms::owner_all);
  const Ran ran = calibrate(folder, {"-o", "p.json", "--probe", "./program"});
  CHECK(ran.exit_code == 2);
  CHECK(has(ran.err, "records of ooc-paleo-gpu"));
}

TEST_CASE("a call that fails costs its request only, and the report names it") {
  const ScratchFolder folder;
  const Ran ran =
      calibrate(folder, kMeasure, kSmallStub, {{"OOC_STUB_FAIL", "cudaMemcpyAsync:500"}});
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  CHECK(has(ran.out, "refused: cudaMemcpyAsync"));
}

TEST_CASE("Ctrl-C keeps the samples, ends with 130 and says how to go on") {
  const ScratchFolder folder;
  const std::string start = std::string(OOC_PROGRAM) +
                            " calibrate -o p.json --full --like v100-16gb-pcie3 --probe " +
                            OOC_GPU_STUB + " 2>err & child=$!; ";
  const std::string wait =
      "until grep -qs record.:.samples p.json.samples.jsonl; do sleep 0.05; done; ";
  const Ran ran = run_shell(start + wait + "kill -TERM $child; wait $child",
                            {.folder = folder.path(), .environment = {{"OOC_STUB", kSlowCalls}}});
  CHECK(ran.exit_code == 130);
  CHECK(has(folder.read("err"), "go on with: ooc-paleo calibrate -o p.json --from"));
  CHECK(samples_in(folder) > 0);
  CHECK(folder.entries() == Words{"err", "p.json.samples.jsonl"});
}

TEST_CASE("samples survive even a kill that nobody can catch") {
  const ScratchFolder folder;
  const std::string start = std::string(OOC_PROGRAM) +
                            " calibrate -o p.json --full --like v100-16gb-pcie3 --probe " +
                            OOC_GPU_STUB + " 2>err & child=$!; ";
  const std::string wait =
      "until grep -qs record.:.samples p.json.samples.jsonl; do sleep 0.05; done; ";
  (void)run_shell(start + wait + "kill -KILL $child; wait $child",
                  {.folder = folder.path(), .environment = {{"OOC_STUB", kSlowCalls}}});
  CHECK(samples_in(folder) > 0);
  // The lock file is still there, but nobody holds it: the next one is not refused, it measures.
  CHECK(calibrate(folder, kMeasure, kSmallStub).exit_code == 0);
}

TEST_CASE("when the time is up, what there is is fitted, and the report says what was left out") {
  const ScratchFolder folder;
  Words arguments = kMeasure;
  arguments.insert(arguments.end(), {"--within", "2s", "--device", "0"});
  const Ran ran = calibrate(folder, arguments, kSlowCalls);
  CHECK_MESSAGE(ran.exit_code == 0, ran.err);
  CHECK(has(ran.out, "there was no time for "));
  const Ran none = calibrate(folder, {"-o", "q.json", "--within", "0s"});
  CHECK(none.exit_code == 2);
  CHECK(has(none.err, "--within"));
}

TEST_CASE("on a terminal the line of progress is gone before anything else is said") {
  const ScratchFolder folder;
  // script(1) gives the command a terminal.
  const Ran ran = run_shell("script -qec '" + std::string(OOC_PROGRAM) +
                                " calibrate -o p.json --within 2s --probe " + OOC_GPU_STUB +
                                " --like v100-16gb-pcie3' /dev/null",
                            {.folder = folder.path(), .environment = {{"OOC_STUB", kSlowCalls}}});
  CHECK_MESSAGE(ran.exit_code == 0, ran.out);
  CHECK(has(ran.out, "\r\x1b[K1 of "));
  CHECK(has(ran.out, "\r\x1b[KStub device"));
}

TEST_CASE("two calibrations at once on one output are refused") {
  const ScratchFolder folder;
  const std::string program = OOC_PROGRAM;
  const Ran ran = run_shell(
      program + " calibrate -o p.json --full --like v100-16gb-pcie3 --probe " + OOC_GPU_STUB +
          " >first 2>&1 & child=$!; while [ ! -s p.json.samples.jsonl ]; do sleep 0.05; done; " +
          program + " calibrate -o p.json --probe " + OOC_GPU_STUB +
          "; code=$?; kill -TERM $child; wait $child; exit $code",
      {.folder = folder.path(), .environment = {{"OOC_STUB", kSlowCalls}}});
  CHECK(ran.exit_code == 2);
  CHECK(has(ran.err, "which another calibration is writing"));
}

TEST_CASE("an output that cannot be written is found before anything is measured") {
  const ScratchFolder folder;
  const Ran ran = calibrate(folder, {"-o", "/proc/p.json", "--probe", OOC_GPU_STUB});
  CHECK(ran.exit_code == 2);
  CHECK(has(ran.err, "/proc/p.json"));
  const Ran plot =
      calibrate(folder, {"-o", "p.json", "--plot", "/nowhere/x.svg", "--probe", OOC_GPU_STUB});
  CHECK(plot.exit_code == 2);
  CHECK(folder.entries().empty());
}
