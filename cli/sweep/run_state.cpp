#include "cli/sweep/run_state.hpp"

#include <optional>

#include "model/base/json_writer.hpp"
#include "model/base/spec_tree.hpp"

namespace ooc {
namespace {

void put_failure(JsonWriter& json, const std::shared_ptr<const SpecError>& error) {
  if (!error) return;
  const auto& [file, place, found, expected, hint] = error->parts();
  json.begin_list("first_failure").value(file).value(place).value(found).value(expected);
  json.value(hint).end();
}

std::shared_ptr<const SpecError> failure_of(const SpecView& state) {
  const auto list = state.find("first_failure");
  if (!list) return nullptr;
  const std::vector<SpecView> parts = list->items();
  if (parts.size() != 5) list->fail(list->found(), "five texts");
  return std::make_shared<const SpecError>(SpecError::Parts{.file = parts[0].as_text(),
                                                            .place = parts[1].as_text(),
                                                            .found = parts[2].as_text(),
                                                            .expected = parts[3].as_text(),
                                                            .hint = parts[4].as_text()});
}

std::size_t count_of(const SpecView& view) {
  return static_cast<std::size_t>(view.as_integer(0, INT64_MAX));
}

std::int64_t number_of(const SpecView& view) { return view.as_integer(0, INT64_MAX); }

std::optional<BytesPerSecond> rate_in(const SpecView& view) {
  if (view.type() == SpecType::kNull) return std::nullopt;
  return BytesPerSecond(number_of(view));
}

NoKnee cause_of(const SpecView& view) {
  return static_cast<NoKnee>(view.as_integer(0, static_cast<int>(NoKnee::kOtherWaits)));
}

Knee knee_of(const SpecView& view) {
  const std::vector<SpecView> parts = view.items();
  if (parts.size() != 5) view.fail(view.found(), "five numbers");
  return {.row = count_of(parts[0]),
          .within_1_percent = rate_in(parts[1]),
          .within_5_percent = rate_in(parts[2]),
          .not_within_1_percent = cause_of(parts[3]),
          .not_within_5_percent = cause_of(parts[4])};
}

std::optional<LinkTime> time_of(const SpecView& view) {
  if (view.type() == SpecType::kNull) return std::nullopt;
  const std::vector<SpecView> parts = view.items();
  if (parts.size() != 10) view.fail(view.found(), "ten values");
  return LinkTime{.worked_out = parts[0].as_boolean(),
                  .feasible = parts[1].as_boolean(),
                  .iteration_time = Duration(number_of(parts[2])),
                  .reference_time = Duration(number_of(parts[3])),
                  .compute_time = Duration(number_of(parts[4])),
                  .recompute_time = Duration(number_of(parts[5])),
                  .fault_time = Duration(number_of(parts[6])),
                  .update_time = Duration(number_of(parts[7])),
                  .far_memory_binds = parts[8].as_boolean(),
                  .near_memory_binds = parts[9].as_boolean()};
}

std::optional<KneeSoFar> line_of(const SpecView& state, std::string_view key) {
  const auto line = state.find(key);
  if (!line) return std::nullopt;
  return KneeSoFar{.knee = knee_of(line->get("knee")),
                   .any_worked_out = line->get("any_worked_out").as_boolean(),
                   .fastest_link = BytesPerSecond(number_of(line->get("fastest_link"))),
                   .fastest = time_of(line->get("fastest")),
                   .at_infinite_link = time_of(line->get("at_infinite_link"))};
}

void put_kept_knee(JsonWriter& json, const Knee& knee) {
  json.value(knee.row).value(knee.within_1_percent).value(knee.within_5_percent);
  json.value(static_cast<int>(knee.not_within_1_percent));
  json.value(static_cast<int>(knee.not_within_5_percent)).end();
}

void put_time(JsonWriter& json, std::string_view key, const std::optional<LinkTime>& time) {
  if (!time) {
    json.member(key, nullptr);
    return;
  }
  json.begin_list(key).value(time->worked_out).value(time->feasible).value(time->iteration_time);
  json.value(time->reference_time).value(time->compute_time).value(time->recompute_time);
  json.value(time->fault_time).value(time->update_time);
  json.value(time->far_memory_binds).value(time->near_memory_binds).end();
}

void put_line(JsonWriter& json, std::string_view key, const std::optional<KneeSoFar>& line) {
  if (!line) return;
  json.begin_object(key).begin_list("knee");
  put_kept_knee(json, line->knee);
  json.member("any_worked_out", line->any_worked_out).member("fastest_link", line->fastest_link);
  put_time(json, "fastest", line->fastest);
  put_time(json, "at_infinite_link", line->at_infinite_link);
  json.end();
}

}  // namespace

std::string state_line(const RunState& state, std::span<const Knee> knees) {
  const SweepSummary& summary = state.summary;
  std::string line;
  JsonWriter json(line, JsonLayout::kLine);
  json.begin_object().member("rows", summary.rows).member("bytes", state.bytes);
  json.member("fitting", summary.fitting).member("failed", summary.failed);
  json.begin_object("lacking");
  for (const auto& [lacks, rows] : summary.lacking) json.member(lacks, rows);
  json.end();
  put_failure(json, summary.first_failure);
  json.begin_list("knees");
  for (const Knee& knee : knees) {
    json.begin_list();
    put_kept_knee(json, knee);
  }
  json.end().member("knees_in_all", summary.knees_in_all);
  put_line(json, "first_line", summary.first_line);
  put_line(json, "line", summary.line);
  json.member("complete", state.complete).end();
  return line;
}

RunState read_states(const std::vector<std::string>& lines, std::int64_t bytes,
                     const std::string& file) {
  RunState state;
  for (const std::string& line : lines) {
    const SpecDocument document = read_spec_text(line, file);
    const SpecView root(document);
    const std::int64_t until = root.get("bytes").as_integer(0, INT64_MAX);
    if (until > bytes) break;  // the machine went down before the rows were on its disk
    for (const SpecView& each : root.get("knees").items()) {
      state.summary.knees.push_back(knee_of(each));
    }
    state.summary.rows = count_of(root.get("rows"));
    state.summary.fitting = count_of(root.get("fitting"));
    state.summary.failed = count_of(root.get("failed"));
    for (const auto& [lacks, rows] : root.get("lacking").members()) {
      state.summary.lacking[lacks] = count_of(rows);
    }
    state.summary.first_failure = failure_of(root);
    state.summary.knees_in_all = count_of(root.get("knees_in_all"));
    state.summary.first_line = line_of(root, "first_line");
    state.summary.line = line_of(root, "line");
    state.bytes = until;
    state.complete = root.get("complete").as_boolean();
    ++state.lines;
  }
  return state;
}

}  // namespace ooc
