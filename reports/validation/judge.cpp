// A figure that is not known never holds. A mark "known" changes what a failure is called, not whether it
// is one; a marked figure that holds is called out, so that marks do not outlive their causes.
#include "reports/validation/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ooc {
namespace {

double at(const Series& series, std::size_t i) { return series[series.size() == 1 ? 0 : i]; }

void check_sizes(const RowCheck& check, std::size_t predicted, std::size_t other,
                 std::string_view what) {
  if (other == 1 || other == predicted) return;
  fail_at(check.place, fmt::format("{} figures and {} of {}", predicted, other, what),
          "as many of both, or one");
}

/// One published number, or as many as figures.
Series published_of(const RowCheck& check, Evaluation& evaluation) {
  Series all;
  for (const Expression& each : check.published) {
    const Series series = evaluation.of(each);
    all.insert(all.end(), series.begin(), series.end());
  }
  return all;
}

/// What every rule with one prediction a figure starts from.
std::vector<PointReport> figures_of(const RowCheck& check, Evaluation& evaluation) {
  const Series predicted = evaluation.of(*check.predicted);
  const Series published = published_of(check, evaluation);
  if (!published.empty()) check_sizes(check, predicted.size(), published.size(), "them published");
  std::vector<PointReport> points(predicted.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    PointReport& point = points[i];
    point.predicted = {predicted[i]};
    if (published.empty()) continue;
    point.published = at(published, i);
    if (*point.published != 0 && !check.truth && !std::isnan(predicted[i])) {
      point.deviation = predicted[i] / *point.published - 1;
    }
  }
  return points;
}

Verdict verdict_of(bool holds) { return holds ? Verdict::kHolds : Verdict::kFails; }

std::vector<PointReport> judge(const WithinTolerance& rule, const RowCheck& check,
                               Evaluation& evaluation) {
  std::vector<PointReport> points = figures_of(check, evaluation);
  for (PointReport& point : points) {
    const double predicted = point.predicted[0];
    const double reference = *point.published;
    const bool holds = point.deviation
                           ? std::abs(predicted - reference) <= rule.share * std::abs(reference)
                           : predicted == reference;
    point.verdict = verdict_of(holds);
  }
  return points;
}

std::vector<PointReport> judge(const Between& rule, const RowCheck& check, Evaluation& evaluation) {
  std::vector<PointReport> points = figures_of(check, evaluation);
  const auto ends = [&](const std::optional<Expression>& end) {
    const Series series = end ? evaluation.of(*end) : Series{};
    if (end) check_sizes(check, points.size(), series.size(), "an end of \"between\"");
    return series;
  };
  const Series low = ends(rule.low);
  const Series high = ends(rule.high);
  for (std::size_t i = 0; i < points.size(); ++i) {
    PointReport& point = points[i];
    if (!low.empty()) point.low = at(low, i);
    if (!high.empty()) point.high = at(high, i);
    const double predicted = point.predicted[0];
    const bool above = !point.low || predicted >= *point.low;  // false for NaN, as below
    const bool below = !point.high || predicted <= *point.high;
    point.verdict = verdict_of(above && below && !std::isnan(predicted));
  }
  return points;
}

std::vector<PointReport> judge(const Encloses& rule, const RowCheck& check,
                               Evaluation& evaluation) {
  std::vector<PointReport> points = figures_of(check, evaluation);
  const Series to = evaluation.of(rule.to);
  check_sizes(check, points.size(), to.size(), "\"predicted_to\"");
  for (std::size_t i = 0; i < points.size(); ++i) {
    PointReport& point = points[i];
    point.predicted.push_back(at(to, i));
    point.deviation.reset();
    point.verdict = verdict_of(point.predicted[0] <= *point.published &&
                               *point.published <= point.predicted[1]);
  }
  return points;
}

std::vector<PointReport> judge(const Ascending& rule, const RowCheck& check,
                               Evaluation& evaluation) {
  std::vector<Series> all;
  std::size_t count = 1;
  for (const Expression& each : rule.of) {
    all.push_back(evaluation.of(each));
    count = std::max(count, all.back().size());
  }
  std::vector<PointReport> points(count);
  for (const Series& series : all) check_sizes(check, count, series.size(), "\"ascending\"");
  for (std::size_t i = 0; i < count; ++i) {
    PointReport& point = points[i];
    for (const Series& series : all) point.predicted.push_back(at(series, i));
    bool holds = true;
    for (std::size_t k = 1; k < point.predicted.size(); ++k) {
      holds = holds && point.predicted[k - 1] < point.predicted[k];
    }
    point.verdict = verdict_of(holds);
  }
  return points;
}

bool follows(Trend::Kind kind, double before, double after) {
  switch (kind) {
    case Trend::Kind::kRises:
      return after > before;
    case Trend::Kind::kFalls:
      return after < before;
    case Trend::Kind::kNeverRises:
      return after <= before;
    case Trend::Kind::kNeverFalls:
      return after >= before;
  }
  return false;
}

/// One figure: the whole series.
std::vector<PointReport> judge(const Trend& rule, const RowCheck& check, Evaluation& evaluation) {
  PointReport point;
  point.predicted = evaluation.of(*check.predicted);
  bool holds = point.predicted.size() >= 2;
  for (std::size_t i = 1; i < point.predicted.size(); ++i) {
    holds = holds && follows(rule.kind, point.predicted[i - 1], point.predicted[i]);
  }
  point.verdict = verdict_of(holds);
  return {point};
}

std::string rule_name(const Rule& rule) {
  if (std::holds_alternative<WithinTolerance>(rule)) return "tolerance";
  if (std::holds_alternative<Between>(rule)) return "between";
  if (std::holds_alternative<Encloses>(rule)) return "predicted_to";
  if (std::holds_alternative<Ascending>(rule)) return "ascending";
  switch (std::get<Trend>(rule).kind) {
    case Trend::Kind::kRises:
      return "rises";
    case Trend::Kind::kFalls:
      return "falls";
    case Trend::Kind::kNeverRises:
      return "never rises";
    case Trend::Kind::kNeverFalls:
      return "never falls";
  }
  return "";
}

bool is_marked(const Known& known, const std::string& point) {
  return known.points.empty() ||
         std::find(known.points.begin(), known.points.end(), point) != known.points.end();
}

/// Failures that are known become so called; a mark is outdated where all that it speaks of holds (named
/// points: where that one does).
void apply_mark(const Known& known, std::vector<PointReport>& points) {
  const bool any_fails = std::any_of(points.begin(), points.end(), [&](const PointReport& point) {
    return is_marked(known, point.point) && point.verdict == Verdict::kFails;
  });
  for (PointReport& point : points) {
    if (!is_marked(known, point.point)) continue;
    if (point.verdict == Verdict::kFails) {
      point.verdict = Verdict::kKnown;
    } else if (!any_fails || !known.points.empty()) {
      point.verdict = Verdict::kUnexpected;
    }
  }
}

CheckReport judge_check(const ValidationRow& row, const RowCheck& check, const MakeRun& make_run) {
  CheckReport report{.name = check.name,
                     .use = check.use,
                     .kind = kind_of(check),
                     .unit = check.unit,
                     .factor = check.factor,
                     .truth = check.truth,
                     .rule = rule_name(check.rule),
                     .tolerance = {},
                     .over = check.points,
                     .cause = check.known ? check.known->cause : check.pending,
                     .points = {}};
  if (const auto* within = std::get_if<WithinTolerance>(&check.rule)) {
    report.tolerance = within->share;
  }
  if (!check.pending.empty()) {
    PointReport point;
    point.verdict = Verdict::kNotRun;
    report.points.push_back(std::move(point));
    return report;
  }
  Evaluation evaluation(row, check, make_run);
  report.points =
      std::visit([&](const auto& rule) { return judge(rule, check, evaluation); }, check.rule);
  const std::vector<std::string> labels = evaluation.labels();
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    PointReport& point = report.points[i];
    if (report.points.size() == labels.size()) point.point = labels[i];
    point.note = evaluation.note(i);
  }
  if (check.known) apply_mark(*check.known, report.points);
  return report;
}

