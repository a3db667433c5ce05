// Keys and their meaning are in docs/formats.md.
#include <fmt/format.h>

#include "calibrate/session/report.hpp"
#include "model/base/json_writer.hpp"

namespace ooc {
namespace {

void put_machine(JsonWriter& json, const SampleSet& set, const std::optional<LinkState>& link) {
  json.begin_object("machine");
  for (const auto& [key, value] : set.machine) {
    // What identifies one particular board or says nothing of the machine, and what was seen better later.
    const bool left_out = key == "pci_bus_id" || key == "device";
    const bool of_link = key == "pcie_generation" || key == "pcie_width";
    if (!left_out && !(of_link && link)) json.member(key, value);
  }
  if (link) {
    json.member("pcie_generation", std::to_string(link->generation));
    json.member("pcie_width", std::to_string(link->width));
  }
  json.member("measured_with", set.program).member("backend", set.backend);
  if (!set.effort.empty()) json.member("effort", set.effort);
  if (!set.date.empty()) json.member("date", set.date);
  json.end();
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

}  // namespace

std::string calibration_json(const ReportInput& input, std::string_view version,
                             const std::vector<std::string>& command) {
  std::string text;
  JsonWriter json(text, JsonLayout::kCompact);
  json.begin_object().member("format", "ooc-paleo/calibration").member("version", 1);
  json.begin_object("tool").member("version", version).member("command", command).end();
  json.member("profile", input.profile.name).member("date", input.set.date);
  json.member("backend", input.set.backend).member("samples", input.set.count());
  json.objects("copies", input.calibration.copies, [&](const CopyFit& copy) {
    json.member("mode", copy.mode).member("direction", copy.direction);
    json.member("kept", copy.fit.is_curve() ? "curve" : "line");
    json.objects("sizes", copy.fit.sizes, [&](const SizeFit& size) {
      json.member("bytes", size.bytes).member("median_ns", size.times.median);
      json.member("kept_ns", time_of(copy.fit.kept, size.bytes));
    });
  });
  json.member("assumed", input.profile.assumed).member("remarks", input.remarks).end();
  return text;
}

std::string measurement_json(const SampleSet& set, const Calibration& calibration) {
  std::string text;
  JsonWriter json(text, JsonLayout::kLine);
  put_machine(json.begin_object(), set, calibration.link);
  json.begin_object("samples").begin_list("copies");
  for (const CopyFit& copy : calibration.copies) {
    for (const SizeFit& size : copy.fit.sizes) {
      json.begin_object().member("mode", copy.mode).member("direction", copy.direction);
      put_summary(json.member("bytes", size.bytes), size.times);
      put_number(json, "fit_residual", size.kept_residual, 4);
      put_number(json, "line_residual", size.line_residual, 4);
      json.end();
    }
  }
  json.end();
  json.objects("interference", calibration.interference, [&](const InterferenceFit& each) {
    json.member("kernel", each.kernel).member("direction", each.direction);
    json.member("bytes", each.bytes);
    put_number(json, "copy_share", each.copy_share, 4);
    put_number(json, "kernel_share", each.kernel_share, 4);
  });
  json.begin_list("others");
  for (const SampleGroup& group : set.groups) {
    const bool above = group.key("what") == "copy";
    for (const MetricSamples& metric : group.metrics) {
      if ((above && metric.metric == "time") || metric.ns.empty()) continue;
      json.begin_object().member("request", request_text(group.request));
      put_summary(json.member("metric", metric.metric), summarize_times(metric.ns));
      json.end();
    }
  }
  json.end().end().end();
  return text;
}

}  // namespace ooc
