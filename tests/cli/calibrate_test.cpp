// Calibrations that succeed: measured, fitted again, continued; and command lines that do not fit.
#include "calibrate/session/samples.hpp"
#include "model/hardware/profile_json.hpp"
#include "tests/cli/calibrate_support.hpp"
#include "tests/support/test.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

const Words kCalibrateMeasure{"-o",      "p.json", "--probe",        OOC_GPU_STUB,
                              "--quick", "--like", "v100-16gb-pcie3"};
const ProfileSources kShippedArchitectures{
    .architecture_folders = {OOC_SOURCE_DIR "/hwprofiles/architectures"}};

HardwareProfile profile_in(const ScratchFolder& folder, const std::string& name = "p.json") {
  return read_profile_text(folder.read(name), name, kShippedArchitectures);
}

}  // namespace

TEST_CASE("one command measures, writes a profile and its samples, draws, and predicts with it") {
  const ScratchFolder folder;
  Words arguments = kCalibrateMeasure;
  for (const char* more : {"--name", "my-stub", "--plot", "curves.svg", "--date", "2025-01-31"}) {
    arguments.emplace_back(more);
  }
  const Ran ran =
      calibrate(folder, arguments, kSmallStub + ",to_near_rate=20e9,to_near_latency_ns=10000");
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  CHECK(has(ran.out, "pinned to_near"));
  CHECK(has(ran.out, "order of the modes"));
  CHECK(has(ran.out, "backend stub: these are not times of a real machine"));
  CHECK(folder.entries() == Words{"curves.svg", "p.json", "p.json.samples.jsonl"});
  const HardwareProfile profile = profile_in(folder);
  CHECK(profile.name == "my-stub");
  const auto& line = std::get<StraightLine>(profile.connection.modes.at("pinned").to_near);
  CHECK(line.throughput.count() == doctest::Approx(20e9).epsilon(0.01));
  CHECK(line.latency.count() == doctest::Approx(10'000).epsilon(0.03));
  CHECK(profile.provenance.back().date == "2025-01-31");
  CHECK(profile.kernels->architecture->name == "volta");
  CHECK(has(folder.read("curves.svg"), "</svg>"));

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
  const Ran ran =
      calibrate(folder, {"-o", "p.json", "--from", kRecorded, "--probe", OOC_GPU_STUB}, kSmallStub);
  CHECK(ran.exit_code == 2);
  CHECK(has(ran.err, "samples of another machine: device_name Tesla V100-SXM2-16GB and Stub"));
}

TEST_CASE("the shipped profile is found by the device's name, or --like must say it") {
  const ScratchFolder folder;
  const auto like = [&](const std::string& name, const std::string& stub) {
    return calibrate(folder, {"-o", "p.json", "--probe", OOC_GPU_STUB, "--within", "3s"}, stub,
                     {{"OOC_STUB_NAME", name}});
  };
  for (const auto& [name, stub, profile] : std::vector<std::array<std::string, 3>>{
           {"NVIDIA H100 80GB HBM3", "memory=85e9,multiprocessors=132", "h100-sxm"},
           {"NVIDIA H100 PCIe", "memory=85e9,multiprocessors=114", "h100-pcie"},
           {"NVIDIA A100-SXM4-40GB", "memory=42.3e9,multiprocessors=108", "a100-40gb-sxm"},
           {"NVIDIA A100-PCIE-40GB", "memory=42.3e9,multiprocessors=108", "a100-40gb-pcie"}}) {
    const Ran ran = like(name, stub);
    CAPTURE(name);
    CHECK_MESSAGE(ran.exit_code == 0, ran.err);
    CHECK_MESSAGE(has(ran.err, "compute as in " + profile + ";"), ran.err);
  }
  const Ran unknown = like("NVIDIA Z9", kSmallStub);
  CHECK(unknown.exit_code == 2);
  CHECK(has(unknown.err, "no shipped profile of \"NVIDIA Z9\""));
  CHECK(has(unknown.err, "the samples are kept"));
}

TEST_CASE("command lines that cannot be meant are refused") {
  const ScratchFolder folder;
  folder.file("bad.json", "{\"format\": 1}");
  folder.file("empty.json", "");
  const auto refused = [&](const Words& arguments, const std::string& says) {
    const Ran ran = calibrate(folder, arguments);
    CAPTURE(ran.err);
    CHECK(ran.exit_code == 2);
    CHECK(has(ran.err, says));
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
