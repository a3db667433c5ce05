// Sizes descend within a mode: the measuring program keeps its buffers as long as requests are of one
// mode and replaces them only by larger ones, so that the largest comes first.
//
// The estimates are for planning, not for science: guessed rates of a PCIe 3 machine, so that they err
// on the slow side. A request ends when its median is known well enough, or after max_ms at the
// latest, but never before three repetitions and a warm-up of five.
#include "calibrate/session/plan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "calibrate/session/measurements.hpp"

namespace ooc {
namespace {

constexpr std::int64_t kKi = 1024;
constexpr std::int64_t kMi = 1024 * kKi;
constexpr std::int64_t kGi = 1024 * kMi;
constexpr std::int64_t kSmallest = 4 * kKi;

struct Repeats {
  int least;
  int most;
  const char* target;
  int max_ms;
};

constexpr double kRequestOverheadS = 0.03;  // pattern, warm-up, verification, lines
constexpr double kLeastRuns = 8;            // three repetitions, five of warm-up
constexpr double kPrepareRate = 4e9;        // allocating, touching and filling buffers

class Planner {
 public:
  explicit Planner(const PlanInput& input) : input_(input), full_(input.effort == Effort::kFull) {}

  std::vector<PlannedRequest> take() { return std::move(planned_); }

  void pinned_copies() {
    copies("pinned");
    if (full_) remote_node();
  }

  void other_copies() {
    for (const char* mode : kCopyModes) {
      const std::string name = mode;
      if (name == "pinned") continue;
      if (name == "unified_prefetch" && integer("managed_prefetch") == 0) continue;
      copies(name);
    }
  }

  void copy(const std::string& mode, const std::string& direction, std::int64_t bytes,
            double prepare_s) {
    add({{"what", "copy"},
         {"mode", mode},
         {"direction", direction},
         {"bytes", std::to_string(bytes)}},
        1e-5 + static_cast<double>(bytes) / guessed_rate(mode), prepare_s);
  }

  void overlaps() {
    for (const std::int64_t bytes : sizes({256 * kMi, 64 * kMi, 16 * kMi}, {64 * kMi}, 4)) {
      const double time = static_cast<double>(bytes) / 9e9;
      add({{"what", "duplex"}, {"mode", "pinned"}, {"bytes", std::to_string(bytes)}}, 2 * time,
          0.2);
    }
    for (const char* kernel : {"compute", "memory"}) {
      for (const char* direction : kDirections) {
        for (const std::int64_t bytes : sizes({64 * kMi, 8 * kMi}, {32 * kMi}, 4)) {
          add({{"what", "interference"},
               {"kernel", kernel},
               {"direction", direction},
               {"bytes", std::to_string(bytes)}},
              10 * static_cast<double>(bytes) / 9e9, 0.1);
        }
      }
    }
  }

  void memories() {
    for (const std::int64_t bytes :
         sizes({kGi, 256 * kMi, 64 * kMi, 16 * kMi, 4 * kMi, kMi, 256 * kKi, 64 * kKi, 4 * kKi},
               {256 * kMi, 16 * kMi, 64 * kKi, 4 * kKi}, 3)) {
      add({{"what", "near_copy"}, {"bytes", std::to_string(bytes)}},
          5e-6 + static_cast<double>(bytes) / 3e11, 0.01);
    }
    for (const std::int64_t bytes : sizes({kGi, 256 * kMi}, {256 * kMi}, 3)) {
      for (const char* threads : {"", "1"}) {
        KeyValues keys{{"what", "host_memory"}, {"bytes", std::to_string(bytes)}};
        if (*threads != '\0') keys.emplace_back("threads", threads);
        add(keys, static_cast<double>(bytes) / 8e9, 0.3);
      }
    }
    for (const char* what : {"pin", "device_malloc"}) {
      for (const std::int64_t bytes :
           sizes({256 * kMi, 64 * kMi, 16 * kMi, kMi}, {64 * kMi, kMi}, 4)) {
        add({{"what", what}, {"bytes", std::to_string(bytes)}},
            1e-4 + static_cast<double>(bytes) / 2e9, 0);
      }
    }
  }

