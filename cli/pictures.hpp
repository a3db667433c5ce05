// --report and --plot: pictures of a result. The charts are drawn by reports/pages, JavaScript that
// scripts/build-pages bundles with its library (needs npm), found like other data.
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

class Pictures {
 public:
  /// Opens the files of the flags. Throws SpecError, before any work, if charts are not built or
  /// --plot finds no Node.js.
  explicit Pictures(const Arguments& arguments)
      : Pictures({flags::kReport, arguments.value(flags::kReport)},
                 {flags::kPlot, arguments.value(flags::kPlot)}) {}
  /// Flag with its file; unset: not given.
  struct Place {
    FlagName flag;
    std::optional<std::string> path;
  };
  Pictures(const Place& page, const Place& plot);

  [[nodiscard]] bool wanted() const { return page_ || plot_; }
  void finish(std::string_view title, std::span<const PageDocument> documents);

 private:
  std::string script_;  ///< path of the script
  std::string node_;    ///< path of Node.js
  std::optional<OutputFile> page_;
  std::optional<OutputFile> plot_;
};

}  // namespace ooc
