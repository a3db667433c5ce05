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

std::string json_metric(const MetricSamples& metric) {
  std::string text =
      "{\"metric\": " + json_string(metric.metric) + ", \"timer\": " + json_string(metric.timer);
  if (!metric.attributes.empty()) text += ", \"attributes\": " + json_object(metric.attributes);
  text += ", \"ns\": [";
  for (std::size_t i = 0; i < metric.ns.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", metric.ns[i]);  // shortest that reads back
  }
  return text + "]}";
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

std::string json_group(const SampleGroup& group) {
  std::string text = "    {\"request\": " + json_object(group.request) + ",\n     \"state\": \"" +
                     state_name(group.state) + "\"";
  if (!group.error.empty()) text += ", \"error\": " + json_string(group.error);
  if (!group.done.empty()) text += ", \"done\": " + json_object(group.done);
  if (!group.notes.empty()) {
    text += ",\n     \"notes\": [";
    for (const std::string& note : group.notes) {
      if (text.back() != '[') text += ", ";
      text += json_string(note);
    }
    text += "]";
  }
  text += ",\n     \"metrics\": [";
  for (const MetricSamples& metric : group.metrics) {
    if (text.back() != '[') text += ",";
    text += "\n       " + json_metric(metric);
  }
  return text + "]}";
}

/// What json_string wrote, as the bytes it was: U+0080 to U+00FF are bytes of the protocol.
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
  MetricSamples metric{.metric = view.get("metric").as_text(),
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

std::string json_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte > 0x7e) {
      // Values of the protocol are bytes; what is not ASCII becomes the Latin-1 character.
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(byte));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string json_object(const KeyValues& values) {
  std::string text = "{";
  for (const auto& [key, value] : values) {
    if (text.size() > 1) text += ", ";
    text += json_string(key) + ": " + json_string(value);
  }
  return text + "}";
}

std::string write_samples(const SampleSet& set) {
  std::string text = fmt::format("{{\n  \"format\": \"{}\", \"version\": 1,\n", kFormat);
  text += "  \"date\": " + json_string(set.date) + ", \"effort\": " + json_string(set.effort) +
          ",\n  \"program\": " + json_string(set.program) +
          ", \"backend\": " + json_string(set.backend) + ",\n";
  text += "  \"machine\": " + json_object(set.machine) + ",\n  \"groups\": [";
  for (const SampleGroup& group : set.groups) {
    text += text.back() == '[' ? "\n" : ",\n";
    text += json_group(group);
  }
  return text + "]\n}\n";
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
