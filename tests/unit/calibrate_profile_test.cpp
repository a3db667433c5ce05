// From samples to a profile that reads back, with every number accounted for.
#include "calibrate/session/assemble.hpp"
#include "calibrate/session/report.hpp"
#include "model/base/errors.hpp"
#include "model/hardware/profile_json.hpp"
#include "tests/support/synthetic_samples.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

SampleSet measured(const SyntheticMachine& machine) { return synthetic_samples(machine); }

const ProfileSources kSources{.architecture_folders = {OOC_SOURCE_DIR "/hwprofiles/architectures"}};

const HardwareProfile& v100() {
  static const HardwareProfile kProfile =
      read_profile_file(OOC_SOURCE_DIR "/hwprofiles/v100-16gb-pcie3.json", kSources);
  return kProfile;
}

Assembled assembled(const SampleSet& set) {
  return assemble_profile(set, analyse(set), {.like = v100(), .name = "", .date = set.date});
}

void drop(SampleSet& set, const std::string& what) {
  std::erase_if(set.groups,
                [&](const SampleGroup& group) { return has(request_text(group.request), what); });
}

bool is_assumed(const HardwareProfile& profile, const std::string& fields) {
  return std::find(profile.assumed.begin(), profile.assumed.end(), fields) != profile.assumed.end();
}

HardwareProfile read_back(const HardwareProfile& profile) {
  return read_profile_text(write_profile(profile), "profile", kSources);
}

}  // namespace

