// SVG by hand: no script, no font files, no clock, so that the same samples give the same bytes. Colours are
// those of Okabe and Ito, which stay apart for most kinds of colour blindness; shapes differ as well.
#include "calibrate/session/plot_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "model/base/quantity_io.hpp"

namespace ooc {
namespace {

constexpr double kWidth = 1240;
constexpr double kHeight = 560;
constexpr double kPanelWidth = 500;
constexpr double kPanelHeight = 370;
constexpr double kTop = 86;
constexpr double kLefts[] = {94, 700};
constexpr int kSteps = 160;

struct Style {
  const char* mode;
  const char* label;
  const char* colour;
};
constexpr Style kStyles[] = {{"pinned", "pinned", "#0072B2"},
                             {"unified_prefetch", "unified, prefetch", "#009E73"},
                             {"pageable", "pageable", "#D55E00"},
                             {"unified_fault", "unified, on demand", "#CC79A7"}};

struct Range {
  double low = 0;
  double high = 0;
};

struct Axes {
  Range size;  ///< log2 of bytes
  Range time;  ///< log10 of ns
  double left = 0;
  [[nodiscard]] double x(double bytes) const {
    return left + kPanelWidth * (std::log2(bytes) - size.low) / (size.high - size.low);
  }
  [[nodiscard]] double y(double ns) const {
    const double part = (std::log10(ns) - time.low) / (time.high - time.low);
    return kTop + kPanelHeight * (1 - part);
  }
};

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<') {
      safe += "&lt;";
    } else if (c == '>') {
      safe += "&gt;";
    } else if (c == '&') {
      safe += "&amp;";
    } else if (c >= ' ' && c <= '~') {
      safe += c;
    }
  }
  return safe;
}

Axes axes_of(const Calibration& calibration) {
  Axes axes{.size = {12, 30}, .time = {3, 9}, .left = 0};
  double low = 1e300;
  double high = 0;
  double small = 1e300;
  double large = 0;
  for (const CopyFit& copy : calibration.copies) {
    for (const SizeFit& size : copy.fit.sizes) {
      const auto bytes = static_cast<double>(size.bytes.count());
      low = std::min(low, size.times.median);
      high = std::max(high, size.times.median);
      small = std::min(small, bytes);
      large = std::max(large, bytes);
    }
  }
  if (!(high > 0)) return axes;
  axes.size = {std::floor(std::log2(small)) - 0.3, std::ceil(std::log2(large)) + 0.3};
  axes.time = {std::log10(low) - 0.12, std::log10(high) + 0.18};
  return axes;
}

std::string text_at(double x, double y, const char* more, const std::string& words) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, more, words);
}

std::string line_from(double x1, double y1, double x2, double y2, const char* more) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1,
                     x2, y2, more);
}

std::string time_label(double ns) {
  if (ns >= 1e9) return fmt::format("{:.4g} s", ns / 1e9);
  return ns >= 1e6 ? fmt::format("{:.4g} ms", ns / 1e6) : fmt::format("{:.4g} us", ns / 1e3);
}

/// Powers of ten with 2 and 5 between them; the grid is drawn at all of them.
std::string time_grid(const Axes& axes) {
  std::string svg;
  const double right = axes.left + kPanelWidth;
  const int first = static_cast<int>(std::floor(axes.time.low));
  const int last = static_cast<int>(std::ceil(axes.time.high));
  for (int power = first; power <= last; ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double ns = factor * std::pow(10.0, power);
      const double at = std::log10(ns);
      if (at < axes.time.low || at > axes.time.high) continue;
      const double y = axes.y(ns);
      const bool is_power = factor < 1.5;
      svg += line_from(axes.left, y, right, y, is_power ? "class=\"major\"" : "class=\"minor\"");
      svg += text_at(axes.left - 7, y + 4, "class=\"tick\" text-anchor=\"end\"", time_label(ns));
    }
  }
  return svg;
}

std::string size_grid(const Axes& axes) {
  std::string svg;
  const int first = static_cast<int>(std::ceil(axes.size.low));
  const int last = static_cast<int>(std::floor(axes.size.high));
  for (int power = first; power <= last; ++power) {
    const double bytes = std::pow(2.0, power);
    const double x = axes.x(bytes);
    const bool labelled = power % 2 == 0;
    svg += line_from(x, kTop, x, kTop + kPanelHeight,
                     labelled ? "class=\"major\"" : "class=\"minor\"");
    if (!labelled) continue;
    svg += text_at(x, kTop + kPanelHeight + 17, "class=\"tick\" text-anchor=\"middle\"",
                   exact_bytes(Bytes(std::int64_t{1} << power)));
  }
  return svg;
}

std::string mark(const char* mode, double x, double y, const char* colour) {
  const std::string_view name(mode);
  const std::string fill = fmt::format("fill=\"{}\" stroke=\"#fff\" stroke-width=\"0.8\"", colour);
  if (name == "pinned") {
    return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" {}/>\n", x, y, fill);
  }
  if (name == "pageable") {
    return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"7.2\" height=\"7.2\" {}/>\n",
                       x - 3.6, y - 3.6, fill);
  }
  const double up = name == "unified_prefetch" ? -1 : 1;
  return fmt::format("<path d=\"M{:.1f} {:.1f} l4.6 {:.1f} h-9.2 z\" {}/>\n", x, y + 4.8 * up,
                     -8.0 * up, fill);
}

