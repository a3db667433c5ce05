// Groups samples and hands them to the fits.
#include "calibrate/session/analyse.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ooc {
namespace {

/// Rate of bytes that take that long, in bytes/s.
double rate_of(Bytes bytes, double ns) { return 1e9 * static_cast<double>(bytes.count()) / ns; }

class Analysis {
 public:
  explicit Analysis(const SampleSet& set) : set_(set) {}

  Calibration run() {
    link();
    copies();
    faults();
    beside_copies();
    memories();
    costs();
    result_.sustained = shared_rates("sustained");
    result_.all_devices = shared_rates("all_devices");
    return std::move(result_);
  }

 private:
  /// A metric by size of the groups that `takes` takes.
  template <class Takes>
  std::vector<SizedTimes> by_size(std::string_view what, std::string_view metric,
                                  const Takes& takes) const {
    std::vector<SizedTimes> sizes;
    for (const SampleGroup* group : set_.of(what)) {
      std::vector<double> times = group->times(metric);
      if (takes(*group) && !times.empty() && group->bytes().count() > 0) {
        sizes.push_back({group->bytes(), std::move(times)});
      }
    }
    return sizes;
  }
  std::vector<SizedTimes> by_size(std::string_view what, std::string_view metric) const {
    return by_size(what, metric,
                   [](const SampleGroup& group) { return group.key("threads").empty(); });
  }

  void link() {
    LinkState state;
    const auto look_at = [&](const KeyValues& values) {
      const auto generation = find_integer(values, "pcie_generation").value_or(0);
      const auto width = find_integer(values, "pcie_width").value_or(0);
      if (generation > 0 && generation < 100) {
        state.generation = std::max(state.generation, static_cast<int>(generation));
      }
      if (width > 0 && width < 1000) state.width = std::max(state.width, static_cast<int>(width));
    };
    look_at(set_.machine);
    for (const SampleGroup& group : set_.groups) look_at(group.done);
    if (state.generation > 0 && state.width > 0) result_.link = state;
  }

  void copies() {
    for (const char* mode : kCopyModes) {
      for (const char* direction : kDirections) {
        std::vector<SizedTimes> times = by_size("copy", "time", [&](const SampleGroup& group) {
          return group.key("mode") == mode && group.key("direction") == direction;
        });
        if (!times.empty())
          result_.copies.push_back({mode, direction, fit_transfer(std::move(times))});
      }
    }
  }

  void faults() {
    const TransferFit* faults = result_.copy("unified_fault", "to_near");
    if (faults == nullptr) return;
    const TransferFit* between = result_.copy("unified_prefetch", "to_near");
    if (between == nullptr) between = result_.copy("pinned", "to_near");
    std::vector<LinePoint> points;
    for (const SizeFit& size : faults->sizes) {
      points.push_back({static_cast<double>(size.bytes.count()), size.times.median, 0});
    }
    result_.faults = fit_faults(points, (between != nullptr ? between : faults)->line.ns_per_byte);
  }

  /// One pinned copy as the fit says: the samples of that size may be of another session.
  std::optional<double> alone(std::string_view direction, Bytes bytes) const {
    const TransferFit* fit = result_.copy("pinned", direction);
    return fit == nullptr ? std::nullopt : std::optional(time_of(fit->kept, bytes));
  }

  void beside_copies() {
    std::vector<DuplexTimes> both;
    for (const SampleGroup* group : set_.of("duplex")) {
      const Bytes bytes = group->bytes();
      const auto near = group->median("time_to_near");
      const auto far = group->median("time_to_far");
      const auto near_alone = alone("to_near", bytes);
      const auto far_alone = alone("to_far", bytes);
      if (bytes.count() == 0 || !near || !far || !near_alone || !far_alone) continue;
      both.push_back({*near_alone, *far_alone, *near, *far});
    }
    result_.duplex = duplex_shares(both);
    for (const SampleGroup* group : set_.of("interference")) {
      const auto copy = group->median("copy_alone");
      const auto copy_with = group->median("copy_overlap");
      const auto kernel = group->median("kernel_alone");
      const auto kernel_with = group->median("kernel_overlap");
      if (!copy || !copy_with || !kernel || !kernel_with) continue;
      result_.interference.push_back({group->key("kernel"), group->key("direction"), group->bytes(),
                                      *copy / *copy_with, *kernel / *kernel_with});
    }
  }

  /// The best rate over sizes that no cache holds.
  static double traffic_rate(const std::vector<SizedTimes>& measured, Bytes at_least) {
    double best = 0;
    for (const SizedTimes& each : measured) {
      if (each.bytes < at_least) continue;
      best = std::max(best, 2 * rate_of(each.bytes, summarize_times(each.times_ns).median));
    }
    return best;
  }

  void memories() {
    const Bytes cached(4 * std::max(0LL, find_integer(set_.machine, "l2_bytes").value_or(0)));
    result_.near_rate = std::max(traffic_rate(by_size("near_copy", "time"), cached),
                                 traffic_rate(by_size("near_stream", "time"), cached));
    result_.host_rate = traffic_rate(by_size("host_memory", "time"), Bytes(0));
    const auto one = [](const SampleGroup& group) { return group.key("threads") == "1"; };
    result_.host_rate_one = traffic_rate(by_size("host_memory", "time", one), Bytes(0));
  }

  std::vector<SharedRate> shared_rates(std::string_view what) const {
    std::vector<SharedRate> rates;
    for (const SampleGroup* group : set_.of(what)) {
      const auto time = group->median("time");
      if (!time) continue;
      rates.push_back({group->key("direction"), find_integer(group->done, "devices").value_or(1),
                       rate_of(group->bytes(), *time)});
    }
    return rates;
  }

  void costs() {
    for (const char* what : {"pin", "device_malloc"}) {
      for (const char* metric : {"register", "unregister", "allocate", "free"}) {
        std::vector<SizedTimes> times = by_size(what, metric);
        if (times.empty()) continue;
        result_.costs.push_back(
            {fmt::format("{} {}", what, metric), fit_transfer(std::move(times))});
      }
    }
    for (const SampleGroup* group : set_.of("launch")) {
      result_.launch = {group->median("time"), group->median("issue"), group->median("round_trip"),
                        group->median("event_wait")};
    }
  }

  const SampleSet& set_;
  Calibration result_;
};

}  // namespace

const TransferFit* Calibration::copy(std::string_view mode, std::string_view direction) const {
  for (const CopyFit& each : copies) {
    if (each.mode == mode && each.direction == direction) return &each.fit;
  }
  return nullptr;
}

Calibration analyse(const SampleSet& set) { return Analysis(set).run(); }

}  // namespace ooc