  void compute() {
    add({{"what", "launch"}}, 1e-3, 0);
    static constexpr std::array kFullSides{8192, 6144, 4096, 3072, 2048, 1536, 1024,
                                           768,  512,  384,  256,  192,  128};
    static constexpr std::array kQuickSides{4096, 2048, 1024, 512, 256, 128};
    for (const char* dtype : {"float32", "tf32", "bfloat16", "float16"}) {
      const auto gemms = [&](const auto& sides) {
        for (const int side : sides) gemm(dtype, side);
      };
      if (full_) {
        gemms(kFullSides);
      } else {
        gemms(kQuickSides);
      }
    }
    for (const char* name : {"relu", "relu_backward", "add", "batch_norm", "batch_norm_backward",
                             "max_pool", "max_pool_backward"}) {
      for (const std::int64_t bytes :
           sizes({256 * kMi, 64 * kMi, 16 * kMi, 4 * kMi, kMi, 256 * kKi}, {64 * kMi, kMi}, 4)) {
        add({{"what", "kernel"}, {"name", name}, {"bytes", std::to_string(bytes)}},
            1e-5 + static_cast<double>(bytes) / 1e11, 0.01);
      }
    }
  }

  void network() {
    for (const KeyValues& keys : input_.extra) {
      const std::string what = find_value(keys, "what").value_or("");
      const Repeats often = repeats(what);
      double seconds = seconds_of(0.003, 0.02, often);
      if (what == "layer") {
        // Up to eight algorithms, usually six, each warmed up and repeated by itself.
        const double time = 2e-5 + layer_flops(keys) / 1e13;
        seconds = kRequestOverheadS + 6 * (0.01 + seconds_of(time, 0, often) - kRequestOverheadS);
      }
      append(Request{keys}, seconds, often);
    }
  }

  [[nodiscard]] std::int64_t largest_copy(const std::string& mode) const {
    const std::int64_t wanted = full_ || mode == "pinned" ? kGi : 256 * kMi;
    return limited(wanted, mode.rfind("unified", 0) == 0 ? 2 : 3);
  }

 private:
  void copies(const std::string& mode) {
    const std::int64_t largest = largest_copy(mode);
    // Quick: every second power of two is enough for the modes that are seldom used.
    const std::int64_t step = full_ || mode == "pinned" ? 2 : 4;
    double prepare = static_cast<double>(largest) / kPrepareRate;
    for (std::int64_t bytes = largest; bytes >= kSmallest; bytes /= step) {
      for (const char* direction : kDirections) {
        copy(mode, direction, bytes, prepare);
        prepare = 0;
      }
    }
  }

  static double guessed_rate(const std::string& mode) {
    if (mode == "pinned") return 10e9;
    if (mode == "pageable") return 3e9;
    return mode == "unified_prefetch" ? 8e9 : 2e9;
  }

  [[nodiscard]] std::optional<long long> integer(std::string_view key) const {
    return find_integer(input_.machine, key);
  }

  /// The largest power of two not above `wanted` of which near and host memory hold `parts`.
  [[nodiscard]] std::int64_t limited(std::int64_t wanted, std::int64_t parts) const {
    for (const char* key : {"memory_free_bytes", "host_memory_bytes"}) {
      const auto free = integer(key);
      while (free && wanted > kSmallest && wanted > *free / parts) wanted /= 2;
    }
    return wanted;
  }

  [[nodiscard]] std::vector<std::int64_t> sizes(const std::vector<std::int64_t>& full,
                                                const std::vector<std::int64_t>& quick,
                                                std::int64_t parts) const {
    std::vector<std::int64_t> kept;
    for (const std::int64_t bytes : full_ ? full : quick) {
      const std::int64_t size = limited(bytes, parts);
      if (kept.empty() || kept.back() > size) kept.push_back(size);
    }
    return kept;
  }

  /// The host's memory beyond the other socket, where there is one.
  void remote_node() {
    const auto nodes = integer("host_numa_nodes");
    const auto own = integer("numa_node");
    if (!nodes || *nodes < 2 || !own || *own < 0) return;
    const long long other = *own == 0 ? 1 : 0;
    for (const std::int64_t bytes : {limited(256 * kMi, 3), limited(kMi, 3)}) {
      for (const char* direction : kDirections) {
        add({{"what", "copy"},
             {"mode", "pinned"},
             {"direction", direction},
             {"bytes", std::to_string(bytes)},
             {"numa_node", std::to_string(other)}},
            1e-5 + static_cast<double>(bytes) / 8e9, static_cast<double>(bytes) / kPrepareRate);
      }
    }
  }

  void gemm(const char* dtype, int side) {
    const double flops = 2.0 * side * side * side;
    const std::string text = std::to_string(side);
    add({{"what", "gemm"}, {"dtype", dtype}, {"m", text}, {"n", text}, {"k", text}},
        1e-5 + flops / 1e13, 0.002);
  }

