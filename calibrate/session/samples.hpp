// Samples as measured: a group for each request, with the times of each metric. Read from the JSON
// lines of ooc-paleo-gpu (docs/calibration.md). `calibrate` stores these lines beside the profile,
// so that a profile can be fitted again without the machine.
#pragma once

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

/// Keys of a record with their values as texts, without times.
using KeyValues = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] std::optional<std::string> find_value(const KeyValues& values, std::string_view key);
/// find_integer() and find_number() return the value as a number; unset: no such key, or no such number.
[[nodiscard]] std::optional<long long> find_integer(const KeyValues& values, std::string_view key);
[[nodiscard]] std::optional<double> find_number(const KeyValues& values, std::string_view key);

/// Record: an object of texts, numbers and lists of numbers on one line.
struct BenchRecord {
  std::string kind;     ///< such as "begin", "samples", "done"
  std::string request;  ///< text of the request that the record is about; empty: none
  KeyValues values;     ///< other texts and numbers, by key
  std::map<std::string, std::vector<double>> lists;
  std::string place;  ///< line for messages, such as "line 7"

  [[nodiscard]] std::string text(std::string_view key) const {
    return find_value(values, key).value_or("");
  }
};

/// Calls `take` with each record of `text`. An unterminated last line, left by an interruption, is dropped. Throws
/// SpecError with file and line for malformed lines, and unless the first record greets with a known version.
void read_records(std::string_view text, const std::string& file,
                  const std::function<void(const BenchRecord&)>& take);

struct MetricSamples {
  std::string metric;  ///< such as "time" or "issue"
  std::vector<double> ns;
};

struct SampleGroup {
  KeyValues request;  ///< "what" first, then the other keys by name
  std::string error;  ///< reason why the request was refused or ended the program; empty: none
  std::vector<std::string> notes;
  KeyValues done;  ///< values of the `done` record
  std::vector<MetricSamples> metrics;

  [[nodiscard]] std::size_t count() const;
  /// Returns the value of a key of the request; empty if absent.
  [[nodiscard]] std::string key(std::string_view name) const {
    return find_value(request, name).value_or("");
  }
  [[nodiscard]] Bytes bytes() const;  ///< key "bytes"; 0 if absent
  /// Returns the times > 0 of a metric in ns. A time of 0 is below the timer's resolution, so it is left out.
  [[nodiscard]] std::vector<double> times(std::string_view metric) const;
  /// Returns the median of times(metric) without outliers; unset: no times.
  [[nodiscard]] std::optional<double> median(std::string_view metric) const;
};

/// Readings of the device's clock and power, twice a second during measurements.
struct ClockReadings {
  std::vector<double> sm_mhz;
  std::vector<double> power_w;
  std::size_t throttled = 0;  ///< number of readings throttled for a reason other than idleness
};

struct SampleSet {
  std::string date;     ///< date of the latest session; may be empty
  std::string effort;   ///< "quick" or "full"; may be empty
  std::string program;  ///< such as "ooc-paleo-gpu 0.2.0"
  std::string backend;  ///< "cuda", "stub" or "synthetic"
  KeyValues machine;    ///< values of the first `machine` record
  std::vector<SampleGroup> groups;
  ClockReadings clocks;
  std::size_t left_out = 0;  ///< number of requests for which the latest session lacked time

  [[nodiscard]] std::size_t count() const;
  /// Returns the groups of measurement `what` that have samples.
  [[nodiscard]] std::vector<const SampleGroup*> of(std::string_view what) const;
};

/// Converts "copy bytes=4096" to {"what", "copy"}, {"bytes", "4096"}, and back. Skips later words without "=".
[[nodiscard]] KeyValues request_keys(std::string_view text);
[[nodiscard]] std::string request_text(const KeyValues& request);

/// Reads the records of one or several sessions. For repeated requests the last one counts. Throws
/// SpecError as read_records(), and for records of two machines.
[[nodiscard]] SampleSet read_samples(std::string_view text, const std::string& file);

}  // namespace ooc
