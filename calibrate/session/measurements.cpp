// A time of 0 is below the resolution of the timer that took it and would be an infinite rate: such
// values are left out here, not in the file.
#include "calibrate/session/measurements.hpp"

#include <algorithm>

namespace ooc {

std::vector<const SampleGroup*> groups_of(const SampleSet& set, std::string_view what) {
  std::vector<const SampleGroup*> found;
  for (const SampleGroup& group : set.groups) {
    if (has_value(group, "what", what) && group.count() > 0) found.push_back(&group);
  }
  return found;
}

bool has_value(const SampleGroup& group, std::string_view key, std::string_view value) {
  return find_value(group.request, key) == value;
}

Bytes bytes_of_group(const SampleGroup& group) {
  const long long bytes = find_integer(group.request, "bytes").value_or(0);
  return Bytes(std::clamp<std::int64_t>(bytes, 0, kMaxTensorBytes));
}

std::vector<double> times_of(const SampleGroup& group, std::string_view metric) {
  std::vector<double> times;
  if (const MetricSamples* found = group.metric(metric)) {
    for (const double ns : found->ns) {
      if (ns > 0) times.push_back(ns);
    }
  }
  return times;
}

std::optional<double> median_time(const SampleGroup& group, std::string_view metric) {
  const std::vector<double> times = times_of(group, metric);
  if (times.empty()) return std::nullopt;
  return summarize_times(times).median;
}

std::vector<SizedTimes> copy_times(const SampleSet& set, std::string_view mode,
                                   std::string_view direction, std::string_view metric) {
  std::vector<SizedTimes> sizes;
  for (const SampleGroup* group : groups_of(set, "copy")) {
    if (!has_value(*group, "mode", mode) || !has_value(*group, "direction", direction)) continue;
    if (find_value(group->request, "numa_node")) continue;
    std::vector<double> times = times_of(*group, metric);
    const Bytes bytes = bytes_of_group(*group);
    if (!times.empty() && bytes.count() > 0) sizes.push_back({bytes, std::move(times)});
  }
  return sizes;
}

std::vector<SizedTimes> times_by_size(const SampleSet& set, std::string_view what,
                                      std::string_view metric) {
  std::vector<SizedTimes> sizes;
  for (const SampleGroup* group : groups_of(set, what)) {
    if (find_value(group->request, "threads")) continue;
    std::vector<double> times = times_of(*group, metric);
    const Bytes bytes = bytes_of_group(*group);
    if (!times.empty() && bytes.count() > 0) sizes.push_back({bytes, std::move(times)});
  }
  return sizes;
}

std::optional<LinkState> link_state(const SampleSet& set) {
  LinkState state;
  const auto look_at = [&](const KeyValues& values) {
    const auto generation = find_integer(values, "pcie_generation").value_or(0);
    const auto width = find_integer(values, "pcie_width").value_or(0);
    if (generation > 0 && generation < 100) {
      state.generation = std::max(state.generation, static_cast<int>(generation));
    }
    if (width > 0 && width < 1000) state.width = std::max(state.width, static_cast<int>(width));
  };
  look_at(set.machine);
  for (const SampleGroup& group : set.groups) look_at(group.done);
  if (state.generation == 0 || state.width == 0) return std::nullopt;
  return state;
}

}  // namespace ooc
