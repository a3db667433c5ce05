// The "machine" and "samples" of a measured profile. Times themselves stay in the samples file; the
// profile keeps what a reader wants to judge a number by.
#include <fmt/format.h>

#include "calibrate/session/assemble.hpp"
#include "calibrate/session/json_words.hpp"

namespace ooc {
namespace {

/// Keys that identify one particular board or say nothing of the machine.
bool is_kept(const std::string& key) {
  return key != "uuid" && key != "serial" && key != "pci_bus_id" && key != "device";
}

std::string machine_object(const SampleSet& set) {
  KeyValues machine;
  for (const auto& [key, value] : set.machine) {
    if (is_kept(key)) machine.emplace_back(key, value);
  }
  if (const auto link = link_state(set)) {
    set_value(machine, "pcie_generation", std::to_string(link->generation));
    set_value(machine, "pcie_width", std::to_string(link->width));
  }
  machine.emplace_back("measured_with", set.program);
  machine.emplace_back("backend", set.backend);
  if (!set.effort.empty()) machine.emplace_back("effort", set.effort);
  if (!set.date.empty()) machine.emplace_back("date", set.date);
  return json_object(machine);
}

std::string summary_fields(const Summary& summary) {
  return fmt::format(
      "\"count\": {}, \"median_ns\": {:.1f}, \"mad_ns\": {:.1f}, \"min_ns\": {:.1f}, "
      "\"max_ns\": {:.1f}, \"outliers\": {}",
      summary.count, summary.median, summary.mad, summary.min, summary.max,
      summary.outliers.size());
}

std::string copy_entry(const CopyFit& copy, const SizeFit& size) {
  return fmt::format(
      "{{\"mode\": {}, \"direction\": {}, \"bytes\": {}, {}, \"fit_residual\": {:.4f}, "
      "\"line_residual\": {:.4f}}}",
      json_string(copy.mode), json_string(copy.direction), size.bytes.count(),
      summary_fields(size.times), size.kept_residual, size.line_residual);
}

std::string interference_entry(const InterferenceFit& each) {
  return fmt::format(
      "{{\"kernel\": {}, \"direction\": {}, \"bytes\": {}, \"copy_share\": {:.4f}, "
      "\"kernel_share\": {:.4f}}}",
      json_string(each.kernel), json_string(each.direction), each.bytes.count(), each.copy_share,
      each.kernel_share);
}

std::string metric_entry(const SampleGroup& group, const MetricSamples& metric) {
  std::string text = "{\"request\": " + json_string(identity_text(group.request)) +
                     ", \"metric\": " + json_string(metric.metric);
  if (!metric.attributes.empty()) text += ", \"attributes\": " + json_object(metric.attributes);
  return text + ", " + summary_fields(summarize_times(metric.ns)) + "}";
}

void append(std::string& list, const std::string& entry) {
  if (!list.empty()) list += ",";
  list += entry;
}

}  // namespace

std::string measurement_json(const SampleSet& set, const Calibration& calibration) {
  std::string copies;
  for (const CopyFit& copy : calibration.copies) {
    for (const SizeFit& size : copy.fit.sizes) append(copies, copy_entry(copy, size));
  }
  std::string interference;
  for (const InterferenceFit& each : calibration.interference) {
    append(interference, interference_entry(each));
  }
  std::string others;
  for (const SampleGroup& group : set.groups) {
    const bool is_shown_above = has_value(group, "what", "copy");
    for (const MetricSamples& metric : group.metrics) {
      const bool is_copy_time =
          is_shown_above && metric.metric == "time" && !find_value(group.request, "numa_node");
      if (!is_copy_time && !metric.ns.empty()) append(others, metric_entry(group, metric));
    }
  }
  return "{\"machine\": " + machine_object(set) + ", \"samples\": {\"copies\": [" + copies +
         "], \"interference\": [" + interference + "], \"others\": [" + others + "]}}";
}

}  // namespace ooc