/// What a copy of that size takes by the profile: on demand it is transfer and faults together.
double kept_ns(const Calibration& calibration, const CopyFit& copy, Bytes bytes) {
  const bool faults = copy.mode == "unified_fault" && copy.direction == "to_near";
  if (faults && calibration.faults) return calibration.faults->at(bytes);
  return time_of(copy.fit.kept, bytes);
}

std::string curve(const Axes& axes, const Calibration& calibration, const CopyFit& copy,
                  const char* colour) {
  const double from = std::log2(static_cast<double>(copy.fit.sizes.front().bytes.count()));
  const double to = std::log2(static_cast<double>(copy.fit.sizes.back().bytes.count()));
  std::string points;
  for (int i = 0; i <= kSteps; ++i) {
    const double bytes = std::pow(2.0, from + (to - from) * i / kSteps);
    const double ns = kept_ns(calibration, copy, Bytes(std::llround(bytes)));
    points += fmt::format("{:.1f},{:.1f} ", axes.x(bytes), axes.y(ns));
  }
  points.pop_back();
  return fmt::format("<polyline points=\"{}\" class=\"fit\" stroke=\"{}\"{}/>\n", points, colour,
                     copy.fit.is_curve() ? " stroke-dasharray=\"7 3\"" : "");
}

std::string whiskers(const Axes& axes, const SizeFit& size, const char* colour) {
  const auto bytes = static_cast<double>(size.bytes.count());
  const double bottom = kTop + kPanelHeight;
  const double fastest = std::clamp(axes.y(std::max(1.0, size.times.min)), kTop, bottom);
  const double slowest = std::clamp(axes.y(size.times.max), kTop, bottom);
  if (fastest - slowest < 1) return "";
  const double x = axes.x(bytes);
  return line_from(x, fastest, x, slowest,
                   fmt::format("stroke=\"{}\" stroke-opacity=\"0.35\"", colour).c_str());
}

std::string panel(const Axes& axes, const Calibration& calibration, const char* direction,
                  const char* title) {
  std::string svg = time_grid(axes) + size_grid(axes);
  svg += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"frame\"/>\n",
      axes.left, kTop, kPanelWidth, kPanelHeight);
  svg += text_at(axes.left, kTop - 12, "class=\"panel\"", title);
  for (const Style& style : kStyles) {
    for (const CopyFit& copy : calibration.copies) {
      if (copy.mode != style.mode || copy.direction != direction) continue;
      for (const SizeFit& size : copy.fit.sizes) svg += whiskers(axes, size, style.colour);
      svg += curve(axes, calibration, copy, style.colour);
      for (const SizeFit& size : copy.fit.sizes) {
        const auto bytes = static_cast<double>(size.bytes.count());
        svg += mark(style.mode, axes.x(bytes), axes.y(size.times.median), style.colour);
      }
    }
  }
  const double middle = kTop + kPanelHeight / 2;
  svg += text_at(axes.left - 78, middle,
                 fmt::format("class=\"axis\" text-anchor=\"middle\" transform=\"rotate(-90 {:.1f} "
                             "{:.1f})\"",
                             axes.left - 78, middle)
                     .c_str(),
                 "time of one copy");
  return svg + text_at(axes.left + kPanelWidth / 2, kTop + kPanelHeight + 38,
                       "class=\"axis\" text-anchor=\"middle\"", "size of one copy");
}

std::string legend(const Calibration& calibration) {
  std::string svg;
  double x = kLefts[0];
  const double y = kHeight - 40;
  for (const Style& style : kStyles) {
    const bool shown = std::any_of(calibration.copies.begin(), calibration.copies.end(),
                                   [&](const CopyFit& copy) { return copy.mode == style.mode; });
    if (!shown) continue;
    svg += line_from(x, y, x + 30, y,
                     fmt::format("class=\"fit\" stroke=\"{}\"", style.colour).c_str());
    svg += mark(style.mode, x + 15, y, style.colour);
    svg += text_at(x + 38, y + 4, "class=\"axis\"", style.label);
    x += 56 + 7.2 * static_cast<double>(std::string_view(style.label).size());
  }
  svg +=
      text_at(kLefts[0], kHeight - 14, "class=\"tick\"",
              "points: medians, whiskers: fastest to slowest repetition; lines: what the profile "
              "keeps (solid: latency + rate, dashed: measured curve)");
  return svg;
}

}  // namespace

std::string transfer_plot_svg(const SampleSet& set, const Calibration& calibration) {
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\" font-family=\"Helvetica, Arial, sans-serif\">\n"
      "<style>.tick{{font-size:11px;fill:#444}}.axis{{font-size:13px;fill:#222}}"
      ".panel{{font-size:15px;font-weight:bold;fill:#222}}.title{{font-size:18px;font-weight:bold}}"
      ".major{{stroke:#ccc}}.minor{{stroke:#eee}}.frame{{fill:none;stroke:#666}}"
      ".fit{{fill:none;stroke-width:2}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      kWidth, kHeight);
  std::string title = find_value(set.machine, "device_name").value_or("unknown device");
  if (!set.date.empty()) title += ", " + set.date;
  if (set.backend != "cuda") title += " (" + set.backend + ", no real machine)";
  svg += text_at(kLefts[0], 36, "class=\"title\"", "Copy times: " + escaped(title));
  Axes axes = axes_of(calibration);
  axes.left = kLefts[0];
  svg += panel(axes, calibration, "to_near", "to near memory (host to device)");
  axes.left = kLefts[1];
  svg += panel(axes, calibration, "to_far", "to far memory (device to host)");
  return svg + legend(calibration) + "</svg>\n";
}

}  // namespace ooc
