// From the answers of a row's jobs to its verdict. "known" changes what a failure is called, not whether it is one; a
// marked figure that holds is called out, so that marks do not outlive their causes.
#include <algorithm>
#include <cmath>

#include "model/base/errors.hpp"
#include "model/base/quantity_io.hpp"
#include "reports/validation/figures.hpp"

namespace ooc {
namespace {

/// Base units in one unit: 1e9 of "GB", 0.01 of "%", 1 of "images/s".
double factor_of(std::string_view unit) {
  if (unit.starts_with("%")) return 0.01;
  const std::string one = "1 " + std::string(unit);
  if (const auto bytes = parse_bytes(one); const auto* value = std::get_if<Bytes>(&bytes)) {
    return static_cast<double>(value->count());
  }
  if (const auto time = parse_duration(one); const auto* value = std::get_if<Duration>(&time)) {
    return static_cast<double>(value->count());
  }
  return 1;
}

Answer value_of(const Figure& figure, const Ask& ask) {
  Answer answer = ask(figure.asked, figure.place);
  if (figure.against) {
    const Answer other = ask(*figure.against, figure.place);
    answer.number =
        figure.is_difference ? answer.number - other.number : answer.number / other.number;
    if (answer.note.empty()) answer.note = other.note;
  }
  if (figure.unit == "% more") answer.number -= 1;
  if (figure.unit == "% less") answer.number = 1 - answer.number;
  answer.number /= factor_of(figure.unit);
  return answer;
}

Verdict verdict_of(const Figure& figure, double predicted) {
  if (!figure.tolerance && !figure.low && !figure.high) return Verdict::kReported;
  bool holds = !std::isnan(predicted);
  if (figure.tolerance) {
    holds = std::abs(predicted - *figure.published) <=
            *figure.tolerance * std::abs(*figure.published);  // false for NaN
  }
  if (figure.low) holds = holds && predicted >= *figure.low;
  if (figure.high) holds = holds && predicted <= *figure.high;
  if (figure.known.empty()) return holds ? Verdict::kHolds : Verdict::kFails;
  return holds ? Verdict::kUnexpected : Verdict::kKnown;
}

}  // namespace

std::string_view kind_name(FigureKind kind) {
  return text_at(kind, {"predicted", "fitted", "order"});
}

std::string_view verdict_name(Verdict verdict) {
  return text_at(verdict, {"holds", "FAILS", "fails (known)", "holds (marked)", ""});
}

std::string_view verdict_key(Verdict verdict) {
  return text_at(verdict, {"holds", "fails", "fails_known", "marked_but_holds", "reported"});
}

std::vector<std::string> words_of(const Asked& asked) {
  std::vector<std::string> words{asked.command};
  if (const auto network = asked.job.find("network"); network != asked.job.end()) {
    words.push_back(network->second);
  }
  for (const auto& [key, value] : asked.job) {
    if (key == "network") continue;
    std::string flag = "--" + key;
    std::ranges::replace(flag, '_', '-');
    words.push_back(std::move(flag));
    if (!value.empty()) words.push_back(value);
  }
  return words;
}

std::string label_of(const Figure& figure) {
  return figure.at.empty() ? figure.name : figure.name + ", " + figure.at;
}

FigureReport judge(const Figure& figure, const Ask& ask) {
  const Answer answer = value_of(figure, ask);
  FigureReport report{.figure = figure, .predicted = answer.number};
  if (figure.published && *figure.published != 0 && !figure.is_truth &&
      !std::isnan(answer.number)) {
    report.deviation = answer.number / *figure.published - 1;
  }
  report.verdict = verdict_of(figure, answer.number);
  const bool is_time = figure.asked.metric == "iteration_time_ns" && !figure.against;
  const bool is_ratio = figure.asked.metric == "iteration_time_ns" && figure.against;
  if (is_ratio && figure.group.find(" over ") != std::string::npos) report.job_kind = kRatioKind;
  if (is_time) report.job_kind = answer.job_kind;
  // Of several devices one was asked, without what they exchange.
  if (is_time && figure.group.starts_with("several devices")) {
    report.job_kind = "several devices" + answer.job_kind.substr(answer.job_kind.find(", "));
  }
  if (std::isnan(answer.number)) report.why = answer.note.empty() ? "not known" : answer.note;
  return report;
}

ErrorStatistics error_statistics(const std::vector<double>& deviations) {
  ErrorStatistics errors{.count = deviations.size()};
  if (deviations.empty()) return errors;
  std::vector<double> sizes;
  const auto count = static_cast<double>(deviations.size());
  for (const double deviation : deviations) {
    sizes.push_back(std::abs(deviation));
    errors.mean += sizes.back() / count;
    errors.bias += deviation / count;
  }
  std::ranges::sort(sizes);
  const std::size_t half = sizes.size() / 2;
  errors.median = sizes.size() % 2 == 1 ? sizes[half] : (sizes[half - 1] + sizes[half]) / 2;
  errors.largest = sizes.back();
  const auto [lowest, highest] = std::ranges::minmax_element(deviations);
  errors.lowest = *lowest;
  errors.highest = *highest;
  return errors;
}

}  // namespace ooc
