// --report and --plot: the pictures of a result, beside it. The charts are drawn by reports/pages, a program in
// JavaScript that is bundled with its library where npm is (scripts/build-pages) and found like other data.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/output_file.hpp"
#include "reports/writers/page.hpp"

namespace ooc {

/// Throws SpecError for a file that another program would take for something else than SVG.
void check_plot_name(std::string_view flag, const std::string& path);

class Pictures {
 public:
  /// Opens what the flags name. Throws SpecError, before any work, where the charts are not built, or --plot finds
  /// no Node.js to draw them.
  explicit Pictures(const Arguments& arguments)
      : Pictures({flags::kReport, arguments.value(flags::kReport)},
                 {flags::kPlot, arguments.value(flags::kPlot)}) {}
  /// A flag and where it puts its picture, if anywhere.
  struct Place {
    FlagName flag;
    std::optional<std::string> path;
  };
  Pictures(const Place& page, const Place& plot);

  [[nodiscard]] bool wanted() const { return page_ || plot_; }
  void finish(std::string_view title, std::span<const PageDocument> documents);

 private:
  std::string script_;  ///< its path
  std::string node_;    ///< a program
  std::optional<OutputFile> page_;
  std::optional<OutputFile> plot_;
};

}  // namespace ooc
