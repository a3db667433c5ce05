// What was measured, as it came: one group a request with the times of each metric. Read from the records that
// ooc-paleo-gpu prints, one JSON object a line (docs/calibration.md), which calibrate keeps beside the profile as
// they came, so that a profile can be fitted again without the machine.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calibrate/fit/transfer_fit.hpp"

namespace ooc {

/// Keys with their values as texts: what records say beside times.
using KeyValues = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] std::optional<std::string> find_value(const KeyValues& values, std::string_view key);
/// Numbers; none where the key is absent or its value is no such number.
[[nodiscard]] std::optional<long long> find_integer(const KeyValues& values, std::string_view key);
[[nodiscard]] std::optional<double> find_number(const KeyValues& values, std::string_view key);

/// One record: an object of texts, numbers and lists of numbers on a line of its own.
struct BenchRecord {
  std::string kind;     ///< "begin", "samples", "done", ...
  std::string request;  ///< as text; may be empty
  KeyValues values;     ///< the other texts and numbers
  std::map<std::string, std::vector<double>> lists;
  std::string place;  ///< "line 7", for messages

  [[nodiscard]] std::string text(std::string_view key) const {
    return find_value(values, key).value_or("");
  }
};

/// Calls `take` with each record. A last line without its end is what an interruption leaves and is dropped. Throws
/// SpecError, naming file and line, for what is malformed or comes before a greeting of a version that is known.
void read_records(std::string_view text, const std::string& file,
                  const std::function<void(const BenchRecord&)>& take);

struct MetricSamples {
  std::string metric;  ///< "time", "issue", ...
  std::vector<double> ns;
};

struct SampleGroup {
  KeyValues request;  ///< "what" first, the other keys by name
  std::string error;  ///< why it was refused, or what it did to the program
  std::vector<std::string> notes;
  KeyValues done;  ///< what the `done` record says beside
  std::vector<MetricSamples> metrics;

  [[nodiscard]] std::size_t count() const;
  /// Of the request; empty without.
  [[nodiscard]] std::string key(std::string_view name) const {
    return find_value(request, name).value_or("");
  }
  [[nodiscard]] Bytes bytes() const;
  /// Times above 0: one of 0 is below the resolution of its timer and would be an infinite rate.
  [[nodiscard]] std::vector<double> times(std::string_view metric) const;
  /// Their median without outliers.
  [[nodiscard]] std::optional<double> median(std::string_view metric) const;
};

/// Readings of clocks twice a second while something is measured.
struct ClockReadings {
  std::vector<double> sm_mhz;
  std::vector<double> power_w;
  std::size_t throttled = 0;  ///< readings with a reason other than idleness
};

struct SampleSet {
  std::string date;     ///< of the latest session; may be empty
  std::string effort;   ///< "quick" or "full"; may be empty
  std::string program;  ///< "ooc-paleo-gpu 0.2.0"
  std::string backend;  ///< "cuda", "stub", "synthetic"
  KeyValues machine;    ///< of the `machine` record
  std::vector<SampleGroup> groups;
  ClockReadings clocks;
  std::size_t left_out = 0;  ///< requests of the latest session that there was no time for

  [[nodiscard]] std::size_t count() const;
  /// With samples.
  [[nodiscard]] std::vector<const SampleGroup*> of(std::string_view what) const;
};

/// "copy bytes=4096 direction=to_near mode=pinned" as keys and back.
[[nodiscard]] KeyValues request_keys(std::string_view text);
[[nodiscard]] std::string request_text(const KeyValues& request);

/// Records of one session or several, one after another; where a request was measured twice, the later answer counts.
/// Throws SpecError as read_records does, and for records of two machines.
[[nodiscard]] SampleSet read_samples(std::string_view text, const std::string& file);

}  // namespace ooc
