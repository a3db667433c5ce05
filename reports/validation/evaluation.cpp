// A run's text is a template: "{batch}" is the point's own word, "{floor(1.3 * base.max_batch)}" a
// formula, which may make other runs. A run without braces is made once for all points.
#include "reports/validation/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ooc {
namespace {

constexpr int kDeepest = 8;

const RowRun& run_named(const ValidationRow& row, const std::string& name) {
  const auto run = std::find_if(row.runs.begin(), row.runs.end(),
                                [&](const RowRun& each) { return each.name == name; });
  OOC_CHECK(run != row.runs.end(), "names of runs are checked when a row is read");
  return *run;
}

bool has_braces(const RowRun& run) {
  return (run.text + run.hardware + run.mode + run.size + run.layer).find('{') != std::string::npos;
}

std::string number_text(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                              : fmt::format("{}", value);
}

}  // namespace

Series Evaluation::of(const Expression& expression) {
  const Meanings meanings{
      .metric = [this](const std::string& run, const std::string& name,
                       const Expression& where) { return metric(run, name, where); },
      .parameter = [this](const std::string& name,
                          const Expression& where) { return parameter(name, where); }};
  return evaluate(expression, meanings);
}

std::string Evaluation::note(std::size_t point) const {
  const auto found = notes_.find(point);
  return found == notes_.end() ? "" : found->second;
}

void Evaluation::add_note(std::size_t point, const std::string& words) {
  std::string& note = notes_[point];
  if (note.find(words) == std::string::npos) note += (note.empty() ? "" : "; ") + words;
}

std::vector<std::string> Evaluation::labels() const {
  if (check_.points.empty() && !replay_labels_.empty()) return replay_labels_;
  return point_labels(check_.points);
}

Series Evaluation::parameter(const std::string& name, const Expression& where) const {
  for (const PointColumn& column : check_.points) {
    if (column.name != name) continue;
    if (std::isnan(column.numbers.front())) {
      fail_at(where.place, fmt::format("{}, whose points are texts", in_quotes(name)),
              "a list of numbers");
    }
    return column.numbers;
  }
  fail_at(where.place, fmt::format("the unknown name {}", in_quotes(name)),
          "one of the lists in \"points\"", "a number that a run yields is written run.metric");
}

Series Evaluation::metric(const std::string& run_name, const std::string& name,
                          const Expression& where) {
  const auto known_series = known_.find({run_name, name});
  if (known_series != known_.end()) return known_series->second;
  const RowRun& run = run_named(row_, run_name);
  const std::size_t points =
      has_braces(run) && run.kind != RowRun::Kind::kReplays ? point_count(check_.points) : 1;
  Series series;
  for (std::size_t i = 0; i < points; ++i) {
    const std::vector<RunFigures> all = figures(run, i);
    if (run.kind == RowRun::Kind::kReplays) replay_labels_.clear();
    for (const RunFigures& each : all) {
      if (each.numbers.empty()) {
        add_note(series.size(), run_name + " " + each.note);
        series.push_back(std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      const auto found = each.numbers.find(name);
      if (found == each.numbers.end()) {
        std::vector<std::string> known;
        for (const auto& [metric_name, value] : each.numbers) known.push_back(metric_name);
        const auto near = nearest_word(name, known);
        fail_at(where.place,
                fmt::format("{} of {} in {}", in_quotes(name), run_name, in_quotes(where.text)),
                fmt::format("one of {}", fmt::join(known, ", ")),
                near ? fmt::format("did you mean {}?", *near) : "");
      }
      if (std::isnan(found->second) && !each.note.empty()) {
        add_note(series.size(), run_name + " " + each.note);
      }
      if (run.kind == RowRun::Kind::kReplays) replay_labels_.push_back(each.label);
      series.push_back(found->second);
    }
  }
  known_.emplace(std::make_pair(run_name, name), series);
  return series;
}

std::vector<RunFigures> Evaluation::figures(const RowRun& run, std::size_t point) {
  if (depth_ >= kDeepest) {
    fail_at(run.place, "runs that wait for each other", "formulas in braces over earlier runs");
  }
  ++depth_;
  RowRun made = run;
  std::vector<RunFigures> all;
  for (std::string* text : {&made.text, &made.hardware, &made.mode, &made.size, &made.layer}) {
    const Filled words = filled(*text, run, point);
    *text = words.text;
    if (words.unknown.empty()) continue;
    all.push_back({.numbers = {},
                   .note = fmt::format("hangs on {}, which is not known", in_quotes(words.unknown)),
                   .label = {}});
    break;
  }
  if (all.empty()) all = make_run_(made);
  --depth_;
  return all;
}

Evaluation::Filled Evaluation::filled(const std::string& text, const RowRun& run,
                                      std::size_t point) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t open = text.find('{', i);
    out += text.substr(i, open - i);
    if (open == std::string::npos) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) {
      fail_at(run.place, "\"{\" without \"}\" in " + in_quotes(text), "both");
    }
    const std::string inner = text.substr(open + 1, close - open - 1);
    const auto column = std::find_if(check_.points.begin(), check_.points.end(),
                                     [&](const PointColumn& each) { return each.name == inner; });
    if (column != check_.points.end()) {
      out += column->texts[point];
    } else {
      const Expression formula = parse_expression(inner, run.place);
      for (const std::string& name : runs_in(formula)) {
        const auto known = std::find_if(row_.runs.begin(), row_.runs.end(),
                                        [&](const RowRun& each) { return each.name == name; });
        if (known == row_.runs.end()) {
          fail_at(run.place, fmt::format("the run {} in {}", in_quotes(name), in_quotes(inner)),
                  "a run of this row");
        }
      }
      const Series value = of(formula);
      const double number = value[value.size() == 1 ? 0 : point];
      if (std::isnan(number)) return {.text = text, .unknown = inner};
      out += number_text(number);
    }
    i = close + 1;
  }
  return {.text = out, .unknown = {}};
}

}  // namespace ooc
