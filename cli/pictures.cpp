#include "cli/pictures.hpp"

#include <fmt/format.h>

#include <chrono>

#include "cli/child_process.hpp"
#include "cli/interrupt.hpp"
#include "cli/locate.hpp"
#include "cli/options.hpp"
#include "cli/remarks.hpp"
#include "cli/text_file.hpp"
#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"

namespace ooc {
namespace {

constexpr int kPlotLimitMs = 60'000;
constexpr std::size_t kMostOfPlot = std::size_t{64} << 20;  // bytes

std::string script_for(std::string_view flag) {
  if (auto path = find_page_script()) return *std::move(path);
  bad_value(flag, "no charts: pages/report.js is not there",
            "it beside the program's data, or in the build folder of its sources",
            "scripts/build-pages makes it; it needs npm");
}

/// Debian has called it by either name.
std::string node_for(std::string_view flag) {
  for (const std::string_view name : {"node", "nodejs"}) {
    for (std::string& place : places_on_path(name)) {
      if (can_run(place)) return std::move(place);
    }
  }
  bad_value(flag, "no program node in PATH", "Node.js, which draws SVG outside a browser",
            "--report needs none: its page is drawn where it is opened");
}

/// The script writes the SVG in pieces, one a line, as lines have a largest length. Empty: there is nothing to draw.
std::string drawn_by(const std::string& node, const std::string& script,
                     std::span<const PageDocument> documents) {
  const auto fail = [&](std::string_view how) {
    bad_value(flags::kPlot.name, fmt::format("{} {}", node, how), "an SVG from it");
  };
  ChildProcess child(node, {script});
  if (!child.error().empty()) fail(child.error());
  const InterruptGuard guard;
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPlotLimitMs);
  const auto stop = [&] {
    if (InterruptGuard::interrupted()) {
      child.kill();  // it may hang
      throw Interrupted();
    }
    return std::chrono::steady_clock::now() > until;
  };
  if (child.write(plot_request(documents), kPlotLimitMs, stop) != ChildProcess::Wrote::kAll) {
    fail("did not read the result");
  }
  std::string svg;
  while (true) {
    const ChildProcess::Read read = child.read_line(kPlotLimitMs, stop);
    if (const auto* line = std::get_if<ChildProcess::Line>(&read)) {
      if (line->text.empty()) break;
      svg += line->text;
      if (svg.size() > kMostOfPlot) fail("does not end");
    } else if (const auto* ended = std::get_if<ChildProcess::Ended>(&read)) {
      fail(ended->how);
    } else {
      fail("did not answer");
    }
  }
  return svg;
}

/// Throws SpecError for a name with the extension of another format than SVG.
void check_plot_name(std::string_view flag, const std::string& path) {
  if (path == "-" || ending_of(path) == "svg") return;
  bad_value(flag, in_quotes(path), "a name that ends with .svg",
            "charts are drawn as SVG alone; browsers print pages of --report as PDF");
}

}  // namespace

Pictures::Pictures(const Place& page, const Place& plot) {
  if (plot.path) check_plot_name(plot.flag.text(), *plot.path);
  for (const Place* each : {&page, &plot}) {
    if (each->path) script_ = script_for(each->flag.text());
  }
  if (plot.path) node_ = node_for(plot.flag.text());
  if (page.path) page_.emplace(std::string(page.flag.text()), *page.path);
  if (plot.path) plot_.emplace(std::string(plot.flag.text()), *plot.path);
}

void Pictures::finish(std::string_view title, std::span<const PageDocument> documents) {
  if (page_) {
    const std::string script = read_text_file(script_, "");
    page_->finish(page_html({.title = title, .documents = documents, .script = script}));
  }
  if (!plot_) return;
  const std::string svg = drawn_by(node_, script_, documents);
  if (svg.empty()) return remark(Remarks::kShown, "no plot is written: nothing fits");
  plot_->finish(svg + "\n");
}

}  // namespace ooc
