// The "machine" and "samples" of a measured profile. Times themselves stay in the samples file; the
// profile keeps what a reader wants to judge a number by.
#include <fmt/format.h>

#include "calibrate/session/assemble.hpp"

namespace ooc {
namespace {

/// Keys that identify one particular board or say nothing of the machine.
bool is_kept(const std::string& key) {
  return key != "uuid" && key != "serial" && key != "pci_bus_id" && key != "device";
}

void put_machine(JsonWriter& json, const SampleSet& set) {
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
  put_texts(json, "machine", machine);
}

void put_number(JsonWriter& json, std::string_view key, double number, int decimals) {
  json.member(key, JsonText{fmt::format("{:.{}f}", number, decimals)});
}

void put_summary(JsonWriter& json, const Summary& summary) {
  json.member("count", summary.count);
  put_number(json, "median_ns", summary.median, 1);
  put_number(json, "mad_ns", summary.mad, 1);
  put_number(json, "min_ns", summary.min, 1);
  put_number(json, "max_ns", summary.max, 1);
  json.member("outliers", summary.outliers.size());
}

void put_copy(JsonWriter& json, const CopyFit& copy, const SizeFit& size) {
  json.begin_object().member("mode", copy.mode);
  json.member("direction", copy.direction).member("bytes", size.bytes);
  put_summary(json, size.times);
  put_number(json, "fit_residual", size.kept_residual, 4);
  put_number(json, "line_residual", size.line_residual, 4);
  json.end();
}

void put_interference(JsonWriter& json, const InterferenceFit& each) {
  json.member("kernel", each.kernel).member("direction", each.direction);
  json.member("bytes", each.bytes);
  put_number(json, "copy_share", each.copy_share, 4);
  put_number(json, "kernel_share", each.kernel_share, 4);
}

void put_metric(JsonWriter& json, const SampleGroup& group, const MetricSamples& metric) {
  json.begin_object().member("request", request_text(group.request));
  json.member("metric", metric.metric);
  put_summary(json, summarize_times(metric.ns));
  json.end();
}

}  // namespace

std::string measurement_json(const SampleSet& set, const Calibration& calibration) {
  std::string text;
  JsonWriter json(text, JsonLayout::kLine);
  put_machine(json.begin_object(), set);
  json.begin_object("samples").begin_list("copies");
  for (const CopyFit& copy : calibration.copies) {
    for (const SizeFit& size : copy.fit.sizes) put_copy(json, copy, size);
  }
  json.end();
  json.objects("interference", calibration.interference,
               [&](const InterferenceFit& each) { put_interference(json, each); });
  json.begin_list("others");
  for (const SampleGroup& group : set.groups) {
    const bool is_shown_above = has_value(group, "what", "copy");
    for (const MetricSamples& metric : group.metrics) {
      const bool is_copy_time =
          is_shown_above && metric.metric == "time" && !find_value(group.request, "numa_node");
      if (!is_copy_time && !metric.ns.empty()) put_metric(json, group, metric);
    }
  }
  json.end().end().end();
  return text;
}

}  // namespace ooc
