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

/// Returns the number of published figures with the verdict, of one kind or (unset) of all.
[[nodiscard]] std::size_t count_of(const ValidationReport& report, Verdict verdict,
                                   std::optional<FigureKind> kind = {});

/// Figures or measured networks that are counted together.
struct ErrorLine {
  std::string name = {};  ///< name of the group or file
  FigureKind kind = FigureKind::kPredicted;
  bool networks = false;
  std::size_t figures = 0;
  std::size_t judged = 0;               ///< of published figures: something is allowed
  std::size_t hold = 0;                 ///< of those
  std::optional<double> goal = {};      ///< of networks of one file
  std::vector<double> deviations = {};  ///< none of order
};
/// Returns a line for each kind that occurs, predicted first.
[[nodiscard]] std::vector<ErrorLine> by_kind(const ValidationReport& report);
/// Returns lines by group and kind, sorted, of published figures with a deviation.
[[nodiscard]] std::vector<ErrorLine> by_group(const ValidationReport& report);
/// Returns lines by kind of job, sorted, of predicted iteration times of figures and networks.
[[nodiscard]] std::vector<ErrorLine> by_job_kind(const ValidationReport& report);
/// Published figures by file, or measured networks.
[[nodiscard]] std::vector<ErrorLine> by_file(const ValidationReport& report, bool networks);

}  // namespace ooc
