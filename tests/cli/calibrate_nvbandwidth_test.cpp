// `calibrate --from-nvbandwidth`: the link of people who have no nvcc.
#include "model/hardware/profile_json.hpp"
#include "tests/cli/calibrate_support.hpp"
#include "tests/support/test.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

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

}  // namespace

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
