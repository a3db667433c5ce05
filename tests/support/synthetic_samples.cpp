// Times from formulas, noise from a seeded generator: the same seed gives the same samples on every machine (no library
// distribution, whose results the standard leaves open).
#include "tests/support/synthetic_samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ooc {
namespace {

constexpr double kTwoPi = 6.283185307179586;
constexpr double kCacheBytes = 4.0 * 1024 * 1024;

/// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}
  double uniform() {  // in (0, 1)
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    z ^= z >> 31;
    return (static_cast<double>(z >> 11) + 0.5) / 9007199254740992.0;  // 2^53
  }
  double normal() {  // Box & Muller, one of the two values
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(kTwoPi * uniform());
  }

 private:
  std::uint64_t state_;
};

class Maker {
 public:
  explicit Maker(const SyntheticMachine& machine) : machine_(machine), generator_(machine.seed) {}

  SampleSet run() {
    for (double bytes = 1 << 30; bytes >= 4096; bytes /= 2) {
      for (const SyntheticMachine::Mode& mode : machine_.modes) {
        for (const bool near : {true, false}) {
          const auto& line = near ? mode.to_near : mode.to_far;
          add("copy " + with_bytes(bytes) + direction(near) + " mode=" + mode.name,
              {{"time", copy(line, bytes, 1)}, {"issue", 2000}});
        }
      }
      if (bytes >= 65536) {
        const bool cached = 4 * bytes <= 4 * kCacheBytes;
        const double rate = cached ? machine_.cached_bytes_per_s : machine_.near_bytes_per_s;
        add("near_copy bytes=" + number(bytes),
            {{"time", machine_.launch_ns + 2 * bytes / rate * 1e9}});
      }
    }
    const SyntheticMachine::Mode& pinned = machine_.modes.front();
    for (const double bytes : {256e6, 64e6, 16e6}) {
      add("duplex bytes=" + number(bytes),
          {{"time_to_near", copy(pinned.to_near, bytes, machine_.duplex)},
           {"time_to_far", copy(pinned.to_far, bytes, machine_.duplex_to_far)}});
    }
    add("launch", {{"time", machine_.launch_ns}, {"issue", 2000}});
    add("host_memory bytes=1000000000", {{"time", 2e18 / machine_.host_bytes_per_s}});
    set_.date = "2025-01-31";
    set_.effort = "quick";
    set_.program = "synthetic 1";
    set_.backend = "synthetic";
    set_.machine = machine_.machine;
    return std::move(set_);
  }

 private:
  static std::string number(double bytes) { return std::to_string(static_cast<long long>(bytes)); }
  static std::string with_bytes(double bytes) { return "bytes=" + number(bytes); }
  static std::string direction(bool near) {
    return near ? " direction=to_near" : " direction=to_far";
  }
  static double copy(const SyntheticMachine::Direction& line, double bytes, double share) {
    return line.latency_ns + bytes * 1e9 / (line.bytes_per_s * share);
  }

  void add(const std::string& request, const std::vector<std::pair<const char*, double>>& metrics) {
    SampleGroup& group = set_.groups.emplace_back();
    group.request = request_keys(request);
    for (const auto& [metric, ns] : metrics) {
      MetricSamples& samples = group.metrics.emplace_back();
      samples.metric = metric;
      for (int i = 0; i < machine_.repetitions; ++i) {
        const double value = ns * (1 + machine_.noise * generator_.normal());
        const bool is_outlier = generator_.uniform() < machine_.outliers;
        samples.ns.push_back(std::max(1.0, is_outlier ? value * machine_.outlier_factor : value));
      }
    }
  }

  const SyntheticMachine& machine_;
  Generator generator_;
  SampleSet set_;
};

}  // namespace

SyntheticMachine usual_synthetic_machine() {
  SyntheticMachine machine;
  machine.modes = {{"pinned", {8000, 12e9}, {9000, 12.6e9}},
                   {"pageable", {12000, 5e9}, {13000, 5.5e9}},
                   {"unified_prefetch", {40000, 11e9}, {45000, 11.5e9}},
                   {"unified_fault", {30000, 3e9}, {5000, 2e9}}};
  machine.machine = {{"device", "0"},
                     {"device_name", "Synthetic GPU"},
                     {"memory_total_bytes", "17179869184"},
                     {"memory_free_bytes", "16642998272"},
                     {"pcie_generation", "3"},
                     {"pcie_width", "16"},
                     {"pcie_generation_max", "3"},
                     {"pcie_width_max", "16"},
                     {"host_memory_bytes", "274877906944"},
                     {"l2_bytes", "4194304"}};
  return machine;
}

SampleSet synthetic_samples(const SyntheticMachine& machine) { return Maker(machine).run(); }

}  // namespace ooc
