// What is measured, in which order and how often. Sizes descend within a mode: buffers are kept as long as requests are
// of one mode and replaced only by larger ones, so the largest comes first. Estimates are guessed rates of a PCIe 3
// machine, to err on the slow side.
#include <algorithm>

#include "calibrate/bench/job.hpp"

namespace ooc::bench {
namespace {

constexpr std::int64_t kKi = 1024;
constexpr std::int64_t kMi = 1024 * kKi;
constexpr std::int64_t kGi = 1024 * kMi;
constexpr std::int64_t kSmallest = 4 * kKi;
constexpr const char* kDirections[] = {"to_near", "to_far"};

using Keys = std::map<std::string, std::string>;

class Planner {
 public:
  Planner(const Machine& machine, bool full) : machine_(machine), full_(full) {}

  std::vector<Request> take() { return std::move(requests_); }

  void copies(const std::string& mode, const std::string& group, double rate) {
    const bool every = full_ || mode == "pinned";  // else every second power of two
    const std::int64_t largest = limited(every ? kGi : 256 * kMi, group == "unified" ? 4 : 3);
    for (std::int64_t bytes = largest; bytes >= kSmallest; bytes /= every ? 2 : 4) {
      both_ways(mode, group, rate, bytes);
      // Where a straight line and a curve differ most.
      const bool knee = full_ && bytes > 32 * kKi && bytes <= 16 * kMi;
      if (knee) both_ways(mode, group, rate, bytes / 4 * 3);
    }
  }

  void beside_copies() {
    for (const char* direction : kDirections) {
      add("pinned", "sustained", limited(512 * kMi, 3), {{"direction", direction}, {"loops", "16"}},
          2, Repeats{3, 5, 0.01, 4000});
    }
    for (const std::int64_t bytes : sizes({256 * kMi, 64 * kMi, 16 * kMi}, {64 * kMi}, 8)) {
      add("pinned", "duplex", bytes, {}, 1, Repeats{11, 100, 0.01, full_ ? 3000.0 : 800.0});
    }
    for (const char* kernel : {"compute", "memory"}) {
      for (const char* direction : kDirections) {
        for (const std::int64_t bytes : sizes({64 * kMi, 8 * kMi}, {32 * kMi}, 4)) {
          add("pinned", "interference", bytes, {{"direction", direction}, {"kernel", kernel}}, 0.5);
        }
      }
    }
    for (const char* direction : kDirections) {
      if (machine_.devices < 2) break;
      add("pinned", "all_devices", limited(256 * kMi, 3 * machine_.devices),
          {{"direction", direction}}, 2, Repeats{3, 10, 0.01, 2000});
    }
  }

  void costs() {
    add("costs", "launch", 0, {}, 0.3,
        full_ ? Repeats{100, 400, 0.01, 800} : Repeats{50, 100, 0.01, 200});
    each("near_copy", {kGi, 256 * kMi, 64 * kMi, 16 * kMi, 4 * kMi, kMi, 64 * kKi, 4 * kKi},
         {256 * kMi, 16 * kMi, 64 * kKi, 4 * kKi}, 0.1);
    each("near_stream", {kGi, 256 * kMi, 16 * kMi}, {kGi, 256 * kMi}, 0.1);
    each("host_memory", {kGi, 256 * kMi}, {256 * kMi}, 1);
    each("host_memory", {kGi, 256 * kMi}, {256 * kMi}, 1, {{"threads", "1"}});
    for (const char* what : {"pin", "device_malloc"}) {
      each(what, {256 * kMi, 64 * kMi, 16 * kMi, kMi}, {64 * kMi, kMi}, 0.3);
    }
  }

 private:
  Repeats few() const { return full_ ? Repeats{11, 60, 0.01, 800} : Repeats{5, 30, 0.02, 150}; }

  void both_ways(const std::string& mode, const std::string& group, double rate,
                 std::int64_t bytes) {
    const double once = 1e-5 + static_cast<double>(bytes) / rate;
    Repeats repeats = full_ ? Repeats{11, 200, 0.01, 2500} : Repeats{7, 60, 0.015, 300};
    // Where repeating costs nothing, a lucky streak of a few must not end it.
    if (full_ && once < 0.002) repeats.least = 31;
    for (const char* direction : kDirections) {
      add(group, "copy", bytes, {{"direction", direction}, {"mode", mode}},
          0.03 + static_cast<double>(bytes) / 4e9 + 12 * once, repeats);
    }
  }

  void each(const char* what, const std::vector<std::int64_t>& full,
            const std::vector<std::int64_t>& quick, double seconds, const Keys& keys = {}) {
    const std::int64_t parts =
        what == std::string("pin") || what == std::string("device_malloc") ? 4 : 3;
    for (const std::int64_t bytes : sizes(full, quick, parts))
      add("costs", what, bytes, keys, seconds);
  }

  void add(const std::string& group, const char* what, std::int64_t bytes, Keys keys,
           double seconds, std::optional<Repeats> repeats = std::nullopt) {
    if (bytes > 0) keys["bytes"] = std::to_string(bytes);
    requests_.push_back({what, std::move(keys), group, repeats.value_or(few()), seconds, nullptr});
  }

  // The largest power of two not above `wanted` of which near and host memory each hold `parts`.
  std::int64_t limited(std::int64_t wanted, std::int64_t parts) const {
    const auto room =
        static_cast<std::int64_t>(std::min(machine_.free_bytes, available_host_bytes()));
    while (wanted > kSmallest && wanted > room / parts) wanted /= 2;
    return wanted;
  }

  std::vector<std::int64_t> sizes(const std::vector<std::int64_t>& full,
                                  const std::vector<std::int64_t>& quick,
                                  std::int64_t parts) const {
    std::vector<std::int64_t> kept;
    for (const std::int64_t bytes : full_ ? full : quick) {
      const std::int64_t size = limited(bytes, parts);
      if (kept.empty() || kept.back() > size) kept.push_back(size);
    }
    return kept;
  }

  const Machine& machine_;
  bool full_;
  std::vector<Request> requests_;
};

}  // namespace

std::vector<Request> all_requests(const Machine& machine, bool full) {
  Planner planner(machine, full);
  planner.copies("pinned", "pinned", 10e9);
  planner.beside_copies();
  planner.costs();
  planner.copies("pageable", "pageable", 3e9);
  planner.copies("unified_prefetch", "unified", 8e9);
  planner.copies("unified_fault", "unified", 2e9);
  return planner.take();
}

}  // namespace ooc::bench
