// Groups samples and hands them to the fits.
#include "calibrate/session/analyse.hpp"

#include <algorithm>

namespace ooc {
namespace {

std::vector<LinePoint> points_of(const TransferFit& fit) {
  std::vector<LinePoint> points;
  for (const SizeFit& size : fit.sizes) {
    points.push_back(
        {.size = static_cast<double>(size.bytes.count()), .time = size.times.median, .error = 0});
  }
  return points;
}

void add_copies(const SampleSet& set, Calibration& result) {
  for (const char* mode : kCopyModes) {
    for (const char* direction : kDirections) {
      std::vector<SizedTimes> times = copy_times(set, mode, direction);
      if (times.empty()) continue;
      CopyFit copy{.mode = mode,
                   .direction = direction,
                   .fit = fit_transfer(std::move(times)),
                   .issue_ns = std::nullopt};
      std::vector<double> issues;
      for (const SizedTimes& issue : copy_times(set, mode, direction, "issue")) {
        issues.push_back(summarize_times(issue.times_ns).median);
      }
      if (!issues.empty()) copy.issue_ns = median_of(std::move(issues));
      result.copies.push_back(std::move(copy));
    }
  }
}

void add_faults(Calibration& result) {
  const TransferFit* faults = result.copy("unified_fault", "to_near");
  if (faults == nullptr) return;
  const TransferFit* between = result.copy("unified_prefetch", "to_near");
  if (between == nullptr) between = result.copy("pinned", "to_near");
  const double slope = between != nullptr ? between->line.ns_per_byte : faults->line.ns_per_byte;
  result.faults = fit_faults(points_of(*faults), slope);
}

/// Time of one copy as the fit says: the samples of that size may be of another session.
std::optional<double> alone(const Calibration& result, const char* direction, Bytes bytes) {
  const TransferFit* fit = result.copy("pinned", direction);
  if (fit == nullptr) return std::nullopt;
  return time_of(fit->kept, bytes);
}

void add_duplex(const SampleSet& set, Calibration& result) {
  std::vector<DuplexTimes> measured;
  for (const SampleGroup* group : groups_of(set, "duplex")) {
    const Bytes bytes = bytes_of_group(*group);
    const auto near = median_time(*group, "time_to_near");
    const auto far = median_time(*group, "time_to_far");
    if (bytes.count() == 0 || !near || !far) continue;
    const auto near_alone = alone(result, "to_near", bytes);
    const auto far_alone = alone(result, "to_far", bytes);
    if (near_alone && far_alone) measured.push_back({bytes, *near_alone, *far_alone, *near, *far});
  }
  result.duplex = duplex_shares(measured);
}

void add_interference(const SampleSet& set, Calibration& result) {
  for (const SampleGroup* group : groups_of(set, "interference")) {
    const auto copy = median_time(*group, "copy_alone");
    const auto copy_with = median_time(*group, "copy_overlap");
    const auto kernel = median_time(*group, "kernel_alone");
    const auto kernel_with = median_time(*group, "kernel_overlap");
    if (!copy || !copy_with || !kernel || !kernel_with) continue;
    result.interference.push_back(
        {.kernel = find_value(group->request, "kernel").value_or(""),
         .direction = find_value(group->request, "direction").value_or(""),
         .bytes = bytes_of_group(*group),
         .copy_share = kept_share(*copy, *copy_with),
         .kernel_share = kept_share(*kernel, *kernel_with)});
  }
}

void add_remote(const SampleSet& set, Calibration& result) {
  for (const SampleGroup* group : groups_of(set, "copy")) {
    const auto node = find_value(group->request, "numa_node");
    const auto direction = find_value(group->request, "direction");
    const auto time = median_time(*group, "time");
    if (!node || !direction || !time || !has_value(*group, "mode", "pinned")) continue;
    const Bytes bytes = bytes_of_group(*group);
    const auto near = alone(result, direction->c_str(), bytes);
    if (near) result.remote.push_back({*direction, *node, bytes, kept_share(*near, *time)});
  }
}

/// The best rate over sizes that no cache holds.
double traffic_rate(const std::vector<SizedTimes>& measured, Bytes at_least) {
  double best = 0;
  for (const SizedTimes& each : measured) {
    if (each.bytes < at_least) continue;
    const double time = summarize_times(each.times_ns).median;
    best = std::max(best, 2e9 * static_cast<double>(each.bytes.count()) / time);
  }
  return best;
}

void add_memories(const SampleSet& set, Calibration& result) {
  const Bytes beyond_caches(4 * std::max(0LL, find_integer(set.machine, "l2_bytes").value_or(0)));
  const std::vector<SizedTimes> near = times_by_size(set, "near_copy", "time");
  if (!near.empty()) result.near_copy = fit_transfer(near);
  result.near_rate =
      std::max(traffic_rate(near, beyond_caches),
               traffic_rate(times_by_size(set, "near_stream", "time"), beyond_caches));
  result.host_rate = traffic_rate(times_by_size(set, "host_memory", "time"), Bytes(0));
  for (const SampleGroup* group : groups_of(set, "host_memory")) {
    const auto time = median_time(*group, "time");
    if (!time || !has_value(*group, "threads", "1")) continue;
    const double rate = 2e9 * static_cast<double>(bytes_of_group(*group).count()) / *time;
    result.host_rate_one = std::max(result.host_rate_one, rate);
  }
}

std::vector<SharedRate> rates_of(const SampleSet& set, std::string_view what) {
  std::vector<SharedRate> rates;
  for (const SampleGroup* group : groups_of(set, what)) {
    const auto time = median_time(*group, "time");
    if (!time) continue;
    rates.push_back({.direction = find_value(group->request, "direction").value_or(""),
                     .devices = find_integer(group->done, "devices").value_or(1),
                     .rate = 1e9 * static_cast<double>(bytes_of_group(*group).count()) / *time});
  }
  return rates;
}

void add_costs(const SampleSet& set, Calibration& result) {
  static constexpr std::array<std::pair<const char*, const char*>, 6> kCosts{
      {{"pin", "register"},
       {"pin", "unregister"},
       {"pin", "allocate"},
       {"pin", "free"},
       {"device_malloc", "allocate"},
       {"device_malloc", "free"}}};
  for (const auto& [what, metric] : kCosts) {
    std::vector<SizedTimes> times = times_by_size(set, what, metric);
    if (times.empty()) continue;
    result.costs.push_back({std::string(what) + " " + metric, fit_transfer(std::move(times))});
  }
}

void add_launch(const SampleSet& set, Calibration& result) {
  for (const SampleGroup* group : groups_of(set, "launch")) {
    result.launch = {.time_ns = median_time(*group, "time"),
                     .issue_ns = median_time(*group, "issue"),
                     .round_trip_ns = median_time(*group, "round_trip"),
                     .event_wait_ns = median_time(*group, "event_wait")};
  }
}

double rate_of(const TransferFit& fit, Bytes bytes) {
  return static_cast<double>(bytes.count()) * 1e9 / time_of(fit.kept, bytes);
}

std::string in_gigabytes(double rate) {
  std::string text = std::to_string(rate / 1e9);
  return text.substr(0, text.find('.') + 2);
}

}  // namespace

const TransferFit* Calibration::copy(std::string_view mode, std::string_view direction) const {
  for (const CopyFit& each : copies) {
    if (each.mode == mode && each.direction == direction) return &each.fit;
  }
  return nullptr;
}

Calibration analyse(const SampleSet& set) {
  Calibration result;
  result.link = link_state(set);
  add_copies(set, result);
  add_faults(result);
  add_duplex(set, result);
  add_interference(set, result);
  add_remote(set, result);
  add_memories(set, result);
  add_costs(set, result);
  add_launch(set, result);
  result.sustained = rates_of(set, "sustained");
  result.all_devices = rates_of(set, "all_devices");
  return result;
}

std::vector<Statement> order_of_modes(const Calibration& calibration) {
  struct Claim {
    const char* text;
    Bytes bytes;
  };
  static constexpr std::array kSizes{
      Claim{"at 4 MiB pinned is above prefetch above pageable", Bytes(std::int64_t{4} << 20)},
      Claim{"at 64 MiB pinned is above prefetch above pageable", Bytes(std::int64_t{64} << 20)}};
  std::vector<Statement> statements;
  for (const char* direction : kDirections) {
    const TransferFit* pinned = calibration.copy("pinned", direction);
    const TransferFit* prefetch = calibration.copy("unified_prefetch", direction);
    const TransferFit* pageable = calibration.copy("pageable", direction);
    const bool all = pinned != nullptr && prefetch != nullptr && pageable != nullptr;
    const auto state = [&](std::string claim, bool holds, std::string figures) {
      Statement statement{.claim = std::string(direction) + ": " + std::move(claim),
                          .holds = std::nullopt,
                          .figures = std::move(figures)};
      if (all) statement.holds = holds;
      statements.push_back(std::move(statement));
    };
    for (const Claim& claim : kSizes) {
      if (!all) {
        state(claim.text, false, "not all three modes were measured");
        continue;
      }
      const double a = rate_of(*pinned, claim.bytes);
      const double b = rate_of(*prefetch, claim.bytes);
      const double c = rate_of(*pageable, claim.bytes);
      state(claim.text, a > b && b > c,
            in_gigabytes(a) + ", " + in_gigabytes(b) + ", " + in_gigabytes(c) + " GB/s");
    }
    if (!all) continue;
    // What a small copy takes, rather than the line's latency, which large sizes may have pulled.
    const Bytes small(4096);
    const double a = time_of(pinned->kept, small);
    const double b = time_of(prefetch->kept, small);
    const double c = time_of(pageable->kept, small);
    const auto microseconds = [](double ns) { return in_gigabytes(ns * 1e6); };
    state("prefetch has the largest latency (4 KiB)", b > a && b > c,
          microseconds(a) + ", " + microseconds(b) + ", " + microseconds(c) + " us");
    const Bytes huge(std::int64_t{1} << 30);
    const double best = rate_of(*pinned, huge);
    const double next = rate_of(*prefetch, huge);
    state("prefetch is within 20 % of pinned at 1 GiB", next > 0.8 * best && next < 1.25 * best,
          in_gigabytes(best) + ", " + in_gigabytes(next) + " GB/s");
  }
  return statements;
}

}  // namespace ooc
