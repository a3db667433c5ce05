// Reader of published figures and of sets of measured networks. A row takes from "all" what it does not say; of jobs,
// flag by flag.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "model/base/named.hpp"
#include "model/base/spec_tree.hpp"
#include "model/software/framework_json.hpp"
#include "reports/validation/figures.hpp"

namespace ooc {
namespace {

constexpr std::size_t kMostFigures = 100'000;
constexpr std::string_view kMeasuredFormat = "ooc-paleo/measured-networks";

class RowFields {
 public:
  RowFields(const SpecView& row, const std::optional<SpecView>& all) : row_(row), all_(all) {}
  [[nodiscard]] std::optional<SpecView> find(std::string_view key) const {
    const std::optional<SpecView> common = all_ ? all_->find(key) : std::nullopt;  // asked for, too
    const std::optional<SpecView> own = row_.find(key);
    return own ? own : common;
  }
  [[nodiscard]] SpecView get(std::string_view key) const {
    const std::optional<SpecView> found = find(key);
    return found ? *found : row_.get(key);
  }

 private:
  const SpecView& row_;
  const std::optional<SpecView>& all_;
};

std::string text_of(const SpecView& view) {
  std::string text = view.as_text();
  if (text.empty()) view.fail("an empty text", "some text");
  return text;
}

std::string text_of(const std::optional<SpecView>& view) { return view ? text_of(*view) : ""; }

/// Flags over those that are there; false leaves one out.
void read_job(const SpecView& view, Asked& asked) {
  for (const auto& [key, value] : view.members()) {
    switch (value.type()) {
      case SpecType::kText:
      case SpecType::kNumber:
        asked.job[key] = value.node().text;
        break;
      case SpecType::kBoolean:
        if (value.as_boolean()) {
          asked.job[key] = "";
        } else {
          asked.job.erase(key);
        }
        break;
      default:
        value.fail(value.found(), "a text, a number, true or false");
    }
  }
}

void read_asked(const std::optional<SpecView>& command, const std::optional<SpecView>& metric,
                Asked& asked) {
  if (command)
    asked.command = command->as_choice({"predict", "max-batch", "inspect", "copy", "replay"});
  if (metric) asked.metric = text_of(*metric);
}

/// "against" or "minus": another job, another metric, or both.
void read_against(const SpecView& view, Figure& figure) {
  Asked other = figure.asked;
  read_asked(view.find("command"), view.find("metric"), other);
  if (const auto job = view.find("job")) read_job(*job, other);
  view.reject_unknown_keys();
  if (other == figure.asked) view.fail("the row's own job and metric", "another job or metric");
  figure.against = std::move(other);
}

void read_between(const SpecView& view, Figure& figure) {
  const std::vector<SpecView> ends = view.items();
  if (ends.size() != 2) view.fail(view.found(), "a list of two: the lowest and the highest");
  if (ends[0].type() != SpecType::kNull) figure.low = ends[0].as_number();
  if (ends[1].type() != SpecType::kNull) figure.high = ends[1].as_number();
  if (!figure.low && !figure.high) view.fail("two open ends", "at least one that is not null");
}

Figure read_row(const SpecView& view, const std::optional<SpecView>& all,
                const std::string& source) {
  static constexpr SpecChoices<FigureKind, 3> kKinds{{{"predicted", FigureKind::kPredicted},
                                                      {"fitted", FigureKind::kFitted},
                                                      {"order", FigureKind::kOrder}}};
  const RowFields fields(view, all);
  Figure figure{.place = view, .name = text_of(view.get("name"))};
  if (const auto at = view.find("at")) figure.at = at->node().text;
  read_asked(fields.find("command"), fields.find("metric"), figure.asked);
  if (figure.asked.metric.empty()) view.fail("no \"metric\"", "a column of the result");
  if (const auto job = all ? all->find("job") : std::nullopt) read_job(*job, figure.asked);
  if (const auto job = view.find("job")) read_job(*job, figure.asked);
  const auto ratio = fields.find("against");
  const auto difference = fields.find("minus");
  if (ratio && difference) view.fail("\"against\" and \"minus\"", "one of the two");
  figure.is_difference = difference.has_value();
  if (ratio || difference) read_against(ratio ? *ratio : *difference, figure);
  if (const auto published = view.find("published")) {
    figure.is_truth = published->type() == SpecType::kBoolean;
    figure.published =
        figure.is_truth ? (published->as_boolean() ? 1.0 : 0.0) : published->as_number();
  }
  figure.unit = text_of(fields.find("unit"));
  if (const auto between = fields.find("between")) read_between(*between, figure);
  const auto tolerance = fields.find("tolerance");
  if (tolerance) figure.tolerance = tolerance->as_ratio(0, 10);
  if (tolerance && !figure.published) view.fail("no \"published\"", "it beside \"tolerance\"");
  const auto kind = fields.find("kind");
  if (!kind) view.fail("no \"kind\"", "\"predicted\", \"fitted\" or \"order\"");
  figure.kind = choice_of(*kind, kKinds);
  figure.group = text_of(fields.find("group"));
  const auto own_source = fields.find("source");
  figure.source = own_source ? text_of(*own_source) : source;
  figure.note = text_of(fields.find("note"));
  figure.known = text_of(view.find("known"));
  view.reject_unknown_keys();
  return figure;
}

/// Rows of a data set have one kind and one of its stacks of software.
class MeasuredRows {
 public:
  MeasuredRows(const SpecView& file, const std::optional<std::string>& framework) {
    static constexpr SpecChoices<FigureKind, 2> kRoles{
        {{"fitted", FigureKind::kFitted}, {"held out", FigureKind::kPredicted}}};
    kind_ = choice_of(file.get("role"), kRoles);
    for (const auto& [name, view] : file.get("software").members()) {
      names_.push_back(name);
      stacks_.push_back(read_stack(view, framework));
    }
    under_ = framework;
  }

