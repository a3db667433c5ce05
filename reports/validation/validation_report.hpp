// What became of the rows: prediction, reference, deviation, what is allowed, verdict.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/validation/validation_row.hpp"

namespace ooc {

enum class Verdict {
  kHolds,
  kFails,
  kKnown,       ///< fails, and the row says why
  kUnexpected,  ///< holds, though the row says that it fails: the mark is to be removed
  kNotRun,      ///< pending
};
[[nodiscard]] std::string_view verdict_name(Verdict verdict);  ///< for people
[[nodiscard]] std::string_view verdict_key(Verdict verdict);   ///< "fails_known"

/// One figure. Numbers are in base units; the check's `factor` turns them into its unit.
struct PointReport {
  std::string point;              ///< "" where there is one
  std::vector<double> predicted;  ///< one; two ends; all that are compared. NaN: not known
  std::optional<double> published;
  std::optional<double> deviation;  ///< predicted / published - 1
  std::optional<double> low;        ///< of "between"
  std::optional<double> high;
  Verdict verdict = Verdict::kHolds;
  std::string note;  ///< why a number is not known
};

struct CheckReport {
  std::string name;
  Use use = Use::kTight;
  FigureKind kind = FigureKind::kPredicted;
  std::string unit;
  double factor = 1;
  bool truth = false;
  std::string rule;  ///< "tolerance", "between", "predicted_to", "ascending", "rises", ...
  std::optional<double> tolerance;
  std::vector<PointColumn> over;  ///< what its points are
  std::string cause;              ///< of a known failure, or why it is not run
  std::vector<PointReport> points;
};

struct RowReport {
  std::string file;
  std::string id;
  std::string title;
  std::string source;
  std::string conditions;
  std::string axis;  ///< what the points are, for charts: "rate of the link, GB/s"
  std::vector<CheckReport> checks;
  Verdict verdict = Verdict::kHolds;  ///< the worst of its points
};

/// Rows by verdict; a row counts once, by the worst of its points.
struct ValidationSummary {
  int rows = 0;
  int hold = 0;
  int fail = 0;        ///< with a tight or band figure that fails
  int fail_order = 0;  ///< only order fails
  int known = 0;
  int not_run = 0;
  int unexpected = 0;  ///< rows with a figure that is marked and holds; counted in the above, too
};

/// One measured network.
struct MeasuredRowReport {
  std::string label;  ///< "vgg16, batch 64, float32, gtx-1080"
  double predicted_s = 0;
  double measured_s = 0;
  [[nodiscard]] double deviation() const { return predicted_s / measured_s - 1; }
};

/// |predicted / published - 1| over figures or measured networks.
struct ErrorStatistics {
  std::size_t count = 0;
  double mean = 0;
  double median = 0;
  double largest = 0;
  double bias = 0;  ///< mean of predicted / published - 1
};
[[nodiscard]] ErrorStatistics error_statistics(const std::vector<double>& deviations);

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
  std::vector<RowReport> rows;
  ValidationSummary summary;
};

/// Figures of rows, or measured networks, of one kind.
struct KindReport {
  FigureKind kind = FigureKind::kPredicted;
  bool networks = false;
  std::size_t figures = 0;  ///< that were run
  std::size_t hold = 0;     ///< of rows
  ErrorStatistics errors;   ///< of those with a deviation; none of order
};
/// Predicted ones first; what there is none of is left out.
[[nodiscard]] std::vector<KindReport> kinds_of(const ValidationReport& report);

}  // namespace ooc
