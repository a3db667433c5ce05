// Calibrations that succeed: measured, fitted again, continued; and command lines that do not fit.
#include <doctest/doctest.h>

#include "calibrate/session/samples.hpp"
#include "model/hardware/profile_json.hpp"
#include "tests/cli/calibrate_support.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

const std::vector<std::string> kCalibrateMeasure{"-o", "p.json", "--probe", OOC_GPU_STUB,
                                                 "--quick"};

HardwareProfile profile_in(const ScratchFolder& folder, const std::string& name = "p.json") {
  return read_profile_text(folder.read(name), name);
}

}  // namespace

TEST_CASE("one command measures, writes a profile and its samples, draws, and predicts with it") {
  const ScratchFolder folder;
  std::vector<std::string> arguments = kCalibrateMeasure;
  for (const char* more : {"--name", "my-stub", "--plot", "curves.svg", "--date", "2025-01-31"}) {
    arguments.emplace_back(more);
  }
  const Ran ran =
      calibrate(folder, arguments, kSmallStub + ",to_near_rate=20e9,to_near_latency_ns=10000");
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  CHECK(has(ran.out, "pinned to_near"));
  CHECK(has(ran.out, "order of the modes"));
  CHECK(has(ran.out, "backend stub: these are not times of a real machine"));
  CHECK(folder.entries() ==
        std::vector<std::string>{"curves.svg", "p.json", "p.json.samples.json"});
  const HardwareProfile profile = profile_in(folder);
  CHECK(profile.name == "my-stub");
  const auto& line = std::get<StraightLine>(profile.connection.modes.at("pinned").to_near);
  CHECK(line.throughput.count() == doctest::Approx(20e9).epsilon(0.01));
  CHECK(line.latency.count() == doctest::Approx(10'000).epsilon(0.03));
  CHECK(profile.provenance.front().date == "2025-01-31");
  CHECK(has(folder.read("curves.svg"), "</svg>"));

  const Ran predicted = run_ooc_paleo(
      {"predict", "alexnet", "--hardware", "./p.json", "--batch", "32", "--memory", "4GiB"},
      {.folder = folder.path(), .environment = {}});
  CHECK_MESSAGE(predicted.exit_code == 0, predicted.err);
}

TEST_CASE("recorded samples are fitted again without a GPU and give the same profile twice") {
  const ScratchFolder folder;
  const Ran first = calibrate(folder, {"-o", "a.json", "--from", kRecorded, "--probe", "none"});
  REQUIRE_MESSAGE(first.exit_code == 0, first.err);
  const Ran second =
      calibrate(folder, {"-o", "b.json", "--from", "a.json.samples.json", "--probe", "none"});
  REQUIRE(second.exit_code == 0);
  CHECK(folder.read("a.json") == folder.read("b.json"));
  CHECK(folder.read("a.json.samples.json") == read_file(kRecorded));
  CHECK(first.out == second.out);
}

TEST_CASE("the log of a script is fitted like samples") {
  const ScratchFolder folder;
  const Ran ran = calibrate(
      folder, {"-o", "p.json", "--from", kRecordedLog, "--probe", "none", "--date", "2025-01-31"});
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  CHECK(profile_in(folder).connection.modes.count("pinned") == 1);
  CHECK_FALSE(has(ran.err, "--date"));
  const Ran undated =
      calibrate(folder, {"-o", "q.json", "--from", kRecordedLog, "--probe", "none"});
  CHECK(undated.exit_code == 0);
  CHECK(has(undated.err, "nothing says when this was measured"));
}

TEST_CASE("--from measures only what is missing") {
  const ScratchFolder folder;
  SampleSet set = read_samples(read_file(kRecorded), "recorded");
  const std::size_t all = set.groups.size();
  std::erase_if(set.groups, [](const SampleGroup& group) {
    return find_value(group.request, "what") == "gemm";
  });
  REQUIRE(set.groups.size() < all);
  folder.file("part.json", write_samples(set));
  const Ran ran =
      calibrate(folder, {"-o", "p.json", "--from", "part.json", "--probe", OOC_GPU_STUB});
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  const SampleSet now = read_samples(folder.read("p.json.samples.json"), "now");
  CHECK(now.groups.size() == all);
  CHECK(now.date == set.date);
  for (const SampleGroup& group : set.groups) {
    const SampleGroup* kept = now.find(group.request);
    REQUIRE(kept != nullptr);
    CHECK(kept->count() == group.count());
  }
}

TEST_CASE("samples of another machine are not continued here") {
  const ScratchFolder folder;
  SampleSet set = read_samples(read_file(kRecorded), "recorded");
  set_value(set.machine, "device_name", "Another GPU");
  folder.file("other.json", write_samples(set));
  const Ran ran =
      calibrate(folder, {"-o", "p.json", "--from", "other.json", "--probe", OOC_GPU_STUB});
  CHECK(ran.exit_code == 2);
  CHECK(has(ran.err, "Another GPU"));
  CHECK(folder.entries() == std::vector<std::string>{"other.json"});
}

TEST_CASE("a network adds its layers, each distinct shape once") {
  const ScratchFolder folder;
  const Ran none = calibrate(folder, {"--dry-run"});
  const Ran vgg = calibrate(folder, {"--dry-run", "--network", "vgg16", "--batch", "16"});
  REQUIRE_MESSAGE(vgg.exit_code == 0, vgg.err);
  CHECK_FALSE(has(none.out, "layer float32"));
  // VGG-16 has 13 convolutions, 9 of different shapes: conv3_2 = conv3_3, conv4_2 = conv4_3 and the
  // three of conv5 are alike. 9 shapes, 3 passes each.
  CHECK(has(vgg.out, "layer float32                   27"));
  CHECK(calibrate(folder, {"--dry-run", "--batch", "16"}).exit_code == 2);
}

TEST_CASE("a dry run says what would be measured and measures nothing") {
  const ScratchFolder folder;
  const Ran quick = calibrate(folder, {"--dry-run"});
  const Ran full = calibrate(folder, {"--dry-run", "--full", "-o", "p.json"});
  CHECK(quick.exit_code == 0);
  CHECK(has(quick.out, "copy pinned                     38"));
  CHECK(has(quick.out, "(quick)"));
  CHECK(has(full.out, "(full)"));
  CHECK(folder.entries().empty());
  const Ran rest = calibrate(folder, {"--dry-run", "--from", kRecorded});
  CHECK(has(rest.out, "\n0 requests"));
}

TEST_CASE("command lines that cannot be meant are refused") {
  const ScratchFolder folder;
  folder.file("bad.json", "{\"format\": 1}");
  folder.file("empty.json", "");
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& says) {
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
  refused({"-o", "p.json", "--network", "vgg17", "--probe", OOC_GPU_STUB}, "vgg16");
  refused({"-o", "p.json", "--network", "vgg16", "--probe", OOC_GPU_STUB}, "--batch: found none");
  refused({"-o", "p.json", "--from", kRecorded, "--probe", "none", "--plot", "p.json"}, "--plot");
  CHECK(folder.entries() == std::vector<std::string>{"bad.json", "empty.json"});
}

TEST_CASE("nothing is written beside a device") {
  const ScratchFolder folder;
  std::filesystem::create_symlink("/dev/null", folder.path() / "nowhere");
  const Ran ran = calibrate(folder, {"-o", "nowhere", "--from", kRecorded, "--probe", "none"});
  CHECK(ran.exit_code == 0);
  CHECK(folder.entries() == std::vector<std::string>{"nowhere"});
}
