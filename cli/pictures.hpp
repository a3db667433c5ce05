// --report: a page with the charts of a result. The charts are drawn by JavaScript of reports/pages.
// scripts/build-pages bundles it with its library (needs npm); the program finds it like other data.
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
  /// Opens the file of the flag, if given. Throws SpecError, before any work, if charts are not built.
  explicit Pictures(const Arguments& arguments, FlagName flag = flags::kReport);

  [[nodiscard]] bool wanted() const { return page_.has_value(); }
  void finish(std::string_view title, std::span<const PageDocument> documents);

 private:
  std::string script_;  ///< path of the script
  std::optional<OutputFile> page_;
};

}  // namespace ooc