TEST_CASE("a measured profile reads back and holds the machine's parameters") {
  const SyntheticMachine machine = usual_synthetic_machine();
  const HardwareProfile profile = read_back(assembled(measured(machine)).profile);
  CHECK(profile.name == "synthetic-gpu-measured");
  const auto& pinned = std::get<StraightLine>(profile.connection.modes.at("pinned").to_near);
  CHECK(pinned.throughput == BytesPerSecond(12'000'000'000));
  CHECK(pinned.latency == Duration(8000));
  CHECK(profile.connection.duplex.to_near.count() == doctest::Approx(0.8e9).epsilon(0.002));
  // Compute stays the shipped profile's.
  REQUIRE(profile.kernels.has_value());
  CHECK(profile.kernels->architecture->name == "volta");
  CHECK_FALSE(profile.kernels->written_out);
  CHECK(profile.kernels->sustained == v100().kernels->sustained);
  CHECK(profile.peak.at(Dtype::kFloat32).per_second == v100().peak.at(Dtype::kFloat32).per_second);
  CHECK(profile.near_memory.capacity == Bytes(17179869184));
  // total - free = 17179869184 - 16642998272
  CHECK(profile.near_memory.reserved == Bytes(536870912));
  // 800 GB/s is what kernels reach, the share 0.9243 of the profile's number; what the cache gives is left out.
  const double share = profile.kernels->architecture->parameters.near_share;
  CHECK(static_cast<double>(profile.near_memory.throughput.count()) * share ==
        doctest::Approx(800e9).epsilon(0.01));
  CHECK(profile.far_memory.capacity == Bytes(274877906944));
  CHECK(profile.connection.name == "PCIe 3.0 x16");
  CHECK(profile.connection.theoretical->count() == doctest::Approx(15.75e9).epsilon(0.001));
  // Nothing that was measured is assumed.
  for (const std::string& fields : profile.assumed) {
    CAPTURE(fields);
    CHECK((fields.starts_with("compute.") || fields == "far_memory.reserved" || fields == "peers"));
  }
  CHECK(has(json_text(*profile.machine), "Synthetic GPU"));
}

TEST_CASE("a straight line predicts what was measured, memory latencies and limits included") {
  const HardwareProfile profile = read_back(assembled(measured(usual_synthetic_machine())).profile);
  CHECK(profile.near_memory.latency == Duration(0));
  CHECK(profile.far_memory.latency == Duration(0));
  for (const auto& [name, mode] : profile.connection.modes) {
    for (const TransferLine& line : {mode.to_near, mode.to_far}) {
      const auto* straight = std::get_if<StraightLine>(&line);
      if (straight == nullptr) continue;
      CHECK(straight->throughput <= profile.far_memory.throughput);
      CHECK(straight->throughput <= profile.near_memory.throughput);
    }
  }
}

TEST_CASE("what was not measured stays as in the profile of the device, with what is said of it") {
  SampleSet set = measured(usual_synthetic_machine());
  for (const char* what : {"launch", "near_copy", "host_memory", "duplex"}) drop(set, what);
  set.machine = {{"device_name", "Unknown"}};
  const Assembled result = assembled(set);
  const HardwareProfile profile = read_back(result.profile);
  CHECK(profile.near_memory.capacity == v100().near_memory.capacity);
  CHECK(profile.near_memory.throughput == v100().near_memory.throughput);
  CHECK(profile.far_memory.capacity == v100().far_memory.capacity);
  CHECK(profile.connection.duplex == v100().connection.duplex);
  CHECK_FALSE(is_assumed(profile, "connection.modes.pinned"));
  const auto said = [](const HardwareProfile& of, const std::string& fields) {
    return std::count_if(of.provenance.begin(), of.provenance.end(),
                         [&](const Provenance& each) { return each.fields == fields; });
  };
  CHECK(said(profile, "near_memory.throughput") == said(v100(), "near_memory.throughput"));
  CHECK(said(profile, "connection.modes.pinned") == 1);
  CHECK(said(profile, "connection.modes.pinned.to_near.throughput") == 0);
}

TEST_CASE("on-demand copies are split into faults and moving the bytes") {
  const HardwareProfile profile = read_back(assembled(measured(usual_synthetic_machine())).profile);
  const TransferMode& mode = profile.connection.modes.at("unified_fault");
  // 11 GB/s between faults, 3 GB/s with them: (1/3 - 1/11) ns a byte are the faults'.
  const auto& line = std::get<StraightLine>(mode.to_near);
  CHECK(line.throughput.count() == doctest::Approx(11e9).epsilon(0.01));
  const double per_byte =
      static_cast<double>(mode.fault->count()) / static_cast<double>(mode.page->count());
  CHECK(per_byte == doctest::Approx(1 / 3.0 - 1 / 11.0).epsilon(0.01));
  // What is evicted leaves as a prefetch does, not page by page as a host thread touches it, 2 GB/s.
  const auto& evicted = std::get<StraightLine>(mode.to_far);
  CHECK(evicted.throughput.count() == doctest::Approx(11.5e9).epsilon(0.01));
}

TEST_CASE("a machine whose directions keep different shares gets a pair") {
  SyntheticMachine machine = usual_synthetic_machine();
  machine.duplex = 0.5;
  machine.duplex_to_far = 0.95;
  const Assembled result = assembled(measured(machine));
  const Duplex duplex = read_back(result.profile).connection.duplex;
  CHECK(duplex.to_near.count() == doctest::Approx(0.5e9).epsilon(0.01));
  CHECK(duplex.to_far.count() == doctest::Approx(0.95e9).epsilon(0.01));
  CHECK(result.remarks.empty());

  // Pageable copies at 10 and 2 GB/s: 0.4 and 0.5 would carry 5 of the 10 GB/s that one direction has.
  // Of the 7 that 12 lack of it 5 are added, in each direction alike: 0.4 + 5/7 x 0.6 = 0.829, 0.857.
  machine.duplex = 0.4;
  machine.duplex_to_far = 0.5;
  machine.modes[1].to_near = {12000, 10e9};
  machine.modes[1].to_far = {13000, 2e9};
  const Assembled slow = assembled(measured(machine));
  const Duplex raised = read_back(slow.profile).connection.duplex;
  CHECK(raised.to_near.count() == doctest::Approx(0.829e9).epsilon(0.005));
  CHECK(raised.to_far.count() == doctest::Approx(0.857e9).epsilon(0.005));
  CHECK(has(slow.remarks.back(), "to far, raised to"));
}

TEST_CASE("a mode with one direction stays as it was, pinned copies must be there") {
  SampleSet set = measured(usual_synthetic_machine());
  drop(set, "copy bytes=");
  CHECK_THROWS_AS((void)assembled(set), SpecError);
  SampleSet one = measured(usual_synthetic_machine());
  std::erase_if(one.groups, [](const SampleGroup& group) {
    return group.key("mode") == "pageable" && group.key("direction") == "to_far";
  });
  const Assembled result = assembled(one);
  const auto rate = [](const HardwareProfile& of) {
    return std::get<StraightLine>(of.connection.modes.at("pageable").to_near).throughput;
  };
  CHECK(rate(result.profile) == rate(v100()));
  CHECK(has(result.remarks.front(), "pageable"));
  (void)read_back(result.profile);
}

TEST_CASE("the report says of each mode what was found") {
  const SampleSet set = measured(usual_synthetic_machine());
  const Assembled result = assembled(set);
  const HardwareProfile profile = read_back(result.profile);
  const std::string report = calibration_report({set, analyse(set), profile, result.remarks});
  CHECK(has(report, "pinned to_near"));
  CHECK(has(report, "12.0 GB/s"));
  CHECK(has(report, "x16 Gen3 expects ~14 GB/s, measured 12"));
  CHECK(has(report, "backend synthetic: these are not times of a real machine"));
  // 8 us and 4096 B at 12 GB/s; 40 us and the rest at 11; 12 us and the rest at 5.
  CHECK(has(report, "      4 KiB     8.341 us     40.37 us     12.82 us"));
}
