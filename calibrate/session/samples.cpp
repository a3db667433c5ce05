// Each line is JSON of its own, read by the reader of everything else.
#include "calibrate/session/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"
#include "model/base/spec_tree.hpp"

namespace ooc {
namespace {

constexpr double kMostNs = 9e15;
constexpr long long kIdle = 1;  // of NVML's throttle reasons: nothing runs

BenchRecord parsed(const SpecDocument& document) {
  const SpecView view(document);
  BenchRecord record;
  record.kind = view.get("record").as_text();
  for (const auto& [key, value] : view.members()) {
    if (key == "record") continue;
    if (value.type() == SpecType::kText) {
      std::string text(value.as_text());
      if (key == "request") {
        record.request = std::move(text);
      } else {
        record.values.emplace_back(key, std::move(text));
      }
    } else if (value.type() == SpecType::kNumber) {
      record.values.emplace_back(key, value.node().text);
    } else if (value.type() == SpecType::kList) {
      for (const SpecView& item : value.items()) {
        const double number = item.as_number();
        if (!(number >= 0) || number > kMostNs) item.fail(item.found(), "a time in ns, 0 to 9e15");
        record.lists[key].push_back(number);
      }
    } else {
      value.fail(value.found(), "a text, a number or a list of numbers");
    }
  }
  return record;
}

BenchRecord read_record(std::string_view line, const std::string& file, const std::string& place) {
  try {
    BenchRecord record = parsed(read_spec_text(line, file));
    record.place = place;
    return record;
  } catch (const SpecError& error) {
    SpecError::Parts parts = error.parts();
    parts.file = file;
    parts.place = place + (parts.place.empty() ? "" : ", " + parts.place);
    parts.hint = "records of ooc-paleo-gpu, as calibrate keeps them";
    throw SpecError(std::move(parts));
  }
}

class SampleReader {
 public:
  explicit SampleReader(const std::string& file) : file_(file) {}

  void take(const BenchRecord& record) {
    if (record.kind == "hello") {
      set_.program = record.text("program");
      set_.backend = record.text("backend");
      set_.date = find_value(record.values, "date").value_or(set_.date);
      if (set_.effort != "full") set_.effort = record.text("effort");
      set_.left_out = 0;
    } else if (record.kind == "machine") {
      check_machine(record);
      // A resumed session keeps what the first one saw: memory that was free, the link when it was idle.
      if (set_.machine.empty()) set_.machine = record.values;
    } else if (record.kind == "clocks") {
      if (const auto mhz = find_number(record.values, "sm_mhz")) set_.clocks.sm_mhz.push_back(*mhz);
      const auto mw = find_number(record.values, "power_mw");
      if (mw) set_.clocks.power_w.push_back(*mw / 1000);
      const long long reasons = find_integer(record.values, "throttle_reasons").value_or(0);
      if ((reasons & ~kIdle) != 0) ++set_.clocks.throttled;
    } else if (record.kind == "end") {
      set_.left_out += static_cast<std::size_t>(
          std::max(0LL, find_integer(record.values, "left_out").value_or(0)));
    } else if (!record.request.empty()) {
      take_answer(record, group_of(request_keys(record.request)));
    }
  }

  SampleSet finish() { return std::move(set_); }

 private:
  void check_machine(const BenchRecord& record) const {
    for (const std::string_view key : {"device_name", "memory_total_bytes", "compute_capability"}) {
      const auto first = find_value(set_.machine, key);
      const auto second = find_value(record.values, key);
      if (!first || !second || *first == *second) continue;
      throw SpecError(
          {.file = file_,
           .place = record.place,
           .found = fmt::format("samples of another machine: {} {} and {}", key, *first, *second),
           .expected = "samples of one machine"});
    }
  }

  static void take_answer(const BenchRecord& record, SampleGroup& group) {
    if (record.kind == "begin") {
      SampleGroup fresh;
      fresh.request = std::move(group.request);
      group = std::move(fresh);
    } else if (record.kind == "samples") {
      const auto ns = record.lists.find("ns");
      if (ns == record.lists.end()) return;
      group.metrics.push_back({record.text("metric"), ns->second});
    } else if (record.kind == "note") {
      group.notes.push_back(record.text("text"));
    } else if (record.kind == "done") {
      group.done = record.values;
    } else if (record.kind == "error") {
      group.error = find_value(record.values, "text").value_or("no reason given");
    }
  }

