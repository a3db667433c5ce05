// What was measured, as it came: one group a request with the times of each metric. Read from the records that
// ooc-paleo-gpu prints, one JSON object a line (docs/calibration.md), which calibrate keeps beside the profile as
// they came, so that a profile can be fitted again without the machine.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/session/key_values.hpp"

namespace ooc {

struct MetricSamples {
  std::string metric;  ///< "time", "issue", ...
  std::string timer;   ///< "event" or "host"
  std::vector<double> ns;
};

enum class GroupState {
  kOpen,  ///< begun, and never answered
  kDone,
  kRefused,  ///< `error` says why, or what it did to the program
};

struct SampleGroup {
  KeyValues request;  ///< "what" first, the other keys by name
  GroupState state = GroupState::kOpen;
  std::string error;
  std::vector<std::string> notes;
  KeyValues done;  ///< what the `done` record says beside
  std::vector<MetricSamples> metrics;

  [[nodiscard]] std::size_t count() const;
  /// None if absent or empty.
  [[nodiscard]] const MetricSamples* metric(std::string_view name) const;
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
};

/// "copy bytes=4096 direction=to_near mode=pinned" as keys and back.
[[nodiscard]] KeyValues request_keys(std::string_view text);
[[nodiscard]] std::string request_text(const KeyValues& request);

/// Records of one session or several, one after another. A last line without its end is what an interruption leaves
/// and is dropped. Throws SpecError, naming file and line, for what is malformed, of another version or of two machines.
[[nodiscard]] SampleSet read_samples(std::string_view text, const std::string& file);

/// The text of an `error` record: what was said, else which call failed how and where.
[[nodiscard]] std::string error_text(const KeyValues& error);

}  // namespace ooc
