// Errors of predicted figures are told apart from those of fitted ones; order has none.
#include "reports/validation/validation_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace ooc {
namespace {

ErrorLine& line_of(std::vector<ErrorLine>& lines, const std::string& name, FigureKind kind,
                   bool networks) {
  for (ErrorLine& each : lines) {
    if (each.name == name && each.kind == kind && each.networks == networks) return each;
  }
  return lines.emplace_back(ErrorLine{.name = name, .kind = kind, .networks = networks});
}

/// Lines by `name_of(file, row)` and, if they are apart, by kind, in the order of the rows.
template <class NameOf>
std::vector<ErrorLine> lines_by(const ValidationReport& report, bool kinds_apart, NameOf name_of) {
  std::vector<ErrorLine> lines;
  for (const FileReport& file : report.files) {
    for (const FigureReport& row : file.rows) {
      ErrorLine& line =
          line_of(lines, name_of(file.file, row),
                  kinds_apart ? row.figure.kind : FigureKind::kPredicted, file.file.networks);
      ++line.figures;
      if (row.verdict != Verdict::kReported) ++line.judged;
      if (row.verdict == Verdict::kHolds || row.verdict == Verdict::kUnexpected) ++line.hold;
      if (row.figure.kind != FigureKind::kOrder && row.deviation) {
        line.deviations.push_back(*row.deviation);
      }
    }
  }
  return lines;
}

}  // namespace

ErrorStatistics errors_of(const FileReport& file) {
  std::vector<double> deviations;
  for (const FigureReport& row : file.rows) {
    if (row.deviation) deviations.push_back(*row.deviation);
  }
  return error_statistics(deviations);
}

std::size_t count_of(const ValidationReport& report, Verdict verdict,
                     std::optional<FigureKind> kind) {
  std::size_t count = 0;
  for (const FileReport& file : report.files) {
    if (file.file.networks) continue;
    for (const FigureReport& row : file.rows) {
      if (row.verdict == verdict && (!kind || row.figure.kind == *kind)) ++count;
    }
  }
  return count;
}

std::vector<ErrorLine> by_kind(const ValidationReport& report) {
  std::vector<ErrorLine> lines =
      lines_by(report, true, [](const FigureFile&, const FigureReport&) { return ""; });
  std::ranges::stable_sort(
      lines, {}, [](const ErrorLine& each) { return std::tie(each.kind, each.networks); });
  return lines;
}

std::vector<ErrorLine> by_group(const ValidationReport& report) {
  std::vector<ErrorLine> lines = lines_by(
      report, true, [](const FigureFile&, const FigureReport& row) { return row.figure.group; });
  std::erase_if(lines,
                [](const ErrorLine& each) { return each.name.empty() || each.deviations.empty(); });
  std::ranges::sort(lines, {},
                    [](const ErrorLine& each) { return std::tie(each.name, each.kind); });
  return lines;
}

std::vector<ErrorLine> by_job_kind(const ValidationReport& report) {
  std::vector<ErrorLine> lines;
  for (const FileReport& file : report.files) {
    for (const FigureReport& row : file.rows) {
      const bool counts =
          row.figure.kind == FigureKind::kPredicted && !row.job_kind.empty() && row.deviation;
      if (!counts) continue;
      // On its machine, and on any; ratios are of all.
      const std::string kind = row.job_kind.substr(0, row.job_kind.rfind(", on "));
      for (const std::string& name : std::set{row.job_kind, kind}) {
        ErrorLine& line = line_of(lines, name, FigureKind::kPredicted, true);
        ++line.figures;
        line.deviations.push_back(*row.deviation);
      }
    }
  }
  std::ranges::sort(lines, {}, &ErrorLine::name);
  return lines;
}

std::vector<ErrorLine> by_file(const ValidationReport& report, bool networks) {
  const auto name_of = [](const FigureFile& file) {
    return fmt::format("{:<4} {}", file.id, file.title);
  };
  std::vector<ErrorLine> lines = lines_by(
      report, networks, [&](const FigureFile& file, const FigureReport&) { return name_of(file); });
  std::erase_if(lines, [&](const ErrorLine& each) { return each.networks != networks; });
  for (const FileReport& file : report.files) {
    for (ErrorLine& each : lines) {
      if (file.file.networks && each.name == name_of(file.file)) each.goal = file.file.goal;
    }
  }
  return lines;
}

}  // namespace ooc
