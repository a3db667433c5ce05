// Calibrations that succeed: measured, fitted again, continued; and command lines that do not fit.
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
  CHECK(has(ran.out, "order of the modes"));
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

TEST_CASE("recorded samples are fitted again without a GPU and give the same profile twice") {
  const ScratchFolder folder;
  const Ran first = calibrate(folder, {"-o", "a.json", "--from", kRecorded, "--probe", "none"});
  REQUIRE_MESSAGE(first.exit_code == 0, first.err);
  const Ran second =
      calibrate(folder, {"-o", "b.json", "--from", "a.json.samples.jsonl", "--probe", "none"});
  REQUIRE(second.exit_code == 0);
  CHECK(folder.read("a.json") == folder.read("b.json"));
  CHECK(folder.read("a.json.samples.jsonl") == read_file(kRecorded));
  CHECK(first.out == second.out);
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

TEST_CASE("command lines that cannot be meant are refused") {
  const ScratchFolder folder;
  folder.file("bad.json", "{\"format\": 1}");
  folder.file("empty.json", "");
  const auto refused = [&](const Words& arguments, const std::string& says) {
    check_ends(calibrate(folder, arguments), 2, {says});
  };
  refused({}, "--output");
  refused({"-o", "-"}, "--output");
  refused({"-o", "p.json", "--quick", "--full"}, "--full");
  refused({"-o", "p.json", "--device", "x"}, "--device");
  refused({"-o", "p.json", "--date", "today"}, "--date");
  refused({"-o", "p.json", "--probe", "/nowhere"}, "--probe");
  refused({"-o", "p.json", "--probe", "none"}, "--from");
  refused({"-o", "p.json", "--time-limit", "0s", "--probe", OOC_GPU_STUB}, "--time-limit");
  refused({"-o", "p.json", "--from", "nowhere.json"}, "nowhere.json");
  refused({"-o", "p.json", "--from", "bad.json"}, "bad.json");
  refused({"-o", "p.json", "--from", "empty.json"}, "empty.json");
  refused({"-o", "bad.json", "--from", "bad.json", "--probe", "none"}, "bad.json");
  refused({"-o", "/nowhere/p.json", "--probe", OOC_GPU_STUB}, "/nowhere/p.json");
  refused({"-o", "p.json", "--like", "v101", "--probe", OOC_GPU_STUB}, "--like");
  refused({"-o", "p.json", "--from", kRecorded, "--probe", "none", "--plot", "p.json"}, "--plot");
  CHECK(folder.entries() == Words{"bad.json", "empty.json"});
}

TEST_CASE("nothing is written beside a device") {
  const ScratchFolder folder;
  std::filesystem::create_symlink("/dev/null", folder.path() / "nowhere");
  const Ran ran = calibrate(folder, {"-o", "nowhere", "--from", kRecorded, "--probe", "none"});
  CHECK(ran.exit_code == 0);
  CHECK(folder.entries() == Words{"nowhere"});
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
  check_ends(calibrate(folder, {"-o", "p.json"}, "", {{"OOC_PALEO_GPU", "/nowhere"}}), 2,
             {"OOC_PALEO_GPU"});
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

TEST_CASE("what is no measuring program is not believed") {
  const ScratchFolder folder;
  folder.file("program", "#!/bin/sh\necho rubbish\n");
  std::filesystem::permissions(folder.path() / "program", std::filesystem::perms::owner_all);
  check_ends(calibrate(folder, {"-o", "p.json", "--probe", "./program"}), 2,
             {"records of ooc-paleo-gpu"});
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
  check_ends(calibrate(folder, {"-o", "q.json", "--within", "0s"}), 2, {"--within"});
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

TEST_CASE("an output that cannot be written is found before anything is measured") {
  const ScratchFolder folder;
  check_ends(calibrate(folder, {"-o", "/proc/p.json", "--probe", OOC_GPU_STUB}), 2,
             {"/proc/p.json"});
  CHECK(folder.entries().empty());
}

// `calibrate --from-nvbandwidth`: the link of people who have no nvcc.

/// As version 0.8 prints it: texts, a column for each device.
const std::string kOutput = R"({"nvbandwidth": {
  "CUDA Runtime Version": 12080, "Driver Version": "570.86", "GPU Device list": ["0: NVIDIA H100"],
  "version": "0.8",
  "testcases": [
    {"name": "host_to_device_memcpy_ce", "status": "Passed", "bandwidth_description": "memcpy CE",
     "bandwidth_matrix": [["55.36", "50.00"]], "sum": 105.36},
    {"name": "device_to_host_memcpy_ce", "status": "Passed", "bandwidth_matrix": [["53.12", "N/A"]]},
    {"name": "host_to_device_bidirectional_memcpy_ce", "status": "Passed",
     "bandwidth_matrix": [["44.288", "N/A"]]},
    {"name": "device_to_host_bidirectional_memcpy_ce", "status": "Passed",
     "bandwidth_matrix": [["39.84", "N/A"]]},
    {"name": "device_local_copy", "status": "Passed", "bandwidth_matrix": [["1400.0", "N/A"]]},
    {"name": "device_to_device_memcpy_read_ce", "status": "Waived"}]}})";

