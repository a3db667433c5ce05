#include "cli/sweep/closing.hpp"

#include <fmt/format.h>

#include "reports/writers/text_table.hpp"
#include "simulator/predict/framework_choice.hpp"

namespace ooc {

std::string closing_line(const SweepSummary& summary, std::size_t before,
                         std::span<const std::shared_ptr<const Framework>> frameworks) {
  std::string line = fmt::format("{} {}", summary.rows, summary.rows == 1 ? "row" : "rows");
  if (before > 0) line += fmt::format(", {} of them from before", before);
  for (const auto& each : frameworks) {
    const Framework& framework = framework_of(each);
    line += ", " + framework_text(framework.name, framework.meaning);
  }
  line += fmt::format(": {} ran", summary.fitting);
  if (const std::size_t lacking = summary.rows - summary.fitting - summary.failed; lacking > 0) {
    std::string causes;
    for (const auto& [lacks, rows] : summary.lacking) {
      causes += fmt::format("{}{} lack {}", causes.empty() ? "" : ", ", rows, lacks);
    }
    line += fmt::format(", {} do not fit ({})", lacking, causes);
  }
  if (summary.failed > 0) {
    line += fmt::format(", {} cannot be worked out, the first because of {}", summary.failed,
                        summary.first_failure->what());
  }
  return line;
}

}  // namespace ooc
