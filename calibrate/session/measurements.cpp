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
    if (find_value(group->request, "numa_node") || find_value(group->request, "gate")) continue;
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

namespace {

/// Product of the keys' values; 0 if one is missing or none.
double product_of(const KeyValues& keys, std::initializer_list<std::string_view> names) {
  double product = 1;
  for (const std::string_view name : names) {
    product *= static_cast<double>(std::max(0LL, find_integer(keys, name).value_or(0)));
  }
  return product;
}

double output_size(const KeyValues& keys, const std::string& of, const std::string& suffix) {
  const auto number = [&](const std::string& key, long long otherwise) {
    return find_integer(keys, key + suffix).value_or(otherwise);
  };
  const long long size = find_integer(keys, of).value_or(0);
  const long long stride = std::max(1LL, number("stride_", 1));
  const long long extent = number("dilation_", 1) * (number("kernel_", 1) - 1) + 1;
  const long long positions = (size + 2 * number("pad_", 0) - extent) / stride + 1;
  return static_cast<double>(std::max(0LL, positions));
}

}  // namespace

double layer_flops(const KeyValues& keys) {
  const double positions = output_size(keys, "height", "h") * output_size(keys, "width", "w");
  const double groups =
      static_cast<double>(std::max(1LL, find_integer(keys, "groups").value_or(1)));
  return 2 * product_of(keys, {"batch", "filters", "channels", "kernel_h", "kernel_w"}) *
         positions / groups;
}

namespace {

/// "64 x 56 x 56 to 256, 3 x 3, stride 2, padded 1, batch 32, forward": what differs from the usual.
std::string layer_text(const KeyValues& keys) {
  const auto value = [&](const std::string& key, const char* usual = "?") {
    return find_value(keys, key).value_or(usual);
  };
  std::string text = value("channels") + " x " + value("height") + " x " + value("width") + " to " +
                     value("filters") + ", " + value("kernel_h") + " x " + value("kernel_w");
  const auto add = [&](const char* word, const std::string& key, const char* usual) {
    const std::string high = value(key + "_h", usual);
    const std::string wide = value(key + "_w", usual);
    if (high == usual && wide == usual) return;
    text += std::string(", ") + word + " " + (high == wide ? high : high + " x " + wide);
  };
  add("stride", "stride", "1");
  add("padded", "pad", "0");
  add("dilated", "dilation", "1");
  if (value("groups", "1") != "1") text += ", " + value("groups") + " groups";
  std::string pass = value("pass");
  std::replace(pass.begin(), pass.end(), '_', ' ');
  return text + ", batch " + value("batch") + ", " + pass;
}

}  // namespace

std::vector<WorkTimes> gemm_times(const SampleSet& set, std::string_view dtype) {
  std::vector<WorkTimes> measured;
  for (const SampleGroup* group : groups_of(set, "gemm")) {
    if (!has_value(*group, "dtype", dtype)) continue;
    const double flops = 2 * product_of(group->request, {"m", "n", "k"});
    std::vector<double> times = times_of(*group, "time");
    if (flops > 0 && !times.empty()) measured.push_back({flops, std::move(times)});
  }
  return measured;
}

std::vector<WorkTimes> kernel_times(const SampleSet& set) {
  std::vector<WorkTimes> measured;
  for (const SampleGroup* group : groups_of(set, "kernel")) {
    const MetricSamples* time = group->metric("time");
    if (time == nullptr) continue;
    const auto traffic = find_number(time->attributes, "traffic_bytes");
    std::vector<double> times = times_of(*group, "time");
    if (traffic && *traffic > 0 && !times.empty()) measured.push_back({*traffic, std::move(times)});
  }
  return measured;
}

std::vector<LayerTimes> layer_times(const SampleSet& set) {
  std::vector<LayerTimes> layers;
  for (const SampleGroup* group : groups_of(set, "layer")) {
    LayerTimes best{.dtype = find_value(group->request, "dtype").value_or(""),
                    .pass = find_value(group->request, "pass").value_or(""),
                    .flops = layer_flops(group->request),
                    .algorithm = {},
                    .workspace_bytes = 0,
                    .times_ns = {},
                    .text = layer_text(group->request)};
    double least = 0;
    for (const MetricSamples& metric : group->metrics) {
      if (metric.metric != "time" || metric.ns.empty()) continue;
      const double time = summarize_times(metric.ns).median;
      if (!(time > 0) || (!best.times_ns.empty() && time >= least)) continue;
      least = time;
      best.times_ns = metric.ns;
      best.algorithm = find_value(metric.attributes, "algorithm").value_or("");
      best.workspace_bytes = find_integer(metric.attributes, "workspace_bytes").value_or(0);
    }
    if (!best.times_ns.empty() && best.flops > 0) layers.push_back(std::move(best));
  }
  return layers;
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
