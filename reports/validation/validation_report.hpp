// What became of published figures and measured networks, and their errors.
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
  bool networks = false;            ///< a set of measured networks: nothing is asked of its rows
  std::optional<double> goal = {};  ///< of networks: mean error that is aimed at
};
[[nodiscard]] ErrorStatistics errors_of(const FileReport& file);

struct ValidationReport {
  std::vector<FileReport> files = {};
};

/// Published figures that end with that verdict, of all kinds or of one.
[[nodiscard]] std::size_t count_of(const ValidationReport& report, Verdict verdict,
                                   std::optional<FigureKind> kind = {});

/// Figures, or measured networks, that are counted together.
struct ErrorLine {
  std::string name = {};  ///< of the group or file
  FigureKind kind = FigureKind::kPredicted;
  bool networks = false;
  std::size_t figures = 0;
  std::size_t judged = 0;               ///< of published figures: something is allowed
  std::size_t hold = 0;                 ///< of those
  std::optional<double> goal = {};      ///< of networks of one file
  std::vector<double> deviations = {};  ///< none of order
};
/// By kind, predicted first; what there is none of is left out.
[[nodiscard]] std::vector<ErrorLine> by_kind(const ValidationReport& report);
/// Published figures with a deviation by group and kind, sorted.
[[nodiscard]] std::vector<ErrorLine> by_group(const ValidationReport& report);
/// Published figures by file, or measured networks.
[[nodiscard]] std::vector<ErrorLine> by_file(const ValidationReport& report, bool networks);

}  // namespace ooc
