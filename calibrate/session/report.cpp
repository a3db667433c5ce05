// Plain text, one table after another, widths fixed: it is read in terminals and pasted into mails.
#include "calibrate/session/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "model/base/json_writer.hpp"
#include "model/base/quantity_io.hpp"

namespace ooc {
namespace {

std::string time_text(double ns) { return format_duration(Duration(std::llround(ns))); }

std::string rate_text(double bytes_per_s) {
  return format_rate(BytesPerSecond(std::max<std::int64_t>(1, std::llround(bytes_per_s))));
}

double line_rate(double ns_per_byte) { return ns_per_byte > 0 ? 1e9 / ns_per_byte : 0; }

std::string titled(const char* title, const std::string& text) {
  return text.empty() ? "" : fmt::format("\n{}\n{}", title, text);
}

std::string head(const SampleSet& set) {
  std::string text = find_value(set.machine, "device_name").value_or("unknown device");
  for (const auto& [key, label] : {std::pair{"driver", "driver"}, {"cuda_runtime", "CUDA"}}) {
    const auto value = find_value(set.machine, key);
    if (value) text += fmt::format(", {} {}", label, *value);
  }
  text += (set.date.empty() ? "" : ", " + set.date) + "\n";
  if (set.backend != "cuda") {
    text += fmt::format("backend {}: these are not times of a real machine\n", set.backend);
  }
  const ClockReadings& clocks = set.clocks;
  if (!clocks.sm_mhz.empty()) {
    text += fmt::format("clock {:.0f} MHz", median_of(clocks.sm_mhz));
    if (!clocks.power_w.empty()) text += fmt::format(", {:.0f} W", median_of(clocks.power_w));
    text +=
        fmt::format(", throttled in {} of {} readings\n", clocks.throttled, clocks.sm_mhz.size());
  }
  return text + fmt::format("{} requests, {} samples\n", set.groups.size(), set.count());
}

std::string copies(const Calibration& calibration) {
  const auto row = [](const auto&... cells) {
    return fmt::format("{:<27}{:>10}{:>12}  {:<6}{:>12}{:>10}{:>18}\n", cells...);
  };
  std::string text =
      "\n" + row("copies", "latency", "rate", "kept", "off: median", "at most", "outliers");
  std::string worst;
  for (const CopyFit& copy : calibration.copies) {
    const TransferFit& fit = copy.fit;
    const std::string name = copy.mode + " " + copy.direction;
    text += row(name, time_text(fit.line.latency_ns), rate_text(line_rate(fit.line.ns_per_byte)),
                fit.is_curve() ? "curve" : "line",
                format_percent(fit.median_residual(Bytes(65536), Bytes(std::int64_t{1} << 30))),
                format_percent(fit.worst_residual()),
                fmt::format("{} of {}", fit.outliers(), fit.samples()));
    for (const SizeFit& size : fit.sizes) {
      const double off = std::abs(size.kept_residual);
      if (off <= kLineTolerance || off < fit.worst_residual()) continue;
      worst += fmt::format("{}: at {} the fit is {:+.1f} % off\n", name, exact_bytes(size.bytes),
                           100 * size.kept_residual);
    }
  }
  return text +
         "Latency and rate are the best straight line's. A curve is kept where that misses a size "
         "by more than 3 %.\n" +
         worst;
}

std::string link(const Calibration& calibration) {
  std::string text;
  for (const char* direction : kDirections) {
    const TransferFit* fit = calibration.copy("pinned", direction);
    if (fit == nullptr || !calibration.link) continue;
    const BytesPerSecond rate(std::llround(line_rate(fit->line.ns_per_byte)));
    text += fmt::format(
        "  {}: {}\n", direction,
        compare_with_expectation(calibration.link->generation, calibration.link->width, rate));
  }
  if (!calibration.link) text = "  PCIe generation and width could not be read: no expectation\n";
  if (calibration.duplex) {
    const DuplexShares& shares = *calibration.duplex;
    const std::string near = format_percent(shares.to_near);
    text +=
        shares.alike()
            ? fmt::format("  both directions at once: each keeps {} of its rate\n", near)
            : fmt::format("  both directions at once: to near keeps {} of its rate, to far {}\n",
                          near, format_percent(shares.to_far));
  }
  for (const SharedRate& each : calibration.sustained) {
    text += fmt::format("  as nvbandwidth, {}: {:.2f} GB/s\n", each.direction, each.rate / 1e9);
  }
  for (const SharedRate& each : calibration.all_devices) {
    text += fmt::format("  {} of all {} devices at once: {} each\n", each.direction, each.devices,
                        rate_text(each.rate));
  }
  for (const InterferenceFit& each : calibration.interference) {
    text += fmt::format(
        "  {} of {} during a {}-bound kernel: the copy keeps {} of its rate, the kernel {}\n",
        each.direction, exact_bytes(each.bytes), each.kernel, format_percent(each.copy_share),
        format_percent(each.kernel_share));
  }
  if (calibration.faults) {
    const FaultFit& faults = *calibration.faults;
    text += fmt::format(
        "  on demand: {} for each {} beside moving it at {}, {} to begin; off by {} at the "
        "median\n",
        time_text(faults.fault_ns), exact_bytes(faults.page),
        rate_text(line_rate(faults.ns_per_byte)), time_text(faults.latency_ns),
        format_percent(faults.median_residual));
  }
  return "\nlink\n" + text;
}

std::string memories(const Calibration& calibration) {
  std::string text;
  const auto rate = [&](const char* label, double bytes_per_s) {
    if (bytes_per_s <= 0) return;
    text += fmt::format("  {}: {} read plus written\n", label, rate_text(bytes_per_s));
  };
  rate("near memory", calibration.near_rate);
  rate("host memory with all threads", calibration.host_rate);
  rate("host memory with one", calibration.host_rate_one);
  for (const CostFit& cost : calibration.costs) {
    // Below a microsecond for each GB it does not grow.
    const double ns_per_gb = cost.fit.line.ns_per_byte * 1e9;
    text += fmt::format("  {}: {}", cost.name, time_text(cost.fit.line.latency_ns));
    if (ns_per_gb > 1000) text += fmt::format(" + {} for each GB", time_text(ns_per_gb));
    text += "\n";
  }
  return titled("memory", text);
}

std::string launches(const LaunchFit& launch) {
  std::string text;
  for (const auto& [label, ns] : {std::pair{"an empty kernel among others", launch.time_ns},
                                  {"a launch costs the host", launch.issue_ns},
                                  {"launch to synchronised", launch.round_trip_ns},
                                  {"from stream to stream by an event", launch.event_wait_ns}}) {
    if (ns) text += fmt::format("  {}: {}\n", label, time_text(*ns));
  }
  return titled("launches", text);
}

/// Medians, every second power of two.
std::string figure_6(const Calibration& calibration) {
  std::string text;
  text += fmt::format("{:>11}{:>39}{:>39}\n{:>11}", "", "to near memory", "to far memory", "size");
  for (int i = 0; i < 2; ++i) {
    text += fmt::format("{:>13}{:>13}{:>13}", "pinned", "prefetch", "pageable");
  }
  text += "\n";
  for (std::int64_t bytes = 4096; bytes <= std::int64_t{1} << 30; bytes *= 4) {
    std::string row;
    for (const char* direction : kDirections) {
      for (const char* mode : {"pinned", "unified_prefetch", "pageable"}) {
        const TransferFit* fit = calibration.copy(mode, direction);
        const auto sizes = fit == nullptr ? std::vector<SizeFit>{} : fit->sizes;
        const auto found = std::ranges::find_if(
            sizes, [&](const SizeFit& size) { return size.bytes.count() == bytes; });
        row += fmt::format("{:>13}", found == sizes.end() ? "-" : time_text(found->times.median));
      }
    }
    const bool any = row.find_first_not_of(" -") != std::string::npos;
    if (any) text += fmt::format("{:>11}{}\n", exact_bytes(Bytes(bytes)), row);
  }
  return titled("time by size, as in the OOC-Paleo paper's figure 6", text);
}

std::string problems(const ReportInput& input) {
  // Notes of many requests are often the same: each once, with how many had it.
  std::map<std::string, std::pair<std::size_t, std::string>> seen;
  const auto note = [&](const std::string& what, const SampleGroup& group) {
    auto& [count, first] = seen[what];
    if (count++ == 0) first = request_text(group.request);
  };
  for (const SampleGroup& group : input.set.groups) {
    if (!group.error.empty()) note("refused: " + group.error, group);
    for (const std::string& each : group.notes) note(each, group);
    if (find_value(group.done, "stable") == "0") note("never became stable", group);
  }
  std::string text;
  if (input.set.left_out > 0) {
    text +=
        fmt::format("  there was no time for {} requests; --from goes on\n", input.set.left_out);
  }
  for (const std::string& remark : input.remarks) text += "  " + remark + "\n";
  for (const auto& [what, where] : seen) {
    text += fmt::format("  {} ({}{})\n", what, where.second,
                        where.first > 1 ? fmt::format(" and {} more", where.first - 1) : "");
  }
  return titled("to know", text);
}

}  // namespace

std::string calibration_report(const ReportInput& input) {
  const std::vector<std::string>& assumed = input.profile.assumed;
  return head(input.set) + copies(input.calibration) + link(input.calibration) +
         memories(input.calibration) + launches(input.calibration.launch) +
         figure_6(input.calibration) + problems(input) +
         (assumed.empty() ? "\nnothing in the profile is assumed\n"
                          : fmt::format("\nassumed, not measured: {}\n", fmt::join(assumed, ", ")));
}

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

}  // namespace ooc
