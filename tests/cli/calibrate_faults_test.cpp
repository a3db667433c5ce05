// What can go wrong while measuring: in every case the message says what, and the samples stay.
#include <doctest/doctest.h>

#include "calibrate/session/samples.hpp"
#include "tests/cli/calibrate_support.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

const std::vector<std::string> kMeasure{"-o", "p.json", "--probe", OOC_GPU_STUB};

std::size_t samples_in(const ScratchFolder& folder) {
  return read_samples(folder.read("p.json.samples.json"), "samples").count();
}

/// The profile is not there, the samples are, and the message says how to go on.
void check_kept(const ScratchFolder& folder, const Ran& ran) {
  CHECK(folder.entries() == std::vector<std::string>{"p.json.samples.json"});
  CHECK(samples_in(folder) > 0);
  CHECK(has(ran.err, "continue with: ooc-paleo calibrate -o p.json --from p.json.samples.json"));
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
  CHECK(has(ran.err, "looked for"));
  CHECK(folder.entries().empty());
  // A device with too little free memory is refused before anything runs.
  const Ran small = calibrate(folder, kMeasure, "memory=16777216");
  CHECK(small.exit_code == 5);
  CHECK(has(small.err, "16777216 bytes free"));
  CHECK(folder.entries().empty());
}

TEST_CASE("with samples at hand a missing device is no error: they are fitted as they are") {
  const ScratchFolder folder;
  std::vector<std::string> arguments = kMeasure;
  arguments.insert(arguments.end(), {"--from", kRecorded});
  const Ran ran = calibrate(folder, arguments, "devices=0");
  CHECK(ran.exit_code == 0);
  CHECK(has(ran.err, "fitting the samples as they are"));
}

TEST_CASE("a measuring program that dies is an error that keeps the samples, and can be resumed") {
  const ScratchFolder folder;
  const Ran ran =
      calibrate(folder, kMeasure, kSmallStub, {{"OOC_STUB_DIE", "cudaMemcpyAsync:500"}});
  CHECK(ran.exit_code == 5);
  CHECK(has(ran.err, "signal"));
  check_kept(folder, ran);
  const std::size_t before = samples_in(folder);
  std::vector<std::string> again = kMeasure;
  again.insert(again.end(), {"--from", "p.json.samples.json"});
  const Ran resumed = calibrate(folder, again, kSmallStub);
  CHECK_MESSAGE(resumed.exit_code == 0, resumed.err);
  CHECK(folder.entries() == std::vector<std::string>{"p.json", "p.json.samples.json"});
  CHECK(samples_in(folder) > before);
}

TEST_CASE("a measuring program that hangs is given up after the time limit") {
  const ScratchFolder folder;
  std::vector<std::string> arguments = kMeasure;
  arguments.insert(arguments.end(), {"--time-limit", "1s"});
  const Ran ran = calibrate(folder, arguments, "", {{"OOC_STUB_HANG", "cudaMemcpyAsync:500"}});
  CHECK(ran.exit_code == 5);
  CHECK(has(ran.err, "said nothing for 1 s"));
  check_kept(folder, ran);
}

TEST_CASE("a measuring program that prints rubbish is not believed any more") {
  const ScratchFolder folder;
  const Ran ran = calibrate(folder, kMeasure, "", {{"OOC_STUB_RUBBISH", "cudaMemcpyAsync:500"}});
  CHECK(ran.exit_code == 5);
  CHECK(has(ran.err, "no line of its protocol"));
  check_kept(folder, ran);
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
  const std::string start = std::string(OOC_PROGRAM) + " calibrate -o p.json --full --probe " +
                            OOC_GPU_STUB + " 2>err & child=$!; ";
  const std::string wait = "while [ ! -s p.json.samples.json ]; do sleep 0.05; done; sleep 0.3; ";
  const Ran ran = run_shell(start + wait + "kill -TERM $child; wait $child",
                            {.folder = folder.path(), .environment = {}});
  CHECK(ran.exit_code == 130);
  CHECK(has(folder.read("err"), "continue with: ooc-paleo calibrate -o p.json --from"));
  CHECK(samples_in(folder) > 0);
  CHECK(folder.entries() == std::vector<std::string>{"err", "p.json.samples.json"});
}

TEST_CASE("samples survive even a kill that nobody can catch") {
  const ScratchFolder folder;
  const std::string start = std::string(OOC_PROGRAM) + " calibrate -o p.json --full --probe " +
                            OOC_GPU_STUB + " 2>err & child=$!; ";
  const std::string wait = "while [ ! -s p.json.samples.json ]; do sleep 0.05; done; sleep 0.3; ";
  (void)run_shell(start + wait + "kill -KILL $child; wait $child",
                  {.folder = folder.path(), .environment = {}});
  CHECK(samples_in(folder) > 0);
  // The lock file is still there, but nobody holds it: the next one is not refused, it measures.
  const Ran next = calibrate(folder, {"-o", "p.json", "--probe", OOC_GPU_STUB}, kSmallStub,
                             {{"OOC_STUB_DIE", "cudaMemcpyAsync:1"}});
  CHECK(next.exit_code == 5);
  CHECK(has(next.err, "signal"));
}

/// Calls so slow that no machine measures everything in the time that is given, but all some of it.
const std::string kSlowCalls = kSmallStub + ",sleep_ns=3000000";

TEST_CASE("when the time is up, what there is is fitted, and the message says how to go on") {
  const ScratchFolder folder;
  std::vector<std::string> arguments = kMeasure;
  // 0.03 s a request by the estimate: some pinned copies, but not all that is planned.
  arguments.insert(arguments.end(), {"--within", "4s", "--device", "0"});
  const Ran ran = calibrate(folder, arguments, kSlowCalls);
  CHECK_MESSAGE(ran.exit_code == 0, ran.err);
  CHECK(has(ran.err, "time was up: "));
  CHECK(has(ran.err,
            "continue with: ooc-paleo calibrate -o p.json --from p.json.samples.json "
            "--device 0 --within 4s"));
  CHECK(has(ran.out, "assumed, not measured: "));
  const Ran none = calibrate(folder, {"-o", "q.json", "--within", "0s"});
  CHECK(none.exit_code == 2);
  CHECK(has(none.err, "--within"));
}

TEST_CASE("on a terminal the line of progress is gone before anything else is said") {
  const ScratchFolder folder;
  // script(1) gives the command a terminal.
  const Ran ran =
      run_shell("script -qec '" + std::string(OOC_PROGRAM) +
                    " calibrate -o p.json --within 4s --probe " + OOC_GPU_STUB + "' /dev/null",
                {.folder = folder.path(), .environment = {{"OOC_STUB", kSlowCalls}}});
  CHECK_MESSAGE(ran.exit_code == 0, ran.out);
  CHECK(has(ran.out, "\r\x1b[Kooc-paleo: time was up: "));
}

TEST_CASE("two calibrations at once on one output are refused") {
  const ScratchFolder folder;
  const std::string program = OOC_PROGRAM;
  const Ran ran = run_shell(
      program + " calibrate -o p.json --full --probe " + OOC_GPU_STUB +
          " >first 2>&1 & child=$!; while [ ! -s p.json.samples.json ]; do sleep 0.05; done; " +
          program + " calibrate -o p.json --probe " + OOC_GPU_STUB +
          "; code=$?; kill -TERM $child; wait $child; exit $code",
      {.folder = folder.path(), .environment = {}});
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
