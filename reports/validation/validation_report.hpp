// Verdicts on published figures and measured networks, with errors.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reports/validation/figures.hpp"

namespace ooc {

struct FileReport {
  FigureFile file;
  std::vector<FigureReport> rows = {};
};
[[nodiscard]] ErrorStatistics errors_of(const FileReport& file);

struct ValidationReport {
  std::vector<FileReport> files = {};
};

/// Returns the number of published figures with this verdict and of this kind; unset: of all kinds.
[[nodiscard]] std::size_t count_of(const ValidationReport& report, Verdict verdict,
                                   std::optional<FigureKind> kind = {});

/// Figures or measured networks whose errors form one line of a table.
struct ErrorLine {
  std::string name = {};  ///< group, file or kind of job
  FigureKind kind = FigureKind::kPredicted;
  bool networks = false;
  std::size_t figures = 0;
  std::size_t judged = 0;               ///< published figures with limits
  std::size_t hold = 0;                 ///< judged figures that hold
  std::optional<double> goal = {};      ///< target of a file of measured networks; unset: none
  std::vector<double> deviations = {};  ///< FigureReport::deviation, without FigureKind::kOrder
};
/// Returns a line for each FigureKind that occurs, predicted first; figures and networks have separate lines.
[[nodiscard]] std::vector<ErrorLine> by_kind(const ValidationReport& report);
/// Returns lines by group and kind, sorted, of figures and networks that have a group and a deviation.
[[nodiscard]] std::vector<ErrorLine> by_group(const ValidationReport& report);
/// Returns lines by kind of job, sorted: predicted iteration times and ratios. A time counts with and without machine.
[[nodiscard]] std::vector<ErrorLine> by_job_kind(const ValidationReport& report);
/// Returns a line for each file: of published figures or, with `networks`, of measured networks.
[[nodiscard]] std::vector<ErrorLine> by_file(const ValidationReport& report, bool networks);

}  // namespace ooc