int severity(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return 0;
    case Verdict::kUnexpected:
      return 1;
    case Verdict::kNotRun:
      return 2;
    case Verdict::kKnown:
      return 3;
    case Verdict::kFails:
      return 4;
  }
  return 0;
}

template <class Each>
void each_point(const RowReport& row, Each each) {
  for (const CheckReport& check : row.checks) {
    for (const PointReport& point : check.points) each(check, point);
  }
}

void count(const RowReport& row, ValidationSummary& summary) {
  bool unexpected = false;
  bool graver_fails = false;
  each_point(row, [&](const CheckReport& check, const PointReport& point) {
    unexpected = unexpected || point.verdict == Verdict::kUnexpected;
    graver_fails = graver_fails || (point.verdict == Verdict::kFails && check.use != Use::kOrder);
  });
  ++summary.rows;
  if (unexpected) ++summary.unexpected;
  switch (row.verdict) {
    case Verdict::kHolds:
    case Verdict::kUnexpected:
      ++summary.hold;
      break;
    case Verdict::kFails:
      ++(graver_fails ? summary.fail : summary.fail_order);
      break;
    case Verdict::kKnown:
      ++summary.known;
      break;
    case Verdict::kNotRun:
      ++summary.not_run;
      break;
  }
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return "holds";
    case Verdict::kFails:
      return "FAILS";
    case Verdict::kKnown:
      return "fails (known)";
    case Verdict::kUnexpected:
      return "holds (marked)";
    case Verdict::kNotRun:
      return "not run";
  }
  return "";
}