  [[nodiscard]] Repeats repeats(const std::string& what) const {
    // Transfer curves are what profiles live by: their medians are wanted to 1 %.
    if (what == "copy")
      return full_ ? Repeats{11, 200, "0.01", 2500} : Repeats{7, 60, "0.015", 300};
    // Ratios and small constants that a whole profile hangs on, and cheap.
    if (what == "launch")
      return full_ ? Repeats{300, 400, "0.01", 800} : Repeats{50, 100, "0.01", 200};
    if (what == "duplex")
      return full_ ? Repeats{150, 400, "0.01", 4000} : Repeats{11, 60, "0.01", 800};
    if (what == "layer") return full_ ? Repeats{5, 30, "0.02", 300} : Repeats{3, 10, "0.02", 100};
    return full_ ? Repeats{11, 100, "0.01", 800} : Repeats{5, 30, "0.02", 150};
  }

  static double seconds_of(double time_s, double prepare_s, const Repeats& repeats) {
    const double least = kLeastRuns * time_s;
    const double usual = (repeats.least + 5) * time_s;
    const double limit = static_cast<double>(repeats.max_ms) / 1000;
    return kRequestOverheadS + prepare_s + std::max(least, std::min(usual, limit));
  }

  void add(KeyValues keys, double time_s, double prepare_s) {
    Repeats often = repeats(find_value(keys, "what").value_or(""));
    // Where repeating costs nothing, a lucky streak of a few must not end it.
    if (full_ && time_s < 0.002) often.least = std::max(often.least, 31);
    append(Request{std::move(keys)}, seconds_of(time_s, prepare_s, often), often);
  }

  void append(Request request, double seconds, const Repeats& often) {
    const KeyValues identity = identity_of(request.keys);
    for (const PlannedRequest& each : planned_) {
      if (identity_of(each.request.keys) == identity) return;
    }
    request.keys.emplace_back("repetitions", std::to_string(often.least));
    request.keys.emplace_back("max_repetitions", std::to_string(often.most));
    request.keys.emplace_back("target_ci", often.target);
    request.keys.emplace_back("max_ms", std::to_string(often.max_ms));
    planned_.push_back({std::move(request), seconds});
  }

  const PlanInput& input_;
  bool full_;
  std::vector<PlannedRequest> planned_;
};

}  // namespace

const char* effort_name(Effort effort) { return effort == Effort::kFull ? "full" : "quick"; }

std::vector<PlannedRequest> plan_requests(const PlanInput& input) {
  // The most useful first: time may run out.
  Planner planner(input);
  planner.pinned_copies();
  planner.overlaps();
  planner.memories();
  planner.compute();
  planner.other_copies();
  planner.network();
  return planner.take();
}

std::vector<PlannedRequest> plan_knee_requests(const PlanInput& input, const SampleSet& set) {
  Planner planner(input);
  for (const char* mode : kCopyModes) {
    for (const char* direction : kDirections) {
      // Sizes of earlier knees would move the knee and ask for more of them, without end.
      std::vector<SizedTimes> powers;
      for (SizedTimes& each : copy_times(set, mode, direction)) {
        const auto bytes = static_cast<std::uint64_t>(each.bytes.count());
        if ((bytes & (bytes - 1)) == 0) powers.push_back(std::move(each));
      }
      if (powers.size() < 3) continue;
      const TransferFit fit = fit_transfer(std::move(powers));
      for (const Bytes size :
           sizes_at_knee(fit, Bytes(kSmallest), Bytes(planner.largest_copy(mode)))) {
        planner.copy(mode, direction, size.count(), 0.001);
      }
    }
  }
  return planner.take();
}

std::vector<PlannedRequest> still_missing(const std::vector<PlannedRequest>& planned,
                                          const SampleSet& set) {
  std::vector<PlannedRequest> missing;
  for (const PlannedRequest& each : planned) {
    const SampleGroup* group = set.find(identity_of(each.request.keys));
    if (group == nullptr || group->state == GroupState::kOpen) missing.push_back(each);
  }
  return missing;
}

double total_seconds(const std::vector<PlannedRequest>& planned) {
  double sum = 0;
  for (const PlannedRequest& each : planned) sum += each.seconds;
  return sum;
}

double knee_seconds_guess(Effort effort) {
  // Four modes, two directions, up to five sizes, each far below a millisecond a copy.
  return 40 * (effort == Effort::kFull ? 0.02 : 0.01);
}

}  // namespace ooc
