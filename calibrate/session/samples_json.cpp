// Reader and writer of the samples' JSON. The writer puts every metric on one line: a file of a full
// calibration has some ten thousand times, and a diff of two should be readable.
#include <fmt/format.h>

#include "calibrate/session/json_words.hpp"
#include "calibrate/session/samples.hpp"
#include "model/base/errors.hpp"
#include "model/base/spec_tree.hpp"

namespace ooc {
namespace {

constexpr const char* kFormat = "ooc-paleo/samples";

void put_metric(JsonWriter& json, const MetricSamples& metric) {
  json.begin_object().member("metric", json_bytes(metric.metric));
  json.member("timer", json_bytes(metric.timer));
  if (!metric.attributes.empty()) put_texts(json, "attributes", metric.attributes);
  json.begin_list("ns");
  for (const double ns : metric.ns) json.value(JsonText{fmt::format("{}", ns)});  // shortest
  json.end().end();
}

const char* state_name(GroupState state) {
  switch (state) {
    case GroupState::kOpen:
      return "open";
    case GroupState::kDone:
      return "done";
    case GroupState::kRefused:
      break;
  }
  return "refused";
}

void put_group(JsonWriter& json, const SampleGroup& group) {
  json.line(4).begin_object();
  put_texts(json, "request", group.request);
  json.line(5).member("state", state_name(group.state));
  if (!group.error.empty()) json.member("error", json_bytes(group.error));
  if (!group.done.empty()) put_texts(json, "done", group.done);
  if (!group.notes.empty()) {
    json.line(5).begin_list("notes");
    for (const std::string& note : group.notes) json.value(json_bytes(note));
    json.end();
  }
  json.line(5).begin_list("metrics");
  for (const MetricSamples& metric : group.metrics) put_metric(json.line(7), metric);
  json.end().end();
}

/// What json_bytes wrote, as the bytes it was.
std::string bytes_of_text(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if ((lead == 0xc2 || lead == 0xc3) && i + 1 < text.size()) {
      const auto next = static_cast<unsigned char>(text[++i]);
      bytes += static_cast<char>(((lead & 3U) << 6) | (next & 0x3fU));
    } else {
      bytes += text[i];
    }
  }
  return bytes;
}

KeyValues read_object(const SpecView& view) {
  KeyValues values;
  for (const auto& [key, value] : view.members())
    values.emplace_back(key, bytes_of_text(value.as_text()));
  return values;
}

std::string text_or_empty(const SpecView& view, std::string_view key) {
  const auto value = view.find(key);
  return value ? bytes_of_text(value->as_text()) : "";
}

MetricSamples read_metric(const SpecView& view) {
  MetricSamples metric{.metric = bytes_of_text(view.get("metric").as_text()),
                       .timer = text_or_empty(view, "timer"),
                       .attributes = {},
                       .ns = {}};
  if (const auto attributes = view.find("attributes")) metric.attributes = read_object(*attributes);
  for (const SpecView& time : view.get("ns").items()) {
    const double ns = time.as_number();
    if (!(ns >= 0) || ns > 9e15) time.fail(time.found(), "a time in ns, 0 to 9e15");
    metric.ns.push_back(ns);
  }
  view.reject_unknown_keys();
  return metric;
}

SampleGroup read_group(const SpecView& view) {
  SampleGroup group;
  const SpecView request = view.get("request");
  group.request = identity_of(read_object(request));
  if (!find_value(group.request, "what")) request.fail("no \"what\"", "what was measured");
  const std::string state = view.get("state").as_choice({"open", "done", "refused"});
  group.state = state == "open"   ? GroupState::kOpen
                : state == "done" ? GroupState::kDone
                                  : GroupState::kRefused;
  group.error = text_or_empty(view, "error");
  if (const auto done = view.find("done")) group.done = read_object(*done);
  if (const auto notes = view.find("notes")) {
    for (const SpecView& note : notes->items())
      group.notes.push_back(bytes_of_text(note.as_text()));
  }
  for (const SpecView& metric : view.get("metrics").items()) {
    group.metrics.push_back(read_metric(metric));
  }
  view.reject_unknown_keys();
  return group;
}

}  // namespace

JsonText json_bytes(std::string_view bytes) {
  std::string quoted = "\"";
  for (const char c : bytes) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c < 0x20 || c > 0x7e) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      quoted += c;
    }
  }
  return {quoted + '"'};
}

void put_texts(JsonWriter& json, std::string_view its_key, const KeyValues& values) {
  json.begin_object(its_key);
  for (const auto& [key, value] : values) json.member(key, json_bytes(value));
  json.end();
}

std::string write_samples(const SampleSet& set) {
  std::string text;
  JsonWriter json(text, JsonLayout::kLine);
  json.begin_object().line(2).member("format", kFormat).member("version", 1);
  json.line(2).member("date", json_bytes(set.date)).member("effort", json_bytes(set.effort));
  json.line(2).member("program", json_bytes(set.program));
  json.member("backend", json_bytes(set.backend)).line(2);
  put_texts(json, "machine", set.machine);
  json.line(2).begin_list("groups");
  for (const SampleGroup& group : set.groups) put_group(json, group);
  json.end().line(0).end();
  return std::move(text) + "\n";
}

SampleSet read_samples_json(std::string_view text, const std::string& file) {
  const SpecDocument document = read_spec_text(text, file);
  const SpecView root(document);
  const SpecView format = root.get("format");
  if (format.as_text() != kFormat) {
    format.fail(format.found(), in_quotes(kFormat),
                format.as_text() == "ooc-paleo/hardware-profile"
                    ? "this is a profile; its samples are in the file beside it"
                    : "");
  }
  (void)root.get("version").as_integer(1, 1);
  SampleSet set;
  set.date = text_or_empty(root, "date");
  set.effort = text_or_empty(root, "effort");
  set.program = text_or_empty(root, "program");
  set.backend = text_or_empty(root, "backend");
  set.machine = read_object(root.get("machine"));
  for (const SpecView& item : root.get("groups").items()) {
    SampleGroup group = read_group(item);
    if (set.find(group.request) != nullptr) {
      item.get("request").fail(in_quotes(identity_text(group.request)) + " again",
                               "each request once");
    }
    set.groups.push_back(std::move(group));
  }
  root.reject_unknown_keys();
  return set;
}

}  // namespace ooc