std::string_view verdict_key(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return "holds";
    case Verdict::kFails:
      return "fails";
    case Verdict::kKnown:
      return "fails_known";
    case Verdict::kUnexpected:
      return "marked_but_holds";
    case Verdict::kNotRun:
      return "not_run";
  }
  return "";
}

RowReport judge_row(const ValidationRow& row, const MakeRun& make_run) {
  RowReport report{.file = row.file,
                   .id = row.id,
                   .title = row.title,
                   .source = row.source,
                   .conditions = row.conditions,
                   .axis = row.axis,
                   .checks = {}};
  for (const RowCheck& check : row.checks) {
    report.checks.push_back(judge_check(row, check, make_run));
  }
  each_point(report, [&](const CheckReport&, const PointReport& point) {
    if (severity(point.verdict) > severity(report.verdict)) report.verdict = point.verdict;
  });
  return report;
}

ValidationReport judge_rows(const std::vector<ValidationRow>& rows, const MakeRun& make_run) {
  ValidationReport report;
  for (const ValidationRow& row : rows) {
    report.rows.push_back(judge_row(row, make_run));
    count(report.rows.back(), report.summary);
  }
  return report;
}

std::vector<KindReport> kinds_of(const ValidationReport& report) {
  std::vector<KindReport> kinds;
  for (const FigureKind kind : {FigureKind::kPredicted, FigureKind::kFitted, FigureKind::kOrder}) {
    KindReport figures{.kind = kind, .networks = false, .errors = {}};
    std::vector<double> deviations;
    for (const RowReport& row : report.rows) {
      each_point(row, [&](const CheckReport& check, const PointReport& point) {
        if (check.kind != kind || point.verdict == Verdict::kNotRun) return;
        ++figures.figures;
        if (severity(point.verdict) <= severity(Verdict::kUnexpected)) ++figures.hold;
        if (kind != FigureKind::kOrder && point.deviation) deviations.push_back(*point.deviation);
      });
    }
    figures.errors = error_statistics(deviations);
    if (figures.figures > 0) kinds.push_back(figures);

    KindReport networks{.kind = kind, .networks = true, .errors = {}};
    deviations.clear();
    for (const MeasuredSetReport& set : report.measured) {
      if (set.kind != kind) continue;
      for (const MeasuredRowReport& row : set.rows) deviations.push_back(row.deviation());
    }
    networks.figures = deviations.size();
    networks.errors = error_statistics(deviations);
    if (networks.figures > 0) kinds.push_back(networks);
  }
  return kinds;
}

bool fails(const ValidationReport& report) { return report.summary.fail > 0; }

}  // namespace ooc