TEST_CASE("nvbandwidth's output becomes the link of a profile, the rest stays") {
  const ScratchFolder folder;
  folder.file("nv.json", kOutput);
  const Ran ran = calibrate(folder, {"--from-nvbandwidth", "nv.json", "--like", "h100-sxm", "-o",
                                     "p.json", "--date", "2025-01-31"});
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  const ProfileSources sources{
      .architecture_folders = {OOC_SOURCE_DIR "/hwprofiles/architectures"}};
  const HardwareProfile profile = read_profile_text(folder.read("p.json"), "p.json", sources);
  const HardwareProfile like =
      read_profile_file(OOC_SOURCE_DIR "/hwprofiles/h100-sxm.json", sources);
  const TransferMode& pinned = profile.connection.modes.at("pinned");
  CHECK(std::get<StraightLine>(pinned.to_near).throughput == BytesPerSecond(55'360'000'000));
  CHECK(std::get<StraightLine>(pinned.to_far).throughput == BytesPerSecond(53'120'000'000));
  CHECK(std::get<StraightLine>(pinned.to_far).latency == Duration(8000));  // as h100-sxm has it
  // 44.288 of 55.36 and 39.84 of 53.12
  CHECK(profile.connection.duplex.to_near.count() == doctest::Approx(0.8e9));
  CHECK(profile.connection.duplex.to_far.count() == doctest::Approx(0.75e9));
  // 1400 read and 1400 written are 0.9 of it.
  CHECK(static_cast<double>(profile.near_memory.throughput.count()) ==
        doctest::Approx(2800e9 / 0.9).epsilon(0.001));
  CHECK(profile.kernels->sustained == like.kernels->sustained);
  CHECK(has(folder.read("p.json"), "nvbandwidth 0.8: host_to_device_memcpy_ce"));
  CHECK(has(ran.out, "55.36 GB/s"));
  CHECK(run_ooc_paleo({"predict", "alexnet", "--batch", "8", "--hardware", "./p.json"}, in(folder))
            .exit_code == 0);
}

TEST_CASE("what lacks a direction, is no output of nvbandwidth or has no --like is refused") {
  const ScratchFolder folder;
  folder.file("nv.json", kOutput);
  folder.file("none.json", R"({"testcases": []})");
  const auto refused = [&](Words words, const std::string& says) {
    words.insert(words.end(), {"-o", "p.json"});
    const Ran ran = calibrate(folder, words);
    CHECK(ran.exit_code == 2);
    CHECK_MESSAGE(has(ran.err, says), ran.err);
  };
  refused({"--from-nvbandwidth", "nv.json"}, "--like");
  refused({"--from-nvbandwidth", "nv.json", "--like", "h100-sxm", "--device", "1"},
          "no device_to_host_memcpy_ce of device 1");
  refused({"--from-nvbandwidth", "none.json", "--like", "h100-sxm"}, "nvbandwidth");
  refused({"--from-nvbandwidth", "nv.json", "--like", "h100-sxm", "--full"}, "--full");
  CHECK(folder.entries() == Words{"none.json", "nv.json"});
}

}  // namespace
}  // namespace ooc::test
