// Reader of data sets, and their errors.
#include "reports/validation/measured_networks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "model/base/spec_tree.hpp"
#include "model/software/framework_json.hpp"
#include "reports/validation/figures.hpp"

namespace ooc {
namespace {

constexpr std::string_view kFormat = "ooc-paleo/measured-networks";
constexpr std::size_t kMostRows = 10'000;

constexpr std::array<std::pair<std::string_view, MeasuredPass>, 4> kPasses{
    {{"inference", MeasuredPass::kInference},
     {"forward", MeasuredPass::kForward},
     {"forward and backward", MeasuredPass::kForwardBackward},
     {"training", MeasuredPass::kTraining}}};

MeasuredStack read_stack(const std::string& name, const SpecView& view) {
  MeasuredStack stack{.name = name, .framework = view.get("framework").as_text()};
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
  return stack;
}

double above_zero(const SpecView& view, double value) {
  if (!(value > 0)) view.fail(view.found(), "more than nothing");
  return value;
}

/// Of the batch: "time", or "samples_per_s".
double seconds_of(const SpecView& view, std::int64_t batch) {
  const std::optional<SpecView> rate = view.find("samples_per_s");
  const std::optional<SpecView> time = view.find("time");
  if (rate && time) time->fail("a time beside \"samples_per_s\"", "one of the two");
  if (rate) return static_cast<double>(batch) / above_zero(*rate, rate->as_number());
  const SpecView stated = view.get("time");
  return above_zero(stated, static_cast<double>(stated.as_duration().count()) * 1e-9);
}

/// Appends a row and its job.
void read_measured(const SpecView& view, const std::optional<SpecView>& all, FigureKind kind,
                   MeasuredSet& set) {
  const RowFields fields(view, all);
  MeasuredNetwork& job = set.networks.emplace_back();
  job.network = fields.get("network").as_text();
  job.hardware = fields.get("hardware").as_text();
  job.batch = fields.get("batch").as_integer(1, kMaxBatch);
  std::vector<std::string> dtypes;
  for (const DtypeInfo& info : kDtypes) dtypes.emplace_back(info.name);
  job.dtype = *find_dtype(fields.get("dtype").as_choice(dtypes));
  job.pass = choice_of(fields.get("measured"), kPasses);
  std::vector<std::string> names;
  for (const MeasuredStack& stack : set.stacks) names.push_back(stack.name);
  const std::string software = fields.get("software").as_choice(names);
  job.stack =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), software) - names.begin());
  set.file.rows.push_back(
      {.place = view,
       .name = fmt::format("{}, batch {}, {} {}, {}, {}", job.network, job.batch,
                           dtype_info(job.dtype).name, fields.get("measured").as_text(),
                           job.hardware, software),
       .published = seconds_of(view, job.batch),
       .unit = "s",
       .kind = kind,
       .source = set.file.source});
  view.reject_unknown_keys();
}

}  // namespace

bool is_measured_set(const SpecDocument& document) {
  for (const auto& [key, value] : document.root.members) {
    if (key == "format") return value.text == kFormat;
  }
  return false;
}

MeasuredSet read_measured_set(SpecDocument document) {
  const auto kept = std::make_shared<const SpecDocument>(std::move(document));
  const SpecView view(*kept);
  (void)view.find("$schema");
  (void)view.get("format").as_choice({std::string(kFormat)});
  (void)view.get("version").as_integer(1, 1);
  MeasuredSet set{.file = {.document = kept,
                           .id = view.get("id").as_text(),
                           .title = view.get("title").as_text(),
                           .source = view.get("source").as_text()}};
  if (const auto conditions = view.find("conditions")) set.file.conditions = conditions->as_text();
  static constexpr SpecChoices<FigureKind, 2> kRoles{
      {{"fitted", FigureKind::kFitted}, {"held out", FigureKind::kPredicted}}};
  const FigureKind kind = choice_of(view.get("role"), kRoles);
  if (const auto goal = view.find("goal")) set.goal = goal->as_ratio(0, 10);
  for (const auto& [name, stack] : view.get("software").members()) {
    set.stacks.push_back(read_stack(name, stack));
  }
  const std::optional<SpecView> all = view.find("all");
  const SpecView rows = view.get("rows");
  const std::vector<SpecView> items = rows.items();
  if (items.empty() || items.size() > kMostRows) {
    rows.fail(rows.found(), fmt::format("1 to {} rows", kMostRows));
  }
  for (const SpecView& item : items) read_measured(item, all, kind, set);
  if (all) all->reject_unknown_keys();
  view.reject_unknown_keys();
  return set;
}

}  // namespace ooc
