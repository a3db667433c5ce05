// Sizes descend within a mode: buffers are kept as long as requests are of one mode and replaced only by larger
// ones, so the largest comes first. Estimates are guessed rates of a PCIe 3 machine, to err on the slow side.
#include "calibrate/bench/requests.hpp"

#include <algorithm>

namespace ooc::bench {
namespace {

constexpr std::int64_t kKi = 1024;
constexpr std::int64_t kMi = 1024 * kKi;
constexpr std::int64_t kGi = 1024 * kMi;
constexpr std::int64_t kSmallest = 4 * kKi;

class Planner {
 public:
  Planner(const Machine& machine, bool full) : machine_(machine), full_(full) {}

  std::vector<Request> take() { return std::move(requests_); }

  void copies(const std::string& mode, const std::string& group, double rate) {
    const bool unified = mode.rfind("unified", 0) == 0;
    const std::int64_t largest =
        limited(full_ || mode == "pinned" ? kGi : 256 * kMi, unified ? 4 : 3);
    const bool every = full_ || mode == "pinned";  // else every second power of two
    for (std::int64_t bytes = largest; bytes >= kSmallest; bytes /= every ? 2 : 4) {
      both_ways(mode, group, rate, bytes);
      // Where a straight line and a curve differ most.
      const bool knee = full_ && bytes > 32 * kKi && bytes <= 16 * kMi;
      if (knee) both_ways(mode, group, rate, bytes / 4 * 3);
    }
  }

  void sustained() {
    for (const char* direction : {"to_near", "to_far"}) {
      add("pinned", "sustained",
          {{"bytes", text(limited(512 * kMi, 3))}, {"direction", direction}, {"loops", "16"}},
          {3, 5, 0.01, 4000}, 2);
    }
  }

  void overlaps() {
    for (const std::int64_t bytes : sizes({256 * kMi, 64 * kMi, 16 * kMi}, {64 * kMi}, 8)) {
      add("pinned", "duplex", {{"bytes", text(bytes)}}, {11, 100, 0.01, full_ ? 3000.0 : 800.0}, 1);
    }
    for (const char* kernel : {"compute", "memory"}) {
      for (const char* direction : {"to_near", "to_far"}) {
        for (const std::int64_t bytes : sizes({64 * kMi, 8 * kMi}, {32 * kMi}, 4)) {
          add("pinned", "interference",
              {{"bytes", text(bytes)}, {"direction", direction}, {"kernel", kernel}}, few(), 0.5);
        }
      }
    }
    if (machine_.devices < 2) return;
    for (const char* direction : {"to_near", "to_far"}) {
      add("pinned", "all_devices",
          {{"bytes", text(limited(256 * kMi, 3 * machine_.devices))}, {"direction", direction}},
          {3, 10, 0.01, 2000}, 2);
    }
  }

  // The host's memory beyond the other socket, where there is one.
  void remote_node() {
    const auto own = machine_.link.numa_node;
    if (!own || machine_.cpu_nodes.size() < 2) return;
    int other = machine_.cpu_nodes[0];
    if (other == *own) other = machine_.cpu_nodes[1];
    for (const char* direction : {"to_near", "to_far"}) {
      add("pinned", "copy",
          {{"bytes", text(limited(256 * kMi, 3))},
           {"direction", direction},
           {"mode", "pinned"},
           {"numa_node", std::to_string(other)}},
          few(), 0.5);
    }
  }

  void costs() {
    add("costs", "launch", {}, full_ ? Repeats{100, 400, 0.01, 800} : Repeats{50, 100, 0.01, 200},
        0.3);
    for (const std::int64_t bytes :
         sizes({kGi, 256 * kMi, 64 * kMi, 16 * kMi, 4 * kMi, kMi, 64 * kKi, 4 * kKi},
               {256 * kMi, 16 * kMi, 64 * kKi, 4 * kKi}, 3)) {
      add("costs", "near_copy", {{"bytes", text(bytes)}}, few(), 0.1);
    }
    for (const std::int64_t bytes : sizes({kGi, 256 * kMi, 16 * kMi}, {kGi, 256 * kMi}, 3)) {
      add("costs", "near_stream", {{"bytes", text(bytes)}}, few(), 0.1);
    }
    for (const std::int64_t bytes : sizes({kGi, 256 * kMi}, {256 * kMi}, 3)) {
      add("costs", "host_memory", {{"bytes", text(bytes)}}, few(), 1);
      add("costs", "host_memory", {{"bytes", text(bytes)}, {"threads", "1"}}, few(), 1);
    }
    for (const char* what : {"pin", "device_malloc"}) {
      for (const std::int64_t bytes :
           sizes({256 * kMi, 64 * kMi, 16 * kMi, kMi}, {64 * kMi, kMi}, 4)) {
        add("costs", what, {{"bytes", text(bytes)}}, few(), 0.3);
      }
    }
  }

 private:
  static std::string text(std::int64_t bytes) { return std::to_string(bytes); }

  Repeats few() const { return full_ ? Repeats{11, 60, 0.01, 800} : Repeats{5, 30, 0.02, 150}; }

  void both_ways(const std::string& mode, const std::string& group, double rate,
                 std::int64_t bytes) {
    const double once = 1e-5 + static_cast<double>(bytes) / rate;
    Repeats repeats = full_ ? Repeats{11, 200, 0.01, 2500} : Repeats{7, 60, 0.015, 300};
    // Where repeating costs nothing, a lucky streak of a few must not end it.
    if (full_ && once < 0.002) repeats.least = 31;
    for (const char* direction : {"to_near", "to_far"}) {
      add(group, "copy", {{"bytes", text(bytes)}, {"direction", direction}, {"mode", mode}},
          repeats, 0.03 + static_cast<double>(bytes) / 4e9 + 12 * once);
    }
  }

  void add(const char* group, const char* what, std::map<std::string, std::string> keys,
           const Repeats& repeats, double seconds) {
    add(std::string(group), what, std::move(keys), repeats, seconds);
  }
  void add(const std::string& group, const char* what, std::map<std::string, std::string> keys,
           const Repeats& repeats, double seconds) {
    requests_.push_back({what, std::move(keys), group, repeats, seconds, nullptr});
  }

  // The largest power of two not above `wanted` of which near and host memory each hold `parts`.
  std::int64_t limited(std::int64_t wanted, std::int64_t parts) const {
    for (const std::size_t room : {machine_.free_bytes, available_host_bytes()}) {
      while (wanted > kSmallest && wanted > static_cast<std::int64_t>(room) / parts) wanted /= 2;
    }
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

std::string Request::text() const {
  std::string line = what;
  for (const auto& [key, value] : keys) line += " " + key + "=" + value;
  return line;
}

std::vector<Request> all_requests(const Machine& machine, bool full) {
  Planner planner(machine, full);
  planner.copies("pinned", "pinned", 10e9);
  planner.sustained();
  planner.overlaps();
  if (full) planner.remote_node();
  planner.costs();
  planner.copies("pageable", "pageable", 3e9);
  planner.copies("unified_prefetch", "unified", 8e9);
  planner.copies("unified_fault", "unified", 2e9);
  return planner.take();
}

}  // namespace ooc::bench
