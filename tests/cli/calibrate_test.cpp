// Calibrations that measure: to the end, continued, interrupted. (Without a GPU: tests/golden/cases/calibrations.md.)
#include "calibrate/session/samples.hpp"
#include "model/hardware/profile_json.hpp"
#include "tests/cli/calibrate_support.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

const Words kCalibrateMeasure{"-o",      "p.json", "--probe",        OOC_GPU_STUB,
                              "--quick", "--like", "v100-16gb-pcie3"};
const ProfileSources kShippedArchitectures{
    .architecture_folders = {OOC_SOURCE_DIR "/hwprofiles/architectures"}};

HardwareProfile profile_in(const ScratchFolder& folder, const std::string& name = "p.json") {
  return read_profile_text(folder.read(name), name, kShippedArchitectures);
}

TEST_CASE("one command measures, writes a profile and its samples, and predicts with it") {
  const ScratchFolder folder;
  Words arguments = kCalibrateMeasure;
  for (const char* more : {"--name", "my-stub", "--date", "2025-01-31"}) {
    arguments.emplace_back(more);
  }
  const Ran ran =
      calibrate(folder, arguments, kSmallStub + ",to_near_rate=20e9,to_near_latency_ns=10000");
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  CHECK(has(ran.out, "pinned to_near"));
  CHECK(has(ran.out, "time by size"));
  CHECK(has(ran.out, "backend stub: these are not times of a real machine"));
  CHECK(folder.entries() == Words{"p.json", "p.json.samples.jsonl"});
  const HardwareProfile profile = profile_in(folder);
  CHECK(profile.name == "my-stub");
  const auto& line = std::get<StraightLine>(profile.connection.modes.at("pinned").to_near);
  CHECK(line.throughput.count() == doctest::Approx(20e9).epsilon(0.01));
  CHECK(line.latency.count() == doctest::Approx(10'000).epsilon(0.03));
  CHECK(profile.provenance.back().date == "2025-01-31");
  CHECK(profile.kernels->architecture->name == "volta");

  const Ran predicted = run_ooc_paleo(
      {"predict", "alexnet", "--hardware", "./p.json", "--batch", "32", "--memory", "4GiB"},
      in(folder));
  CHECK_MESSAGE(predicted.exit_code == 0, predicted.err);
}

TEST_CASE("--from measures only what is missing, and goes on where a kill left half a line") {
  const ScratchFolder folder;
  Words arguments = kCalibrateMeasure;
  REQUIRE(calibrate(folder, arguments, kSmallStub).exit_code == 0);
  const std::string all = folder.read("p.json.samples.jsonl");
  const SampleSet first = read_samples(all, "all");
  folder.file("part", all.substr(0, all.size() / 2));
  arguments.insert(arguments.end(), {"--from", "part"});
  const Ran ran = calibrate(folder, arguments, kSmallStub);
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  const SampleSet now = read_samples(folder.read("p.json.samples.jsonl"), "now");
  CHECK(now.groups.size() == first.groups.size());
  CHECK(folder.read("p.json.samples.jsonl").starts_with(all.substr(0, all.size() / 3)));
}

TEST_CASE("samples of another machine are not continued here") {
  const ScratchFolder folder;
  check_ends(
      calibrate(folder, {"-o", "p.json", "--from", kRecorded, "--probe", OOC_GPU_STUB}, kSmallStub),
      2, {"samples of another machine: device_name Tesla V100-SXM2-16GB and Stub"});
}

TEST_CASE("the shipped profile is found by the device's name, or --like must say it") {
  const ScratchFolder folder;
  const auto like = [&](const std::string& name, const std::string& stub) {
    return calibrate(folder, {"-o", "p.json", "--probe", OOC_GPU_STUB, "--within", "3s"}, stub,
                     {{"OOC_STUB_NAME", name}});
  };
  for (const auto& each : std::vector<std::array<std::string, 3>>{
           {"NVIDIA H100 80GB HBM3", "memory=85e9,multiprocessors=132", "h100-sxm"},
           {"NVIDIA H100 PCIe", "memory=85e9,multiprocessors=114", "h100-pcie"},
           {"NVIDIA A100-SXM4-40GB", "memory=42.3e9,multiprocessors=108", "a100-40gb-sxm"},
           {"NVIDIA A100-PCIE-40GB", "memory=42.3e9,multiprocessors=108", "a100-40gb-pcie"}}) {
    const Ran ran = like(each[0], each[1]);
    CAPTURE(each[0]);
    CHECK_MESSAGE(ran.exit_code == 0, ran.err);
    CHECK_MESSAGE(has(ran.err, "compute as in " + each[2] + ";"), ran.err);
  }
  check_ends(like("NVIDIA Z9", kSmallStub), 2,
             {"no shipped profile of \"NVIDIA Z9\"", "the samples are kept"});
}

// What can go wrong while measuring: in every case the message says what, and the samples stay.

const Words kMeasure{"-o", "p.json", "--probe", OOC_GPU_STUB, "--like", "v100-16gb-pcie3"};

/// Calls so slow that no machine measures everything in the time that is given, but all some of it.
const std::string kSlowCalls = kSmallStub + ",sleep_ns=3000000";

std::size_t samples_in(const ScratchFolder& folder) {
  return read_samples(folder.read("p.json.samples.jsonl"), "samples").count();
}

TEST_CASE("without a measuring program the exit code is 5 and the message says where it looked") {
  const ScratchFolder folder;
  check_ends(calibrate(folder, {"-o", "p.json"}), 5, {"no GPU", "/usr/bin/ooc-paleo-gpu"});
  CHECK(folder.entries().empty());
}

TEST_CASE("without a device the exit code is 5 and the message is the measuring program's") {
  const ScratchFolder folder;
  check_ends(calibrate(folder, kMeasure, "devices=0"), 5, {"no GPU"});
  // A device with too little free memory is refused before anything runs.
  check_ends(calibrate(folder, kMeasure, "memory=16777216"), 5, {"16777216 bytes free"});
  CHECK(folder.entries().empty());
}

TEST_CASE("with samples at hand a missing device is no error: they are fitted as they are") {
  const ScratchFolder folder;
  const Words arguments = kMeasure + Words{"--from", kRecorded};
  check_ends(calibrate(folder, arguments, "devices=0"), 0, {"the samples are fitted as they are"});
}

TEST_CASE(
    "a request that kills or hangs the measuring program costs itself, and the profile is "
    "written") {
  const ScratchFolder folder;
  const Ran died =
      calibrate(folder, kMeasure, kSmallStub, {{"OOC_STUB_DIE", "cudaMemPrefetchAsync:50"}});
  CHECK_MESSAGE(died.exit_code == 0, died.err);
  CHECK(has(died.out, "refused: ended the program by signal 9"));
  const Words arguments = kMeasure + Words{"--time-limit", "300ms", "--within", "8s"};
  const Ran hung =
      calibrate(folder, arguments, kSmallStub, {{"OOC_STUB_HANG", "cudaMemPrefetchAsync:400"}});
  CHECK_MESSAGE(hung.exit_code == 0, hung.err);
  CHECK(has(hung.out, "refused: did not answer for"));
  CHECK(folder.entries() == Words{"p.json", "p.json.samples.jsonl"});
}

/// Starts a calibration, and once it has samples sends it the signal.
Ran signalled(const ScratchFolder& folder, const std::string& signal) {
  return run_shell(
      std::string(OOC_PROGRAM) + " calibrate -o p.json --full --like v100-16gb-pcie3 --probe " +
          OOC_GPU_STUB +
          " 2>err & child=$!; until grep -qs record.:.samples p.json.samples.jsonl; do "
          "sleep 0.05; done; kill -" +
          signal + " $child; wait $child",
      {.folder = folder.path(), .environment = {{"OOC_STUB", kSlowCalls}}});
}

TEST_CASE("Ctrl-C keeps the samples, ends with 130 and says how to go on") {
  const ScratchFolder folder;
  CHECK(signalled(folder, "TERM").exit_code == 130);
  CHECK(has(folder.read("err"), "go on with: ooc-paleo calibrate -o p.json --from"));
  CHECK(samples_in(folder) > 0);
  CHECK(folder.entries() == Words{"err", "p.json.samples.jsonl"});
}

TEST_CASE("samples survive even a kill that nobody can catch") {
  const ScratchFolder folder;
  (void)signalled(folder, "KILL");
  CHECK(samples_in(folder) > 0);
  // The lock file is still there, but nobody holds it: the next one is not refused, it measures.
  CHECK(calibrate(folder, kMeasure, kSmallStub).exit_code == 0);
}

TEST_CASE("when the time is up, what there is is fitted, and the report says what was left out") {
  const ScratchFolder folder;
  const Words arguments = kMeasure + Words{"--within", "2s", "--device", "0"};
  const Ran ran = calibrate(folder, arguments, kSlowCalls);
  CHECK_MESSAGE(ran.exit_code == 0, ran.err);
  CHECK(has(ran.out, "there was no time for "));
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
  check_ends(run_shell(program + " calibrate -o p.json --full --like v100-16gb-pcie3 --probe " +
                           OOC_GPU_STUB +
                           " >first 2>&1 & child=$!; while [ ! -s p.json.samples.jsonl ]; do sleep "
                           "0.05; done; " +
                           program + " calibrate -o p.json --probe " + OOC_GPU_STUB +
                           "; code=$?; kill -TERM $child; wait $child; exit $code",
                       {.folder = folder.path(), .environment = {{"OOC_STUB", kSlowCalls}}}),
             2, {"which another calibration is writing"});
}

}  // namespace
}  // namespace ooc::test
