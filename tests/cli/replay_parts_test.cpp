// Parts of `replay` from inside: whether a profile is of the measured machine.
#include <doctest/doctest.h>

#include "cli/replay/machine_match.hpp"

using namespace ooc;

namespace {

HardwareProfile profile(const std::string& name, const std::string& description,
                        const std::string& measured = "") {
  HardwareProfile made;
  made.name = name;
  made.description = description;
  if (!measured.empty())
    made.measurement_json = R"({"machine":{"device_name":")" + measured + "\"}}";
  return made;
}

std::string mismatch(const HardwareProfile& made, const std::string& device) {
  return machine_mismatch(made, {{"device_name", device}});
}

}  // namespace

TEST_CASE("a measured profile is of the device that it was measured on") {
  const HardwareProfile h200 = profile("mine", "", "NVIDIA H200");
  CHECK(mismatch(h200, "NVIDIA H200").empty());
  CHECK(mismatch(h200, "NVIDIA H100 80GB HBM3") ==
        "the profile mine was measured on NVIDIA H200, the plan ran on NVIDIA H100 80GB HBM3");
}

TEST_CASE("other profiles are known by the device's model") {
  const HardwareProfile v100 = profile("v100-16gb-pcie3", "Tesla V100 SXM2 16 GB of a DGX-1");
  CHECK(mismatch(v100, "Tesla V100-SXM2-16GB").empty());
  CHECK_FALSE(mismatch(v100, "NVIDIA H200").empty());
  CHECK_FALSE(mismatch(v100, "NVIDIA A100-SXM2-16GB").empty());
  CHECK(mismatch(profile("x", "a GeForce RTX 3090"), "NVIDIA GeForce RTX 3090").empty());
  CHECK(mismatch(v100, "TITAN X").empty());  // no number to go by: nothing is claimed
  CHECK(machine_mismatch(v100, {}).empty());
}
