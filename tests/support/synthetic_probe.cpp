// Times from formulas, noise from a seeded generator: the same seed gives the same samples on every
// machine (no library distribution, whose results the standard leaves open). Repetitions stop by the
// rule that the measuring program has: at the target interval or at the most that is allowed.
#include <cmath>
#include <cstdint>
#include <utility>

#include "calibrate/fit/statistics.hpp"
#include "tests/support/probes.hpp"

namespace ooc {
namespace {

constexpr double kTwoPi = 6.283185307179586;

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

struct Metric {
  const char* name;
  double ns;
};

class SyntheticProbe : public Probe {
 public:
  explicit SyntheticProbe(SyntheticMachine machine)
      : machine_(std::move(machine)), generator_(machine_.seed) {}

  const KeyValues& machine() const override { return machine_.machine; }
  std::string program() const override { return "synthetic 1"; }
  std::string backend() const override { return "synthetic"; }

  ProbeAnswer measure(const Request& request, const StopAsked& stop) override {
    ProbeAnswer answer;
    answer.group.request = identity_of(request.keys);
    if (stop && stop()) {
      answer.state = ProbeState::kStopped;
      return answer;
    }
    const std::vector<Metric> metrics = times_of(request.keys);
    if (metrics.empty()) {
      answer.group.state = GroupState::kRefused;
      answer.group.error = "not part of the synthetic machine";
      return answer;
    }
    for (const Metric& metric : metrics) {
      MetricSamples samples{.metric = metric.name, .timer = "event", .attributes = {}, .ns = {}};
      if (request.what() == "kernel") {
        samples.attributes.emplace_back("traffic_bytes", std::to_string(2 * bytes(request.keys)));
      }
      repeat(request.keys, metric.ns, samples.ns);
      answer.group.metrics.push_back(std::move(samples));
    }
    answer.group.state = GroupState::kDone;
    return answer;
  }

 private:
  static long long bytes(const KeyValues& keys) { return find_integer(keys, "bytes").value_or(0); }

  void repeat(const KeyValues& keys, double ns, std::vector<double>& times) {
    const long long least = find_integer(keys, "repetitions").value_or(11);
    const long long most = find_integer(keys, "max_repetitions").value_or(least);
    const double target = find_number(keys, "target_ci").value_or(0.01);
    while (true) {
      const double value = ns * (1 + machine_.noise * generator_.normal());
      const bool is_outlier = generator_.uniform() < machine_.outliers;
      times.push_back(std::max(1.0, is_outlier ? value * machine_.outlier_factor : value));
      const auto count = static_cast<long long>(times.size());
      if (count >= most) return;
      // The interval costs as much as all repetitions before it: of many, every eighth asks for it.
      if (count > 32 && count % 8 != 0) continue;
      if (count >= least && 1.96 * relative_median_error(summarize_times(times)) < target) return;
    }
  }

  [[nodiscard]] const SyntheticMachine::Mode* mode(const KeyValues& keys) const {
    const auto name = find_value(keys, "mode").value_or("pinned");
    for (const SyntheticMachine::Mode& each : machine_.modes) {
      if (each.name == name) return &each;
    }
    return nullptr;
  }

  [[nodiscard]] std::vector<Metric> times_of(const KeyValues& keys) const {
    const std::string what = find_value(keys, "what").value_or("");
    const auto size = static_cast<double>(bytes(keys));
    const SyntheticMachine::Mode* found = mode(keys);
    if (found == nullptr) return {};
    const auto copy = [&](const SyntheticMachine::Direction& direction, double share) {
      return direction.latency_ns + size * 1e9 / (direction.bytes_per_s * share);
    };
    const bool to_near = find_value(keys, "direction").value_or("to_near") == "to_near";
    const double alone = copy(to_near ? found->to_near : found->to_far, 1);
    const auto launched = [&](double work, double rate) {
      return machine_.launch_ns + work / rate * 1e9;
    };
    if (what == "copy") return {{"time", alone}, {"issue", 2000}};
    if (what == "duplex") {
      return {{"time_to_near", copy(found->to_near, machine_.duplex)},
              {"time_to_far", copy(found->to_far, machine_.duplex_to_far)}};
    }
    if (what == "interference") {
      return {{"copy_alone", alone},
              {"copy_overlap", alone / 0.95},
              {"kernel_alone", 3 * alone},
              {"kernel_overlap", 3 * alone / 0.9}};
    }
    if (what == "near_copy") return {{"time", launched(2 * size, machine_.near_bytes_per_s)}};
    if (what == "kernel") return {{"time", launched(2 * size, machine_.near_bytes_per_s)}};
    if (what == "host_memory") return {{"time", 2 * size * 1e9 / machine_.host_bytes_per_s}};
    if (what == "pin") return {{"register", 20000 + size * 0.1}, {"unregister", 10000}};
    if (what == "device_malloc") return {{"allocate", 100000}, {"free", 50000}};
    if (what == "launch") return {{"time", machine_.launch_ns}, {"issue", 2000}};
    if (what == "gemm") {
      const auto of = [&](const char* key) {
        return static_cast<double>(find_integer(keys, key).value_or(1));
      };
      return {{"time", launched(2 * of("m") * of("n") * of("k"), machine_.flops_per_s)}};
    }
    return {};
  }

  SyntheticMachine machine_;
  Generator generator_;
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
                     {"managed_prefetch", "1"},
                     {"cublas", "1"},
                     {"cudnn", "0"}};
  return machine;
}

std::unique_ptr<Probe> synthetic_probe(SyntheticMachine machine) {
  return std::make_unique<SyntheticProbe>(std::move(machine));
}

}  // namespace ooc
