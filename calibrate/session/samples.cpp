// Identities are sorted, so that the order of keys in a request never decides whether something was
// measured already.
#include "calibrate/session/samples.hpp"

#include <algorithm>
#include <array>

namespace ooc {
namespace {

constexpr std::array<std::string_view, 8> kHowOften{
    "id", "repetitions", "max_repetitions", "target_ci", "min_ms", "max_ms", "warmup_ms", "verify"};
/// What only samples have; everything else of a sample line is echoed from its request.
constexpr std::array<std::string_view, 7> kOfSamples{
    "id", "metric", "timer", "ns", "algorithm", "workspace_bytes", "traffic_bytes"};

template <std::size_t kCount>
bool is_one_of(std::string_view key, const std::array<std::string_view, kCount>& keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

MetricSamples& metric_like(SampleGroup& group, const MetricSamples& wanted) {
  for (MetricSamples& each : group.metrics) {
    if (each.metric == wanted.metric && each.timer == wanted.timer &&
        each.attributes == wanted.attributes) {
      return each;
    }
  }
  group.metrics.push_back(
      {.metric = wanted.metric, .timer = wanted.timer, .attributes = wanted.attributes, .ns = {}});
  return group.metrics.back();
}

}  // namespace

std::string Request::what() const { return find_value(keys, "what").value_or(""); }

bool is_sample_key(std::string_view key) { return is_one_of(key, kOfSamples); }

KeyValues identity_of(const KeyValues& keys) {
  KeyValues identity;
  for (const auto& [key, value] : keys) {
    if (!is_one_of(key, kHowOften)) identity.emplace_back(key, value);
  }
  std::sort(identity.begin(), identity.end(), [](const auto& a, const auto& b) {
    if ((a.first == "what") != (b.first == "what")) return a.first == "what";
    return a.first < b.first;
  });
  return identity;
}

std::string identity_text(const KeyValues& identity) {
  std::string text;
  for (const auto& [key, value] : identity) {
    if (!text.empty()) text += ' ';
    if (key != "what") text.append(key).append(1, '=');
    text += value;
  }
  return text;
}

std::size_t SampleGroup::count() const {
  std::size_t sum = 0;
  for (const MetricSamples& each : metrics) sum += each.ns.size();
  return sum;
}

const MetricSamples* SampleGroup::metric(std::string_view name) const {
  for (const MetricSamples& each : metrics) {
    if (each.metric == name && !each.ns.empty()) return &each;
  }
  return nullptr;
}

const SampleGroup* SampleSet::find(const KeyValues& identity) const {
  for (const SampleGroup& group : groups) {
    if (group.request == identity) return &group;
  }
  return nullptr;
}

std::size_t SampleSet::count() const {
  std::size_t sum = 0;
  for (const SampleGroup& group : groups) sum += group.count();
  return sum;
}

std::string add_sample(SampleGroup& group, const KeyValues& sample) {
  const auto metric = find_value(sample, "metric");
  if (!metric || metric->empty()) return "a sample without a metric";
  const auto ns = find_number(sample, "ns");
  if (!ns) return "a sample without a time";
  // A time of 0 is below the timer's resolution; it would be an infinite rate.
  if (!(*ns >= 0) || *ns > 9e15) return "a time that is none";
  MetricSamples wanted{.metric = *metric,
                       .timer = find_value(sample, "timer").value_or(""),
                       .attributes = {},
                       .ns = {}};
  for (const std::string_view key : {"algorithm", "workspace_bytes", "traffic_bytes"}) {
    if (auto value = find_value(sample, key)) wanted.attributes.emplace_back(key, *value);
  }
  metric_like(group, wanted).ns.push_back(*ns);
  return "";
}

std::string error_text(const KeyValues& error) {
  std::string text = find_value(error, "text").value_or("");
  if (text.empty()) text = "no reason given";
  const auto call = find_value(error, "call");
  if (!call) return text;
  return *call + ": " + text + " (" + find_value(error, "name").value_or("") + ", " +
         find_value(error, "file").value_or("") + ":" + find_value(error, "line").value_or("") +
         ")";
}

bool is_corruption(std::string_view error) {
  return error.find("data are wrong") != std::string_view::npos;
}

void merge_group(SampleSet& set, SampleGroup group) {
  for (SampleGroup& old : set.groups) {
    if (old.request != group.request) continue;
    for (MetricSamples& each : group.metrics) {
      auto& times = metric_like(old, each).ns;
      times.insert(times.end(), each.ns.begin(), each.ns.end());
    }
    old.state = group.state;
    old.error = std::move(group.error);
    old.notes = std::move(group.notes);
    old.done = std::move(group.done);
    return;
  }
  set.groups.push_back(std::move(group));
}

std::string machine_difference(const KeyValues& a, const KeyValues& b) {
  for (const std::string_view key : {"device_name", "memory_total_bytes", "compute_capability"}) {
    const auto first = find_value(a, key);
    const auto second = find_value(b, key);
    if (first && second && *first != *second) {
      return std::string(key) + " " + *first + " and " + *second;
    }
  }
  return "";
}

SampleSet read_samples(std::string_view text, const std::string& file) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first == std::string_view::npos || text[first] == '{' || text[first] == '[';
  return is_json ? read_samples_json(text, file) : read_protocol_log(text, file);
}

}  // namespace ooc
