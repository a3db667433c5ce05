// The law behind a measured profile: a machine with known parameters, measured with 5 % noise and 2 %
// outliers, gives those parameters back within 1 %, whatever the seed.
#include "calibrate/session/analyse.hpp"
#include "tests/support/synthetic_samples.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

int cases() {
  const char* wanted = std::getenv("OOC_PROPERTY_CASES");
  return wanted == nullptr ? 25 : std::max(1, std::atoi(wanted) / 8);  // dearer than other cases
}

/// Machines differ with the seed: latencies from 4 to 60 us, rates from 4 to 60 GB/s. The knee (latency
/// x rate) is then at 16 kB or above; with one below 4 KiB no size would show the latency.
SyntheticMachine machine_of(unsigned long long seed) {
  SyntheticMachine machine = usual_synthetic_machine();
  machine.seed = seed;
  machine.noise = 0.05;
  machine.outliers = 0.02;
  machine.repetitions = 200;
  const double latency = 4000 * std::pow(15.0, static_cast<double>(seed % 7) / 6);
  const double rate = 4e9 * std::pow(15.0, static_cast<double>(seed % 5) / 4);
  machine.modes.resize(1);  // pinned: each mode is fitted alike
  machine.modes[0].to_near = {latency, rate};
  machine.modes[0].to_far = {latency * 1.3, rate * 1.1};
  machine.duplex = 0.7 + 0.04 * static_cast<double>(seed % 8);
  // Every third one loses more of what it copies to near.
  machine.duplex_to_far = seed % 3 == 0 ? 0.95 : machine.duplex;
  if (seed % 3 == 0) machine.duplex -= 0.2;
  return machine;
}

double off(double found, double truth) { return std::abs(found / truth - 1); }

}  // namespace

TEST_CASE("5 percent of noise and 2 percent of outliers leave the parameters within 1 percent") {
  for (int seed = 1; seed <= cases(); ++seed) {
    CAPTURE(seed);
    const SyntheticMachine truth = machine_of(static_cast<unsigned long long>(seed));
    const Calibration found = analyse(synthetic_samples(truth));
    for (const char* direction : kDirections) {
      CAPTURE(direction);
      const auto& wanted =
          std::string(direction) == "to_near" ? truth.modes[0].to_near : truth.modes[0].to_far;
      const TransferFit* fit = found.copy("pinned", direction);
      REQUIRE(fit != nullptr);
      CHECK(off(fit->line.latency_ns, wanted.latency_ns) < 0.01);
      CHECK(off(1e9 / fit->line.ns_per_byte, wanted.bytes_per_s) < 0.01);
      CHECK_FALSE(fit->is_curve());
      CHECK(fit->outliers() > 0);
    }
    REQUIRE(found.duplex.has_value());
    CHECK(off(found.duplex->to_near, truth.duplex) < 0.025);  // few sizes
    CHECK(off(found.duplex->to_far, truth.duplex_to_far) < 0.025);
    CHECK(found.duplex->alike() == (truth.duplex == truth.duplex_to_far));
    CHECK(off(*found.launch.time_ns, truth.launch_ns) < 0.02);
  }
}

TEST_CASE("a size curve follows a machine that no straight line describes") {
  // Below 64 KiB a copy travels inside the command: 3 us whatever the size; above, 20 us and the rate.
  std::vector<SizedTimes> sizes;
  for (std::int64_t bytes = 4096; bytes <= (std::int64_t{1} << 30); bytes *= 2) {
    const double ns = bytes < 65536 ? 3000 : 20'000 + static_cast<double>(bytes) / 12.0;
    sizes.push_back({Bytes(bytes), {ns, ns * 1.001, ns * 0.999}});
  }
  const TransferFit fit = fit_transfer(sizes);
  REQUIRE(fit.is_curve());
  CHECK(fit.worst_residual() < 0.015);
  CHECK(fit.median_residual(Bytes(65536), Bytes(std::int64_t{1} << 30)) < 0.01);
  CHECK(std::get<SizeCurve>(fit.kept).points.size() < sizes.size());
}
