// SVG by hand: no script, no font files, no clock, so that the same samples give the same bytes. Colours are
// those of Okabe and Ito, which stay apart for most kinds of colour blindness; shapes differ as well.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibrate/session/report.hpp"
#include "model/base/quantity_io.hpp"

namespace ooc {
namespace {

constexpr double kWidth = 1240, kHeight = 560;
constexpr double kPanelWidth = 500, kPanelHeight = 370, kTop = 86;
constexpr double kLefts[] = {94, 700};
constexpr int kSteps = 160;

struct Style {
  const char* mode;
  const char* label;
  const char* colour;
  const char* mark;  ///< a path around the point
};
constexpr Style kStyles[] = {
    {"pinned", "pinned", "#0072B2", "m-4 0 a4 4 0 1 0 8 0 a4 4 0 1 0 -8 0"},
    {"unified_prefetch", "unified, prefetch", "#009E73", "m0 -5 l4.6 8 h-9.2 z"},
    {"pageable", "pageable", "#D55E00", "m-3.6 -3.6 h7.2 v7.2 h-7.2 z"},
    {"unified_fault", "unified, on demand", "#CC79A7", "m0 5 l4.6 -8 h-9.2 z"}};

std::string text_at(double x, double y, const std::string& more, const std::string& words) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, more, words);
}

std::string line_from(double x1, double y1, double x2, double y2, const std::string& more) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1,
                     x2, y2, more);
}

std::string mark_at(double x, double y, const Style& style) {
  return fmt::format("<path d=\"M{:.1f} {:.1f} {}\" fill=\"{}\" stroke=\"#fff\"/>\n", x, y,
                     style.mark, style.colour);
}

class Plot {
 public:
  explicit Plot(const Calibration& calibration) : calibration_(calibration) {
    for (const CopyFit& copy : calibration.copies) {
      for (const SizeFit& size : copy.fit.sizes) {
        const double bytes = std::log2(static_cast<double>(size.bytes.count()));
        const double ns = std::log10(size.times.median);
        smallest_ = std::min(smallest_, bytes - 0.3);
        largest_ = std::max(largest_, bytes + 0.3);
        fastest_ = std::min(fastest_, ns - 0.12);
        slowest_ = std::max(slowest_, ns + 0.18);
      }
    }
    if (smallest_ > largest_) smallest_ = 12, largest_ = 30, fastest_ = 3, slowest_ = 9;
  }

