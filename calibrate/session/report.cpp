// Plain text, one table after another, widths fixed: it is read in terminals and pasted into mails.
#include "calibrate/session/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "model/base/quantity_io.hpp"

namespace ooc {
namespace {

std::string time_text(double ns) { return format_duration(Duration(std::llround(ns))); }

std::string rate_text(double bytes_per_s) {
  return format_rate(BytesPerSecond(std::max<std::int64_t>(1, std::llround(bytes_per_s))));
}

double line_rate(const FittedLine& line) {
  return line.ns_per_byte > 0 ? 1e9 / line.ns_per_byte : 0;
}

std::string head(const ReportInput& input) {
  const KeyValues& machine = input.set.machine;
  std::string text = find_value(machine, "device_name").value_or("unknown device");
  for (const auto& [key, label] : {std::pair{"driver", "driver"}, {"cuda_runtime", "CUDA"}}) {
    if (const auto value = find_value(machine, key)) text += fmt::format(", {} {}", label, *value);
  }
  if (!input.set.date.empty()) text += ", " + input.set.date;
  text += "\n";
  if (input.set.backend != "cuda") {
    text += fmt::format("backend {}: these are not times of a real machine\n", input.set.backend);
  }
  const ClockReadings& clocks = input.set.clocks;
  if (!clocks.sm_mhz.empty()) {
    text += fmt::format("clock {:.0f} MHz", median_of(clocks.sm_mhz));
    if (!clocks.power_w.empty()) text += fmt::format(", {:.0f} W", median_of(clocks.power_w));
    text +=
        fmt::format(", throttled in {} of {} readings\n", clocks.throttled, clocks.sm_mhz.size());
  }
  return text +
         fmt::format("{} requests, {} samples\n", input.set.groups.size(), input.set.count());
}

std::string copies(const Calibration& calibration) {
  std::string text = fmt::format("\n{:<27}{:>10}{:>12}  {:<6}{:>12}{:>10}{:>18}\n", "copies",
                                 "latency", "rate", "kept", "off: median", "at most", "outliers");
  for (const CopyFit& copy : calibration.copies) {
    const TransferFit& fit = copy.fit;
    text +=
        fmt::format("{:<27}{:>10}{:>12}  {:<6}{:>12}{:>10}{:>18}\n",
                    copy.mode + " " + copy.direction, time_text(fit.line.latency_ns),
                    rate_text(line_rate(fit.line)), fit.is_curve() ? "curve" : "line",
                    format_percent(fit.median_residual(Bytes(65536), Bytes(std::int64_t{1} << 30))),
                    format_percent(fit.worst_residual()),
                    fmt::format("{} of {}", fit.outliers(), fit.samples()));
  }
  text +=
      "Latency and rate are the best straight line's. A curve is kept where that misses a size by "
      "more than 3 %.\n";
  return text;
}

std::string worst_sizes(const Calibration& calibration) {
  std::string text;
  for (const CopyFit& copy : calibration.copies) {
    const auto& sizes = copy.fit.sizes;
    const auto worst =
        std::max_element(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) {
          return std::abs(a.kept_residual) < std::abs(b.kept_residual);
        });
    if (worst == sizes.end() || std::abs(worst->kept_residual) <= kLineTolerance) continue;
    text += fmt::format("{} {}: at {} the fit is {:+.1f} % off\n", copy.mode, copy.direction,
                        exact_bytes(worst->bytes), 100 * worst->kept_residual);
  }
  return text;
}

std::string link(const Calibration& calibration) {
  std::string text = "\nlink\n";
  const TransferFit* near = calibration.copy("pinned", "to_near");
  const TransferFit* far = calibration.copy("pinned", "to_far");
  for (const auto& [fit, direction] : {std::pair{near, "to_near"}, {far, "to_far"}}) {
    if (fit == nullptr) continue;
    if (!calibration.link) {
      text += "  PCIe generation and width could not be read: no expectation\n";
      break;
    }
    const BytesPerSecond rate(std::llround(line_rate(fit->line)));
    text += fmt::format(
        "  {}: {}\n", direction,
        compare_with_expectation(calibration.link->generation, calibration.link->width, rate));
  }
  if (calibration.duplex) {
    const DuplexShares& shares = *calibration.duplex;
    text +=
        shares.alike()
            ? fmt::format("  both directions at once: each keeps {} of its rate\n",
                          format_percent(shares.to_near))
            : fmt::format("  both directions at once: to near keeps {} of its rate, to far {}\n",
                          format_percent(shares.to_near), format_percent(shares.to_far));
  }
  for (const SharedRate& each : calibration.sustained) {
    text += fmt::format("  as nvbandwidth, {}: {:.2f} GB/s\n", each.direction, each.rate / 1e9);
  }
  for (const SharedRate& each : calibration.all_devices) {
    text += fmt::format("  {} of all {} devices at once: {} each\n", each.direction, each.devices,
                        rate_text(each.rate));
  }
  for (const RemoteCopy& remote : calibration.remote) {
    text += fmt::format("  {} of {} with memory node {}: {} of the near node's rate\n",
                        remote.direction, exact_bytes(remote.bytes), remote.node,
                        format_percent(remote.share));
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
        rate_text(faults.ns_per_byte > 0 ? 1e9 / faults.ns_per_byte : 1),
        time_text(faults.latency_ns), format_percent(faults.median_residual));
  }
  return text;
}