  SampleGroup& group_of(const KeyValues& request) {
    for (SampleGroup& group : set_.groups) {
      if (group.request == request) return group;
    }
    set_.groups.emplace_back().request = request;
    return set_.groups.back();
  }

  const std::string& file_;
  SampleSet set_;
};

}  // namespace

std::optional<std::string> find_value(const KeyValues& values, std::string_view key) {
  const auto* found = find_named(values, key);
  return found != nullptr ? std::optional(found->second) : std::nullopt;
}

std::optional<long long> find_integer(const KeyValues& values, std::string_view key) {
  const auto text = find_value(values, key);
  return text ? integer_in(*text) : std::nullopt;
}

std::optional<double> find_number(const KeyValues& values, std::string_view key) {
  const auto text = find_value(values, key);
  const auto number = text ? real_in(*text) : std::nullopt;
  return number && std::isfinite(*number) ? number : std::nullopt;
}

void read_records(std::string_view text, const std::string& file,
                  const std::function<void(const BenchRecord&)>& take) {
  bool greeted = false;
  const auto fail = [&](std::string place, std::string found) {
    throw SpecError({file, std::move(place), std::move(found),
                     "a greeting of ooc-paleo-gpu, format ooc-paleo/bench, version 1"});
  };
  for (std::size_t number = 1; text.find('\n') != std::string_view::npos; ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + 1);
    if (line.empty()) continue;
    const BenchRecord record = read_record(line, file, fmt::format("line {}", number));
    if (record.kind == "hello") {
      greeted = record.text("format") == "ooc-paleo/bench" && record.text("version") == "1";
    }
    if (!greeted) fail(record.place, in_quotes(line));
    take(record);
  }
  if (!greeted) fail("", "no records");
}

std::size_t SampleGroup::count() const {
  std::size_t sum = 0;
  for (const MetricSamples& each : metrics) sum += each.ns.size();
  return sum;
}

Bytes SampleGroup::bytes() const {
  const long long bytes = find_integer(request, "bytes").value_or(0);
  return Bytes(std::clamp<std::int64_t>(bytes, 0, kMaxTensorBytes));
}

std::vector<double> SampleGroup::times(std::string_view metric) const {
  std::vector<double> times;
  for (const MetricSamples& each : metrics) {
    if (each.metric != metric || !times.empty()) continue;
    std::ranges::copy_if(each.ns, std::back_inserter(times), [](double ns) { return ns > 0; });
  }
  return times;
}

std::optional<double> SampleGroup::median(std::string_view metric) const {
  const std::vector<double> all = times(metric);
  return all.empty() ? std::nullopt : std::optional(summarize_times(all).median);
}

std::size_t SampleSet::count() const {
  std::size_t sum = 0;
  for (const SampleGroup& group : groups) sum += group.count();
  return sum;
}

std::vector<const SampleGroup*> SampleSet::of(std::string_view what) const {
  std::vector<const SampleGroup*> found;
  for (const SampleGroup& group : groups) {
    if (group.key("what") == what && group.count() > 0) found.push_back(&group);
  }
  return found;
}

KeyValues request_keys(std::string_view text) {
  KeyValues keys;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::size_t equals = word.find('=');
    if (keys.empty()) {
      keys.emplace_back("what", word);
    } else if (equals != std::string_view::npos) {
      keys.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    }
  }
  return keys;
}

std::string request_text(const KeyValues& request) {
  std::string text;
  for (const auto& [key, value] : request) {
    if (!text.empty()) text += ' ';
    if (key != "what") text.append(key).append(1, '=');
    text += value;
  }
  return text;
}

SampleSet read_samples(std::string_view text, const std::string& file) {
  SampleReader reader(file);
  read_records(text, file, [&](const BenchRecord& record) { reader.take(record); });
  return reader.finish();
}

}  // namespace ooc