  std::string panel(double left, const char* direction, const char* title) {
    left_ = left;
    std::string svg = grid();
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"frame\"/>\n",
        left, kTop, kPanelWidth, kPanelHeight);
    svg += text_at(left, kTop - 12, "class=\"panel\"", title);
    for (const Style& style : kStyles) {
      for (const CopyFit& copy : calibration_.copies) {
        if (copy.mode == style.mode && copy.direction == direction) svg += curve(copy, style);
      }
    }
    const double middle = kTop + kPanelHeight / 2;
    svg += text_at(left - 78, middle,
                   fmt::format("class=\"axis\" text-anchor=\"middle\" transform=\"rotate(-90 "
                               "{:.1f} {:.1f})\"",
                               left - 78, middle),
                   "time of one copy");
    return svg + text_at(left + kPanelWidth / 2, kTop + kPanelHeight + 38,
                         "class=\"axis\" text-anchor=\"middle\"", "size of one copy");
  }

  [[nodiscard]] std::string legend() const {
    std::string svg;
    double x = kLefts[0];
    constexpr double kY = kHeight - 40;
    for (const Style& style : kStyles) {
      if (calibration_.copy(style.mode, "to_near") == nullptr &&
          calibration_.copy(style.mode, "to_far") == nullptr) {
        continue;
      }
      svg += line_from(x, kY, x + 30, kY, fmt::format("class=\"fit\" stroke=\"{}\"", style.colour));
      svg += mark_at(x + 15, kY, style) + text_at(x + 38, kY + 4, "class=\"axis\"", style.label);
      x += 56 + 7.2 * static_cast<double>(std::string_view(style.label).size());
    }
    return svg + text_at(kLefts[0], kHeight - 14, "class=\"tick\"",
                         "points: medians, whiskers: fastest to slowest repetition; lines: what "
                         "the profile keeps (solid: latency + rate, dashed: measured curve)");
  }

 private:
  [[nodiscard]] double x(double bytes) const {
    return left_ + kPanelWidth * (std::log2(bytes) - smallest_) / (largest_ - smallest_);
  }
  [[nodiscard]] double y(double ns) const {
    const double part = (std::log10(std::max(1.0, ns)) - fastest_) / (slowest_ - fastest_);
    return kTop + kPanelHeight * (1 - std::clamp(part, 0.0, 1.0));
  }

  /// Powers of ten with 2 and 5 between them, and powers of four.
  [[nodiscard]] std::string grid() const {
    std::string svg;
    for (int power = static_cast<int>(fastest_); power <= static_cast<int>(slowest_); ++power) {
      for (const int factor : {1, 2, 5}) {
        const double ns = factor * std::pow(10.0, power);
        if (std::log10(ns) < fastest_ || std::log10(ns) > slowest_) continue;
        svg += line_from(left_, y(ns), left_ + kPanelWidth, y(ns), "class=\"grid\"");
        svg +=
            text_at(left_ - 7, y(ns) + 4, "class=\"tick\" text-anchor=\"end\"",
                    fmt::format("{:g} {}", ns < 1e6 ? ns / 1e3 : ns / 1e6, ns < 1e6 ? "us" : "ms"));
      }
    }
    const auto last = static_cast<int>(largest_);
    for (int power = 2 * static_cast<int>(std::ceil(smallest_ / 2)); power <= last; power += 2) {
      const double at = x(std::pow(2.0, power));
      svg += line_from(at, kTop, at, kTop + kPanelHeight, "class=\"grid\"");
      svg += text_at(at, kTop + kPanelHeight + 17, "class=\"tick\" text-anchor=\"middle\"",
                     exact_bytes(Bytes(std::int64_t{1} << power)));
    }
    return svg;
  }

  /// What the profile says; on demand it is transfer and faults together.
  [[nodiscard]] double kept_ns(const CopyFit& copy, Bytes bytes) const {
    const bool faults = copy.mode == "unified_fault" && copy.direction == "to_near";
    if (faults && calibration_.faults) return calibration_.faults->at(bytes);
    return time_of(copy.fit.kept, bytes);
  }

  [[nodiscard]] std::string curve(const CopyFit& copy, const Style& style) const {
    std::string points;
    std::string marks;
    for (const SizeFit& size : copy.fit.sizes) {
      const double at = x(static_cast<double>(size.bytes.count()));
      marks += line_from(at, y(size.times.min), at, y(size.times.max),
                         fmt::format("stroke=\"{}\" stroke-opacity=\"0.35\"", style.colour));
      marks += mark_at(at, y(size.times.median), style);
    }
    const double from = std::log2(static_cast<double>(copy.fit.sizes.front().bytes.count()));
    const double to = std::log2(static_cast<double>(copy.fit.sizes.back().bytes.count()));
    for (int i = 0; i <= kSteps; ++i) {
      const double bytes = std::pow(2.0, from + (to - from) * i / kSteps);
      points += fmt::format("{}{:.1f},{:.1f}", i == 0 ? "" : " ", x(bytes),
                            y(kept_ns(copy, Bytes(std::llround(bytes)))));
    }
    return fmt::format("<polyline points=\"{}\" class=\"fit\" stroke=\"{}\"{}/>\n", points,
                       style.colour, copy.fit.is_curve() ? " stroke-dasharray=\"7 3\"" : "") +
           marks;
  }

  const Calibration& calibration_;
  double smallest_ = 1e3, largest_ = 0;  ///< log2 of bytes
  double fastest_ = 1e3, slowest_ = 0;   ///< log10 of ns
  double left_ = 0;
};

}  // namespace

std::string transfer_plot_svg(const SampleSet& set, const Calibration& calibration) {
  std::string title = "Copy times: ";
  for (const char c : find_value(set.machine, "device_name").value_or("unknown device")) {
    if (c < ' ' || c > '~') continue;
    title += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  if (!set.date.empty()) title += ", " + set.date;
  if (set.backend != "cuda") title += " (" + set.backend + ", no real machine)";
  Plot plot(calibration);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
             "height=\"{1}\" role=\"img\" font-family=\"Helvetica, Arial, sans-serif\">\n"
             "<style>.tick{{font-size:11px;fill:#444}}.axis{{font-size:13px;fill:#222}}"
             ".panel{{font-size:15px;font-weight:bold;fill:#222}}"
             ".title{{font-size:18px;font-weight:bold}}.grid{{stroke:#ccc}}"
             ".frame{{fill:none;stroke:#666}}.fit{{fill:none;stroke-width:2}}</style>\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
             kWidth, kHeight) +
         text_at(kLefts[0], 36, "class=\"title\"", title) +
         plot.panel(kLefts[0], "to_near", "to near memory (host to device)") +
         plot.panel(kLefts[1], "to_far", "to far memory (device to host)") + plot.legend() +
         "</svg>\n";
}

}  // namespace ooc