std::string memories(const Calibration& calibration) {
  std::string text;
  if (calibration.near_rate > 0) {
    text += fmt::format("  near memory: {} read plus written, a copy takes {} to begin\n",
                        rate_text(calibration.near_rate),
                        time_text(calibration.near_copy->line.latency_ns));
  }
  if (calibration.host_rate > 0) {
    text += fmt::format("  host memory: {} read plus written with all threads",
                        rate_text(calibration.host_rate));
    if (calibration.host_rate_one > 0) {
      text += fmt::format(", {} with one", rate_text(calibration.host_rate_one));
    }
    text += "\n";
  }
  for (const CostFit& cost : calibration.costs) {
    // Below a microsecond for each GB it does not grow.
    const double ns_per_gb = cost.fit.line.ns_per_byte * 1e9;
    text += fmt::format("  {}: {}", cost.name, time_text(cost.fit.line.latency_ns));
    if (ns_per_gb > 1000) text += fmt::format(" + {} for each GB", time_text(ns_per_gb));
    text += "\n";
  }
  return text.empty() ? text : "\nmemory\n" + text;
}

std::string launches(const Calibration& calibration) {
  std::string text;
  const LaunchFit& launch = calibration.launch;
  const auto part = [&](const char* label, const std::optional<double>& ns) {
    if (ns) text += fmt::format("  {}: {}\n", label, time_text(*ns));
  };
  part("an empty kernel among others", launch.time_ns);
  part("a launch costs the host", launch.issue_ns);
  part("launch to synchronised", launch.round_trip_ns);
  part("from stream to stream by an event", launch.event_wait_ns);
  return text.empty() ? text : "\nlaunches\n" + text;
}

/// Its picture as a table: medians, every fourth size.
std::string times_by_size(const Calibration& calibration) {
  constexpr std::array kModes{"pinned", "unified_prefetch", "pageable"};
  std::string text =
      fmt::format("{:>11}{:>39}{:>39}\n{:>11}", "", "to near memory", "to far memory", "size");
  for (int i = 0; i < 2; ++i)
    text += fmt::format("{:>13}{:>13}{:>13}", "pinned", "prefetch", "pageable");
  text += "\n";
  for (std::int64_t bytes = 4096; bytes <= std::int64_t{1} << 30; bytes *= 4) {
    std::string row;
    bool any = false;
    for (const char* direction : kDirections) {
      for (const char* mode : kModes) {
        std::string cell = "-";
        const TransferFit* fit = calibration.copy(mode, direction);
        for (const SizeFit& size : fit == nullptr ? std::vector<SizeFit>{} : fit->sizes) {
          if (size.bytes.count() != bytes) continue;
          cell = time_text(size.times.median);
          any = true;
        }
        row += fmt::format("{:>13}", cell);
      }
    }
    if (any) text += fmt::format("{:>11}{}\n", exact_bytes(Bytes(bytes)), row);
  }
  return text;
}

std::string figure_6(const Calibration& calibration) {
  std::string text =
      "\norder of the modes, as in the OOC-Paleo paper's figure 6 (DGX-1): pinned, prefetch, "
      "pageable\n";
  for (const Statement& statement : order_of_modes(calibration)) {
    const char* verdict = !statement.holds   ? "not measured"
                          : *statement.holds ? "reproduced"
                                             : "NOT reproduced";
    text += fmt::format("  {}: {} ({})\n", verdict, statement.claim, statement.figures);
  }
  return text + times_by_size(calibration);
}

std::string problems(const ReportInput& input) {
  std::string text;
  // Notes of many requests are often the same: each once, with how many had it.
  std::map<std::string, std::pair<std::size_t, std::string>> seen;
  const auto note = [&](const std::string& what, const std::string& request) {
    auto& [count, first] = seen[what];
    if (count++ == 0) first = request;
  };
  for (const SampleGroup& group : input.set.groups) {
    const std::string request = request_text(group.request);
    if (!group.error.empty()) note("refused: " + group.error, request);
    for (const std::string& each : group.notes) note(each, request);
    if (find_value(group.done, "stable") == "0") note("never became stable", request);
  }
  if (input.set.left_out > 0) {
    text +=
        fmt::format("  there was no time for {} requests; --from goes on\n", input.set.left_out);
  }
  for (const std::string& remark : input.remarks) text += "  " + remark + "\n";
  for (const auto& [what, where] : seen) {
    text += fmt::format("  {} ({}{})\n", what, where.second,
                        where.first > 1 ? fmt::format(" and {} more", where.first - 1) : "");
  }
  return text.empty() ? text : "\nto know\n" + text;
}

std::string assumed(const HardwareProfile& profile) {
  if (profile.assumed.empty()) return "\nnothing in the profile is assumed\n";
  return fmt::format("\nassumed, not measured: {}\n", fmt::join(profile.assumed, ", "));
}

}  // namespace

std::string calibration_report(const ReportInput& input) {
  return head(input) + copies(input.calibration) + worst_sizes(input.calibration) +
         link(input.calibration) + memories(input.calibration) + launches(input.calibration) +
         figure_6(input.calibration) + problems(input) + assumed(input.profile);
}

}  // namespace ooc
