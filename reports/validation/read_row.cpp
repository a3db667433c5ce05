// From a row's file to a ValidationRow. Everything that can be wrong without running anything is found
// here: keys, kinds, lengths of lists, formulas, names of runs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "model/base/spec_choice.hpp"
#include "reports/validation/validation_row.hpp"

namespace ooc {
namespace {

constexpr std::size_t kMostPoints = 1000;

/// A word that formulas can name: letters, digits, underscores; a letter first.
std::string name_of(const SpecView& view, const std::string& name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const bool good = !name.empty() && is_letter(name.front()) &&
                    std::all_of(name.begin(), name.end(),
                                [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
  if (!good) view.fail("the name " + in_quotes(name), "letters, digits and underscores");
  return name;
}

std::string text_of(const SpecView& view) {
  const std::string text = view.as_text();
  if (text.empty()) view.fail("an empty text", "some text");
  return text;
}

std::string optional_text(const SpecView& object, std::string_view key) {
  const auto value = object.find(key);
  return value ? text_of(*value) : "";
}

std::vector<std::string> texts_of(const SpecView& view) {
  if (view.type() == SpecType::kText) return {text_of(view)};
  std::vector<std::string> texts;
  for (const SpecView& item : view.items()) texts.push_back(text_of(item));
  if (texts.empty()) view.fail("an empty list", "at least one");
  return texts;
}

RowRun read_run(const std::string& name, const SpecView& view) {
  RowRun run{.name = name_of(view, name), .text = {}, .place = place_of(view)};
  if (view.type() == SpecType::kText) {
    run.text = text_of(view);
    return run;
  }
  if (const auto layer = view.find("layer")) {
    run.text = text_of(view.get("run"));
    run.layer = text_of(*layer);
  } else if (const auto files = view.find("replays")) {
    run.kind = RowRun::Kind::kReplays;
    run.files = texts_of(*files);
  } else if (const auto copy = view.find("copy")) {
    run.kind = RowRun::Kind::kCopy;
    run.hardware = text_of(copy->get("hardware"));
    run.mode = text_of(copy->get("mode"));
    run.direction = copy->get("direction").as_choice({"to_near", "to_far"});
    run.size = text_of(copy->get("size"));
    copy->reject_unknown_keys();
  } else {
    view.fail(
        view.found(),
        "a command line such as \"predict vgg16 --hardware m40 --batch 64\", or an object with "
        "\"layer\" and \"run\", \"replays\" or \"copy\"");
  }
  view.reject_unknown_keys();
  return run;
}

PointColumn read_column(const std::string& name, const SpecView& view) {
  PointColumn column{.name = name_of(view, name), .texts = {}, .numbers = {}};
  for (const SpecView& item : view.items()) {
    const bool number = item.type() == SpecType::kNumber;
    if (!number && item.type() != SpecType::kText) item.fail(item.found(), "a number or a text");
    column.texts.push_back(item.node().text);
    column.numbers.push_back(number ? item.as_number() : std::numeric_limits<double>::quiet_NaN());
  }
  if (column.texts.empty()) view.fail("an empty list", "at least one point");
  if (column.texts.size() > kMostPoints) {
    view.fail(view.found(), fmt::format("at most {} points", kMostPoints));
  }
  return column;
}

std::vector<PointColumn> read_points(const SpecView& view) {
  std::vector<PointColumn> columns;
  for (const auto& [name, list] : view.members()) {
    columns.push_back(read_column(name, list));
    if (columns.back().texts.size() != columns.front().texts.size()) {
      list.fail(list.found(), fmt::format("a list of {}, as {} has", columns.front().texts.size(),
                                          in_quotes(columns.front().name)));
    }
  }
  if (columns.empty()) view.fail("an empty object", "at least one list of points");
  return columns;
}

/// A number in the check's unit, a truth value, or a formula in base units.
Expression figure_of(const SpecView& view, double factor) {
  if (view.type() == SpecType::kNumber) {
    return constant_expression(view.as_number() * factor, place_of(view));
  }
  if (view.type() == SpecType::kBoolean) {
    return constant_expression(view.as_boolean() ? 1 : 0, place_of(view));
  }
  if (view.type() != SpecType::kText) view.fail(view.found(), "a number, or a formula in quotes");
  return parse_expression(view.as_text(), place_of(view));
}

void read_published(const SpecView& view, RowCheck& check) {
  const auto add = [&](const SpecView& item) {
    check.truth = check.truth || item.type() == SpecType::kBoolean;
    check.published.push_back(figure_of(item, check.factor));
  };
  if (view.type() != SpecType::kList) {
    add(view);
    return;
  }
  for (const SpecView& item : view.items()) add(item);
  const std::size_t points = point_count(check.points);
  if (check.published.size() != points) {
    view.fail(view.found(), points == 1 ? "one figure, for there are no points"
                                        : fmt::format("one for each of the {} points", points));
  }
}

Between read_between(const SpecView& view, double factor) {
  const std::vector<SpecView> ends = view.items();
  if (ends.size() != 2) view.fail(view.found(), "a list of two, the lowest and the highest");
  const auto end = [&](const SpecView& item) -> std::optional<Expression> {
    if (item.type() == SpecType::kNull) return std::nullopt;
    return figure_of(item, factor);
  };
  Between between{.low = end(ends[0]), .high = end(ends[1])};
  if (!between.low && !between.high) view.fail("two open ends", "at least one that is not null");
  return between;
}

Trend read_trend(const SpecView& view) {
  const std::vector<std::pair<std::string, Trend::Kind>> kinds{{"rises", Trend::Kind::kRises},
                                                        {"falls", Trend::Kind::kFalls},
                                                        {"never rises", Trend::Kind::kNeverRises},
                                                        {"never falls", Trend::Kind::kNeverFalls}};
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds) names.push_back(name);
  const std::string word = view.as_choice(names);
  const auto at = std::find(names.begin(), names.end(), word) - names.begin();
  return {.kind = kinds[static_cast<std::size_t>(at)].second};
}

/// The one rule that the check states.
Rule read_rule(const SpecView& view, const RowCheck& check) {
  const auto tolerance = view.find("tolerance");
  const auto between = view.find("between");
  const auto to = view.find("predicted_to");
  const auto ascending = view.find("ascending");
  const auto trend = view.find("trend");
  const int given = int(tolerance.has_value()) + int(between.has_value()) + int(to.has_value()) +
                    int(ascending.has_value()) + int(trend.has_value());
  if (given != 1) {
    view.fail(given == 0 ? "no rule" : fmt::format("{} rules", given),
              "one of \"tolerance\", \"between\", \"predicted_to\", \"ascending\", \"trend\"");
  }
  if (ascending) {
    Ascending rule;
    for (const SpecView& item : ascending->items()) {
      rule.of.push_back(figure_of(item, check.factor));
    }
    if (rule.of.size() < 2) ascending->fail(ascending->found(), "at least two formulas");
    return rule;
  }
  const bool wants_published = tolerance.has_value() || to.has_value();
  if (wants_published && check.published.empty()) {
    view.fail("no \"published\"",
              "\"published\" or \"measured\" beside \"tolerance\" or \"predicted_to\"");
  }
  if (tolerance) return WithinTolerance{.share = tolerance->as_ratio(0, 10)};
  if (between) return read_between(*between, check.factor);
  if (to) return Encloses{.to = figure_of(*to, check.factor)};
  if (point_count(check.points) < 2) trend->fail(trend->found(), "it with two points or more");
  return read_trend(*trend);
}

Known read_known(const SpecView& view, const RowCheck& check) {
  if (view.type() == SpecType::kText) return {.cause = text_of(view), .points = {}};
  Known known{.cause = text_of(view.get("cause")), .points = {}};
  const auto points = view.find("points");
  view.reject_unknown_keys();
  if (!points) return known;
  const std::vector<std::string> labels = point_labels(check.points);
  for (const SpecView& item : points->items()) {
    const std::string label = item.type() == SpecType::kNumber ? item.node().text : item.as_text();
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) {
      item.fail(item.found(), fmt::format("one of the points {}", fmt::join(labels, "; ")));
    }
    known.points.push_back(label);
  }
  return known;
}

Use read_use(const SpecView& view) {
  static constexpr SpecChoices<Use, 4> kUses{{{"tight", Use::kTight},
                                              {"band", Use::kBand},
                                              {"fitted", Use::kFitted},
                                              {"order", Use::kOrder}}};
  return choice_of(view, kUses);
}

void check_names(const Expression& expression, const ValidationRow& row, const RowCheck& check) {
  std::vector<std::string> runs;
  for (const RowRun& run : row.runs) runs.push_back(run.name);
  std::vector<std::string> parameters;
  for (const PointColumn& column : check.points) parameters.push_back(column.name);
  for (const Expression::Node& node : expression.nodes) {
    const bool metric = node.kind == Expression::Kind::kMetric;
    if (!metric && node.kind != Expression::Kind::kParameter) continue;
    const std::vector<std::string>& known = metric ? runs : parameters;
    if (std::find(known.begin(), known.end(), node.name) != known.end()) continue;
    const auto near = nearest_word(node.name, known);
    const std::string hint = near      ? fmt::format("did you mean {}?", *near)
                             : !metric ? "a number that a run yields is written run.metric"
                                       : "";
    fail_at(expression.place,
            fmt::format("{} at character {} of {}", in_quotes(node.name), node.offset + 1,
                        in_quotes(expression.text)),
            known.empty() ? std::string(metric ? "runs in this row"
                                               : "no name without a run: there are no points")
                          : fmt::format("one of {}", fmt::join(known, ", ")),
            hint);
  }
}

void check_names(const ValidationRow& row, const RowCheck& check) {
  if (check.predicted) check_names(*check.predicted, row, check);
  for (const Expression& each : check.published) check_names(each, row, check);
  if (const auto* between = std::get_if<Between>(&check.rule)) {
    if (between->low) check_names(*between->low, row, check);
    if (between->high) check_names(*between->high, row, check);
  }
  if (const auto* encloses = std::get_if<Encloses>(&check.rule)) {
    check_names(encloses->to, row, check);
  }
  if (const auto* ascending = std::get_if<Ascending>(&check.rule)) {
    for (const Expression& each : ascending->of) check_names(each, row, check);
  }
}

/// What a row says for all of its checks.
struct RowDefaults {
  std::optional<Use> use;
  std::vector<PointColumn> points;
};

RowCheck read_check(const SpecView& view, const ValidationRow& row, const RowDefaults& defaults) {
  RowCheck check{.name = optional_text(view, "name"),
                 .unit = optional_text(view, "unit"),
                 .points = defaults.points,
                 .predicted = {},
                 .published = {},
                 .rule = {},
                 .known = {},
                 .pending = optional_text(view, "pending"),
                 .place = place_of(view)};
  check.factor = unit_factor(check.unit);
  const auto own_use = view.find("use");
  if (!own_use && !defaults.use) {
    view.fail("no \"use\"", "it here or in the row: \"tight\", \"band\", \"fitted\" or \"order\"");
  }
  check.use = own_use ? read_use(*own_use) : *defaults.use;
  if (const auto points = view.find("points")) check.points = read_points(*points);
  const auto published = view.find("published");
  const auto measured = view.find("measured");
  if (published && measured) {
    view.fail("\"published\" and \"measured\"", "one of the two");
  }
  if (published || measured) read_published(published ? *published : *measured, check);
  const auto predicted = view.find("predicted");
  check.rule = read_rule(view, check);
  const bool ascending = std::holds_alternative<Ascending>(check.rule);
  if (predicted.has_value() == ascending) {
    view.fail(
        ascending ? "\"predicted\" beside \"ascending\"" : "no \"predicted\"",
        ascending ? "\"ascending\" alone: it lists the predictions" : "a formula in \"predicted\"");
  }
  if (predicted) check.predicted = figure_of(*predicted, check.factor);
  if (const auto known = view.find("known")) check.known = read_known(*known, check);
  view.reject_unknown_keys();
  check_names(row, check);
  return check;
}

}  // namespace

ValidationRow read_row(const SpecDocument& document) {
  const SpecView view(document);
  (void)view.get("format").as_choice({"ooc-paleo/validation-row"});
  (void)view.get("version").as_integer(1, 1);
  ValidationRow row{.file = document.file,
                    .id = text_of(view.get("id")),
                    .title = text_of(view.get("title")),
                    .source = text_of(view.get("source")),
                    .conditions = optional_text(view, "conditions"),
                    .axis = optional_text(view, "axis"),
                    .runs = {},
                    .checks = {}};
  RowDefaults defaults;
  if (const auto word = view.find("use")) defaults.use = read_use(*word);
  if (const auto points = view.find("points")) defaults.points = read_points(*points);
  for (const auto& [name, run] : view.get("runs").members()) {
    row.runs.push_back(read_run(name, run));
  }
  const SpecView checks = view.get("checks");
  for (const SpecView& check : checks.items())
    row.checks.push_back(read_check(check, row, defaults));
  if (row.checks.empty()) checks.fail("an empty list", "at least one check");
  view.reject_unknown_keys({"$schema"});
  return row;
}

ValidationRow read_row_file(const std::string& path, const ReadLimits& limits) {
  return read_row(read_spec_file(path, limits));
}

}  // namespace ooc
