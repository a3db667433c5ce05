// From samples to a profile that reads back, with every number accounted for.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "calibrate/session/assemble.hpp"
#include "calibrate/session/plot_svg.hpp"
#include "calibrate/session/report.hpp"
#include "calibrate/session/run_session.hpp"
#include "model/base/errors.hpp"
#include "model/hardware/profile_json.hpp"
#include "tests/support/probes.hpp"
#include "tests/support/text.hpp"

using namespace ooc;

namespace {

SampleSet measured(const SyntheticMachine& machine) {
  SampleSet set;
  const auto probe = synthetic_probe(machine);
  REQUIRE(run_session(*probe, {Effort::kQuick, machine.machine, {}}, set, {}).end ==
          SessionEnd::kComplete);
  set.machine = machine.machine;
  set.program = probe->program();
  set.backend = probe->backend();
  set.date = "2025-01-31";
  return set;
}

Assembled assembled(const SampleSet& set) {
  return assemble_profile(set, analyse(set), {.name = "", .date = set.date});
}

void drop(SampleSet& set, const std::string& what) {
  std::erase_if(set.groups, [&](const SampleGroup& group) {
    return identity_text(group.request).find(what) != std::string::npos;
  });
}

bool is_assumed(const HardwareProfile& profile, const std::string& fields) {
  return std::find(profile.assumed.begin(), profile.assumed.end(), fields) != profile.assumed.end();
}

HardwareProfile read_back(const HardwareProfile& profile) {
  return read_profile_text(write_profile(profile), "profile");
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
  CHECK(profile.kernel_launch == Duration(2500));
  CHECK(profile.peak.at(Dtype::kFloat32).per_second == doctest::Approx(14e12).epsilon(0.001));
  CHECK(profile.near_memory.capacity == Bytes(17179869184));
  // total - free = 17179869184 - 16642998272
  CHECK(profile.near_memory.reserved == Bytes(536870912));
  CHECK(profile.near_memory.throughput.count() == doctest::Approx(800e9).epsilon(0.01));
  CHECK(profile.far_memory.capacity == Bytes(274877906944));
  CHECK(profile.connection.name == "PCIe 3.0 x16");
  CHECK(profile.connection.theoretical->count() == doctest::Approx(15.75e9).epsilon(0.001));
  // No cuDNN: convolutions are not measured, and the profile says so. Nothing else is assumed.
  CHECK(profile.assumed == std::vector<std::string>{"compute.efficiency.conv"});
  CHECK(has(profile.measurement_json, "Synthetic GPU"));
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

TEST_CASE("what was not measured is filled, stays assumed and is shown") {
  SampleSet set = measured(usual_synthetic_machine());
  for (const char* what : {"gemm", "launch", "kernel", "near_copy", "host_memory", "duplex"}) {
    drop(set, what);
  }
  set.machine = {{"device_name", "Unknown"}};
  const Assembled result = assembled(set);
  const HardwareProfile profile = read_back(result.profile);
  for (const char* fields :
       {"compute.peak", "compute.kernel_launch", "compute.efficiency.default",
        "compute.efficiency.memory", "near_memory.capacity", "near_memory.reserved",
        "near_memory.throughput", "far_memory.capacity", "connection.duplex"}) {
    CAPTURE(fields);
    CHECK(is_assumed(profile, fields));
  }
  CHECK_FALSE(is_assumed(profile, "connection.modes.pinned"));
  const std::string report = calibration_report({set, analyse(set), profile, result.remarks});
  CHECK(has(report, "assumed, not measured: "));
  CHECK(has(report, "connection.duplex"));
}

TEST_CASE("without matrix products the peak is what clock and multiprocessors allow") {
  SampleSet set = measured(usual_synthetic_machine());
  drop(set, "gemm");
  set.machine.emplace_back("sm_count", "132");
  set.machine.emplace_back("clock_sm_max_mhz", "1980");
  set.machine.emplace_back("compute_capability", "9.0");
  // 132 * 1980 MHz * 128 lanes * 2 = 66.9 TFLOP/s
  const HardwareProfile profile = read_back(assembled(set).profile);
  CHECK(profile.peak.at(Dtype::kFloat32).per_second == doctest::Approx(66.9e12).epsilon(0.001));
  CHECK(is_assumed(profile, "compute.peak"));
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

TEST_CASE("a duplex ratio below what taking turns gives is raised, and that is said") {
  SyntheticMachine machine = usual_synthetic_machine();
  machine.duplex = machine.duplex_to_far = 0.6;
  machine.modes[1].to_near = {12000, 10e9};  // pageable: 10 and 2 GB/s, taking turns is 10 / 12
  machine.modes[1].to_far = {13000, 2e9};
  const Assembled result = assembled(measured(machine));
  CHECK(read_back(result.profile).connection.duplex.to_far.count() > 800'000'000);
  REQUIRE_FALSE(result.remarks.empty());
  CHECK(has(result.remarks.back(), "measured 0.600, raised to"));
}

TEST_CASE("a mode with one direction is left out, pinned copies must be there") {
  SampleSet set = measured(usual_synthetic_machine());
  drop(set, "copy bytes=");
  CHECK_THROWS_AS((void)assembled(set), SpecError);
  SampleSet one = measured(usual_synthetic_machine());
  std::erase_if(one.groups, [](const SampleGroup& group) {
    return has_value(group, "mode", "pageable") && has_value(group, "direction", "to_far");
  });
  const Assembled result = assembled(one);
  CHECK(result.profile.connection.modes.count("pageable") == 0);
  CHECK(has(result.remarks.front(), "pageable"));
  (void)read_back(result.profile);
}

TEST_CASE("convolutions faster than any matrix product are cut to the peak") {
  SampleSet set = measured(usual_synthetic_machine());
  SampleGroup layer;
  layer.request = identity_of({{"what", "layer"},
                               {"kind", "conv"},
                               {"pass", "forward"},
                               {"dtype", "float32"},
                               {"batch", "32"},
                               {"channels", "64"},
                               {"height", "56"},
                               {"width", "56"},
                               {"filters", "64"},
                               {"kernel_h", "3"},
                               {"kernel_w", "3"},
                               {"pad_h", "1"},
                               {"pad_w", "1"}});
  layer.state = GroupState::kDone;
  // 2 * 32 * 64 * 64 * 9 * 56 * 56 = 7.398 GFLOP. In 0.37 ms 20 TFLOP/s, above the 14 of the products.
  layer.metrics = {
      {"time", "event", {{"algorithm", "slow"}, {"workspace_bytes", "0"}}, {2e6}},
      {"time", "event", {{"algorithm", "winograd"}, {"workspace_bytes", "8"}}, {0.37e6}}};
  set.groups.push_back(layer);
  const std::vector<LayerTimes> layers = layer_times(set);
  REQUIRE(layers.size() == 1);
  CHECK(layers[0].algorithm == "winograd");
  CHECK(layers[0].flops == doctest::Approx(7.398e9).epsilon(0.001));
  const Assembled result = assembled(set);
  const HardwareProfile profile = read_back(result.profile);
  CHECK(profile.efficiency.at("conv").points.front().second == 1);
  CHECK_FALSE(is_assumed(profile, "compute.efficiency.conv"));
  CHECK(has(result.remarks.back(), "Winograd"));
  // The profile keeps the way it has a word for, with its workspace, for schedules to choose.
  REQUIRE(profile.layers.size() == 1);
  CHECK(profile.layers[0].batch == 32);
  CHECK(profile.layers[0].shape.dims[1].output == 56);
  REQUIRE(profile.layers[0].algorithms.size() == 1);
  CHECK(profile.layers[0].algorithms[0].algorithm == Algorithm::kWinograd);
  CHECK(profile.layers[0].algorithms[0].time == Duration(370'000));
  CHECK(profile.layers[0].algorithms[0].workspace == Bytes(8));
  CHECK_FALSE(is_assumed(profile, "compute.layers"));
}

TEST_CASE("the report says of each mode what was found, and whether figure 6 is reproduced") {
  const SampleSet set = measured(usual_synthetic_machine());
  const Assembled result = assembled(set);
  const HardwareProfile profile = read_back(result.profile);
  const std::string report = calibration_report({set, analyse(set), profile, result.remarks});
  CHECK(has(report, "pinned to_near"));
  CHECK(has(report, "12.0 GB/s"));
  CHECK(has(report, "x16 Gen3 expects ~14 GB/s, measured 12"));
  CHECK(has(report, "backend synthetic: these are not times of a real machine"));
  // 12 above 11 above 5 GB/s, and the prefetch begins last.
  CHECK(has(report, "  reproduced: to_near: at 4 MiB pinned is above prefetch above pageable"));
  CHECK(has(report, "  reproduced: to_near: prefetch has the largest latency"));
  CHECK_FALSE(has(report, "NOT reproduced"));
  SyntheticMachine reversed = usual_synthetic_machine();
  std::swap(reversed.modes[0].to_near, reversed.modes[1].to_near);
  const SampleSet other = measured(reversed);
  const Assembled turned = assembled(other);
  CHECK(has(calibration_report({other, analyse(other), turned.profile, turned.remarks}),
            "NOT reproduced: to_near: at 4 MiB"));
}

TEST_CASE("the same samples give the same profile, report and picture") {
  const SampleSet set = measured(usual_synthetic_machine());
  const SampleSet again = read_samples(write_samples(set), "samples");
  CHECK(write_profile(assembled(set).profile) == write_profile(assembled(again).profile));
  CHECK(transfer_plot_svg(set, analyse(set)) == transfer_plot_svg(again, analyse(again)));
}

TEST_CASE("the picture has a curve and points for each mode and direction") {
  SampleSet set = measured(usual_synthetic_machine());
  set_value(set.machine, "device_name", "A<B&C>");
  const std::string svg = transfer_plot_svg(set, analyse(set));
  std::size_t curves = 0;
  for (std::size_t at = svg.find("<polyline"); at != std::string::npos;
       at = svg.find("<polyline", at + 1)) {
    ++curves;
  }
  CHECK(curves == 8);
  CHECK(has(svg, "A&lt;B&amp;C&gt;"));
  CHECK_FALSE(has(svg, "nan"));
  CHECK(has(svg, "usual on PCIe 3.0 x16"));
  // Nothing measured is an empty picture, not a crash.
  CHECK(has(transfer_plot_svg({}, {}), "</svg>"));
}
