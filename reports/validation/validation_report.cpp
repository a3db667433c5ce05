// Errors of predicted figures are told apart from those of fitted ones; order has none.
#include "reports/validation/validation_report.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ooc {
namespace {

constexpr std::array kKinds{FigureKind::kPredicted, FigureKind::kFitted, FigureKind::kOrder};

template <class Each>
void each_row(const ValidationReport& report, Each each) {
  for (const FigureFileReport& file : report.files) {
    for (const FigureReport& row : file.rows) each(row);
  }
}

/// Adds figures, then tells their errors.
class Sum {
 public:
  explicit Sum(FigureKind kind) { sum_.kind = kind; }
  void add(const FigureReport& row) {
    ++sum_.figures;
    if (row.verdict != Verdict::kReported) ++sum_.judged;
    if (row.verdict == Verdict::kHolds || row.verdict == Verdict::kUnexpected) ++sum_.hold;
    if (row.figure.kind != FigureKind::kOrder && row.deviation) {
      deviations_.push_back(*row.deviation);
    }
  }
  [[nodiscard]] KindReport done(std::string group = {}) {
    sum_.group = std::move(group);
    sum_.errors = error_statistics(deviations_);
    return sum_;
  }

 private:
  KindReport sum_;
  std::vector<double> deviations_;
};

}  // namespace

std::size_t count_of(const ValidationReport& report, Verdict verdict,
                     std::optional<FigureKind> kind) {
  std::size_t count = 0;
  each_row(report, [&](const FigureReport& row) {
    if (row.verdict == verdict && (!kind || row.figure.kind == *kind)) ++count;
  });
  return count;
}

std::vector<KindReport> kinds_of(const ValidationReport& report) {
  std::vector<KindReport> kinds;
  for (const FigureKind kind : kKinds) {
    Sum sum(kind);
    each_row(report, [&](const FigureReport& row) {
      if (row.figure.kind == kind) sum.add(row);
    });
    if (const KindReport figures = sum.done(); figures.figures > 0) kinds.push_back(figures);
    std::vector<double> deviations;
    for (const MeasuredSetReport& set : report.measured) {
      if (set.kind != kind) continue;
      for (const MeasuredRowReport& row : set.rows) deviations.push_back(row.deviation());
    }
    if (deviations.empty()) continue;
    kinds.push_back({.kind = kind,
                     .networks = true,
                     .figures = deviations.size(),
                     .errors = error_statistics(deviations)});
  }
  return kinds;
}

std::vector<KindReport> groups_of(const ValidationReport& report) {
  std::vector<std::string> names;
  each_row(report, [&](const FigureReport& row) {
    const std::string& name = row.figure.group;
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  });
  std::vector<KindReport> groups;
  for (const std::string& name : names) {
    for (const FigureKind kind : kKinds) {
      Sum sum(kind);
      each_row(report, [&](const FigureReport& row) {
        if (row.figure.kind == kind && row.figure.group == name) sum.add(row);
      });
      if (KindReport group = sum.done(name); group.errors.count > 0) groups.push_back(group);
    }
  }
  return groups;
}

KindReport sum_of(const FigureFileReport& file) {
  Sum sum(FigureKind::kPredicted);
  for (const FigureReport& row : file.rows) sum.add(row);
  return sum.done();
}

bool fails(const ValidationReport& report) {
  return count_of(report, Verdict::kFails) > count_of(report, Verdict::kFails, FigureKind::kOrder);
}

}  // namespace ooc
