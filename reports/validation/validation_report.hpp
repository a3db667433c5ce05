// What became of published figures and measured networks, and their errors.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reports/validation/figures.hpp"
#include "reports/validation/measured_networks.hpp"

namespace ooc {

struct FigureFileReport {
  FigureFile file;
  std::vector<FigureReport> rows = {};
};

struct ValidationReport {
  std::vector<MeasuredSetReport> measured = {};  ///< whole networks in core
  std::vector<FigureFileReport> files = {};
};

/// Rows that end with that verdict, of all kinds or of one.
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
  std::vector<double> deviations = {};  ///< none of order
};
/// By kind, predicted first; what there is none of is left out.
[[nodiscard]] std::vector<ErrorLine> by_kind(const ValidationReport& report);
/// Published figures with a deviation by group and kind, in the order of the files.
[[nodiscard]] std::vector<ErrorLine> by_group(const ValidationReport& report);
/// Published figures by file.
[[nodiscard]] std::vector<ErrorLine> by_file(const ValidationReport& report);

}  // namespace ooc
