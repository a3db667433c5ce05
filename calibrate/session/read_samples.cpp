// From records to samples. Where a request was measured twice, the later answer counts.
#include <algorithm>

#include "calibrate/session/records.hpp"
#include "calibrate/session/samples.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

constexpr long long kIdle = 1;  // of NVML's throttle reasons: nothing runs

/// Empty if both are of the same device, else what differs.
std::string machine_difference(const KeyValues& a, const KeyValues& b) {
  for (const std::string_view key : {"device_name", "memory_total_bytes", "compute_capability"}) {
    const auto first = find_value(a, key);
    const auto second = find_value(b, key);
    if (first && second && *first != *second) {
      return std::string(key) + " " + *first + " and " + *second;
    }
  }
  return "";
}

class SampleReader {
 public:
  explicit SampleReader(const std::string& file) : file_(file) {}

  void take(const BenchRecord& record) {
    if (record.kind == "hello") {
      set_.program = find_value(record.values, "program").value_or("");
      set_.backend = find_value(record.values, "backend").value_or("");
      set_.date = find_value(record.values, "date").value_or(set_.date);
      if (set_.effort != "full") set_.effort = find_value(record.values, "effort").value_or("");
      set_.left_out = 0;
    } else if (record.kind == "machine") {
      take_machine(record);
    } else if (record.kind == "clocks") {
      take_clocks(record);
    } else if (record.kind == "end") {
      set_.left_out += static_cast<std::size_t>(
          std::max(0LL, find_integer(record.values, "left_out").value_or(0)));
    } else if (!record.request.empty()) {
      take_answer(record, group_of(record.request));
    }
  }

  SampleSet finish() { return std::move(set_); }

 private:
  void take_machine(const BenchRecord& record) {
    const std::string difference = machine_difference(set_.machine, record.values);
    if (!difference.empty()) {
      throw SpecError({.file = file_,
                       .place = record.place,
                       .found = "samples of another machine: " + difference,
                       .expected = "samples of one machine",
                       .hint = {}});
    }
    // A resumed session keeps what the first one saw: memory that was free, the link when it was idle.
    if (set_.machine.empty()) set_.machine = record.values;
  }

  void take_clocks(const BenchRecord& record) {
    if (const auto mhz = find_number(record.values, "sm_mhz")) set_.clocks.sm_mhz.push_back(*mhz);
    if (const auto mw = find_number(record.values, "power_mw")) {
      set_.clocks.power_w.push_back(*mw / 1000);
    }
    const long long reasons = find_integer(record.values, "throttle_reasons").value_or(0);
    if ((reasons & ~kIdle) != 0) ++set_.clocks.throttled;
  }

  static void take_answer(const BenchRecord& record, SampleGroup& group) {
    if (record.kind == "begin") {
      SampleGroup fresh;
      fresh.request = std::move(group.request);
      group = std::move(fresh);
    } else if (record.kind == "samples") {
      const auto ns = record.lists.find("ns");
      if (ns == record.lists.end()) return;
      group.metrics.push_back({.metric = find_value(record.values, "metric").value_or(""),
                               .timer = find_value(record.values, "timer").value_or(""),
                               .ns = ns->second});
    } else if (record.kind == "note") {
      group.notes.push_back(find_value(record.values, "text").value_or(""));
    } else if (record.kind == "done") {
      group.state = GroupState::kDone;
      group.done = record.values;
    } else if (record.kind == "error") {
      group.state = GroupState::kRefused;
      group.error = error_text(record.values);
    }
  }

  SampleGroup& group_of(const std::string& request) {
    const KeyValues keys = request_keys(request);
    for (SampleGroup& group : set_.groups) {
      if (group.request == keys) return group;
    }
    set_.groups.emplace_back().request = keys;
    return set_.groups.back();
  }

  const std::string& file_;
  SampleSet set_;
};

}  // namespace

SampleSet read_samples(std::string_view text, const std::string& file) {
  SampleReader reader(file);
  read_records(text, file, [&](const BenchRecord& record) { reader.take(record); });
  return reader.finish();
}

}  // namespace ooc