  [[nodiscard]] Figure read(const SpecView& view, const std::optional<SpecView>& all,
                            const std::string& source) const {
    const RowFields fields(view, all);
    const std::int64_t batch = fields.get("batch").as_integer(1, kMaxBatch);
    std::map<std::string, std::string> job{
        {"network", fields.get("network").as_text()},
        {"hardware", fields.get("hardware").as_text()},
        {"batch", std::to_string(batch)},
        {"dtype", fields.get("dtype").as_choice(names_of(kDtypes))},
        {"measured", fields.get("measured")
                         .as_choice({"inference", "forward", "forward and backward", "training"})},
        {"software", fields.get("software").as_choice(names_)}};
    const auto at = std::ranges::find(names_, job["software"]) - names_.begin();
    const auto& software = stacks_[static_cast<std::size_t>(at)];
    const bool is_part = job["measured"] == "inference" || job["measured"] == "forward";
    Figure figure{
        .place = view,
        .name = fmt::format("{}, batch {}, {} {}, {}, {}", job["network"], batch, job["dtype"],
                            job["measured"], job["hardware"], job["software"]),
        .published = seconds_of(view, batch),
        .unit = "s",
        .kind = kind_,
        .source = source};
    figure.group = under_           ? "networks in core under " + *under_
                   : software->with ? "networks in core, other software than shipped"
                                    : "networks in core under " + software->framework;
    figure.asked = {.command = "time",
                    .job = std::move(job),
                    .metric = is_part ? "time_ns" : "iteration_time_ns",
                    .software = software};
    view.reject_unknown_keys();
    return figure;
  }

 private:
  static std::shared_ptr<const MeasuredSoftware> read_stack(
      const SpecView& view, const std::optional<std::string>& framework) {
    MeasuredSoftware stack{.framework = view.get("framework").as_text()};
    if (const auto with = view.find("with")) {
      Software checked;
      read_software(*with, checked);
      stack.with = *with;
    }
    if (const auto gradient = view.find("input_gradient")) {
      stack.input_gradient = gradient->as_boolean();
    }
    if (const auto far = view.find("far_parameters")) stack.far_parameters = far->as_boolean();
    view.reject_unknown_keys();
    if (framework) stack.framework = *framework;
    if (framework) stack.with.reset();
    return std::make_shared<const MeasuredSoftware>(std::move(stack));
  }

  static double above_zero(const SpecView& view, double value) {
    if (!(value > 0)) view.fail(view.found(), "more than nothing");
    return value;
  }
  /// Of the batch: "time", or "samples_per_s".
  static double seconds_of(const SpecView& view, std::int64_t batch) {
    const std::optional<SpecView> rate = view.find("samples_per_s");
    const std::optional<SpecView> time = view.find("time");
    if (rate && time) time->fail("a time beside \"samples_per_s\"", "one of the two");
    if (rate) return static_cast<double>(batch) / above_zero(*rate, rate->as_number());
    const SpecView stated = view.get("time");
    return above_zero(stated, static_cast<double>(stated.as_duration().count()) * 1e-9);
  }

  FigureKind kind_{};
  std::vector<std::string> names_;
  std::vector<std::shared_ptr<const MeasuredSoftware>> stacks_;  ///< by name
  std::optional<std::string> under_;
};

}  // namespace

bool is_measured_set(const SpecDocument& document) {
  return std::ranges::any_of(document.root.members, [](const auto& each) {
    return each.first == "format" && each.second.text == kMeasuredFormat;
  });
}

FigureFile read_figures(SpecDocument document, const std::optional<std::string>& framework) {
  const auto kept = std::make_shared<const SpecDocument>(std::move(document));
  const SpecView view(*kept);
  const bool networks = is_measured_set(*kept);
  (void)view.get("format").as_choice({"ooc-paleo/figures", std::string(kMeasuredFormat)});
  (void)view.get("version").as_integer(1, 1);
  FigureFile file{.document = kept,
                  .id = text_of(view.get("id")),
                  .title = text_of(view.get("title")),
                  .source = text_of(view.get("source")),
                  .conditions = text_of(view.find("conditions")),
                  .axis = text_of(view.find("axis")),
                  .networks = networks};
  const std::optional<SpecView> all = view.find("all");
  const SpecView rows = view.get("rows");
  const std::vector<SpecView> items = rows.items();
  if (items.empty() || items.size() > kMostFigures) {
    rows.fail(rows.found(), fmt::format("1 to {} rows", kMostFigures));
  }
  if (const auto left_out = view.find("left_out")) {
    for (const SpecView& item : left_out->items()) {
      const auto figures = item.get("figures").as_integer(1, kMostFigures);
      file.left_out.push_back({static_cast<std::size_t>(figures), text_of(item.get("reason"))});
      item.reject_unknown_keys();
    }
  }
  std::optional<MeasuredRows> measured;
  if (networks) {
    measured.emplace(view, framework);
    if (const auto goal = view.find("goal")) file.goal = goal->as_ratio(0, 10);
  }
  std::set<std::string> labels;
  for (const SpecView& item : items) {
    file.rows.push_back(measured ? measured->read(item, all, file.source)
                                 : read_row(item, all, file.source));
    const std::string label = label_of(file.rows.back());
    if (!labels.insert(label).second)
      item.fail("a second row " + in_quotes(label), "each row once");
  }
  if (all) all->reject_unknown_keys();
  view.reject_unknown_keys({"$schema"});
  return file;
}

}  // namespace ooc
