// What became of published figures and measured networks, and the errors of each kind.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reports/validation/figures.hpp"

namespace ooc {

struct FigureFileReport {
  FigureFile file;
  std::vector<FigureReport> rows;
};

/// One measured network.
struct MeasuredRowReport {
  std::string label;  ///< "vgg16, batch 64, float32, gtx-1080"
  double predicted_s = 0;
  double measured_s = 0;
  [[nodiscard]] double deviation() const { return predicted_s / measured_s - 1; }
};

struct MeasuredSetReport {
  std::string file;
  std::string id;
  std::string title;
  std::string source;
  std::string conditions;
  FigureKind kind = FigureKind::kPredicted;
  std::optional<double> goal;  ///< mean error that is aimed at
  std::vector<MeasuredRowReport> rows;
  ErrorStatistics errors;
};

struct ValidationReport {
  std::vector<MeasuredSetReport> measured;  ///< whole networks in core
  std::vector<FigureFileReport> files;
};

/// Rows that end with that verdict, of all kinds or of one.
[[nodiscard]] std::size_t count_of(const ValidationReport& report, Verdict verdict,
                                   std::optional<FigureKind> kind = {});

/// Figures, or measured networks, of one kind.
struct KindReport {
  FigureKind kind = FigureKind::kPredicted;
  bool networks = false;
  std::string group = {};  ///< groups_of: which kind of job
  std::size_t figures = 0;
  std::size_t judged = 0;  ///< of published figures: something is allowed
  std::size_t hold = 0;    ///< of those
  ErrorStatistics errors;  ///< of those with a deviation; none of order
};
/// Predicted ones first; what there is none of is left out.
[[nodiscard]] std::vector<KindReport> kinds_of(const ValidationReport& report);
/// Published figures with a deviation by their groups, in the order of the files; none of order.
[[nodiscard]] std::vector<KindReport> groups_of(const ValidationReport& report);

/// Figures of one file, of all kinds; errors are those of figures that are no order.
[[nodiscard]] KindReport sum_of(const FigureFileReport& file);

/// Whether a figure fails that is neither known to nor of order.
[[nodiscard]] bool fails(const ValidationReport& report);

}  // namespace ooc
