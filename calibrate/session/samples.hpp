// What was measured, as it came: one group per request with the times of each metric. Kept in
// `<output>.samples.json`, so that nothing measured is ever lost and a profile can be fitted again
// without the machine.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/session/protocol.hpp"

namespace ooc {

/// The keys of a `measure` line without its id.
struct Request {
  KeyValues keys;
  [[nodiscard]] std::string what() const;
};

/// The keys that say what is measured, `what` first, the others by name; how often and how long it is
/// repeated is left out. Two requests of one identity measure the same thing.
[[nodiscard]] KeyValues identity_of(const KeyValues& keys);
/// "copy mode=pinned direction=to_near bytes=4096", for messages and order.
[[nodiscard]] std::string identity_text(const KeyValues& identity);

struct MetricSamples {
  std::string metric;    ///< "time", "issue", ...
  std::string timer;     ///< "event" or "host"
  KeyValues attributes;  ///< further keys of the samples: algorithm, workspace_bytes, ...
  std::vector<double> ns;
};

enum class GroupState {
  kOpen,  ///< interrupted, or the probe was lost: samples count, more are wanted
  kDone,
  kRefused,  ///< the probe said why it cannot; its samples, if any, count
};

struct SampleGroup {
  KeyValues request;  ///< its identity
  GroupState state = GroupState::kOpen;
  std::string error;  ///< kRefused, and kOpen where a reason is known
  std::vector<std::string> notes;
  KeyValues done;  ///< keys of the `done` line but id
  std::vector<MetricSamples> metrics;

  [[nodiscard]] std::size_t count() const;
  /// The metric of that name without attributes, or the first with some; none if absent or empty.
  [[nodiscard]] const MetricSamples* metric(std::string_view name) const;
};

struct SampleSet {
  std::string date;     ///< of the measuring, as given by the caller; may be empty
  std::string effort;   ///< "quick" or "full"; may be empty
  std::string program;  ///< "ooc-paleo-gpu 0.1.0"
  std::string backend;  ///< "cuda", "stub", "synthetic"
  KeyValues machine;    ///< keys of the `machine` line
  std::vector<SampleGroup> groups;

  [[nodiscard]] const SampleGroup* find(const KeyValues& identity) const;
  [[nodiscard]] std::size_t count() const;
};

/// The keys of a sample line that are not echoed from the request.
[[nodiscard]] bool is_sample_key(std::string_view key);

/// The text of an `error` line: what was said, else which call failed how and where.
[[nodiscard]] std::string error_text(const KeyValues& error);
/// An error after which the samples that came before it must not be used: the copy was not one.
[[nodiscard]] bool is_corruption(std::string_view error);

/// Adds one `sample` line's time. Returns why it is none, or an empty text.
[[nodiscard]] std::string add_sample(SampleGroup& group, const KeyValues& sample);

/// Adds `group` to the set; where its request is there already, the times are appended and the state,
/// error, notes and done of the newer one hold.
void merge_group(SampleSet& set, SampleGroup group);

/// Refuses samples of another machine: empty if both are of the same device, else what differs.
[[nodiscard]] std::string machine_difference(const KeyValues& a, const KeyValues& b);

/// JSON, one line a metric, with a final newline (docs/calibration.md).
[[nodiscard]] std::string write_samples(const SampleSet& set);
/// Throws SpecError for what is malformed. `text` is our JSON or the lines that
/// `ooc-paleo-gpu --script` writes; `file` is for messages.
[[nodiscard]] SampleSet read_samples(std::string_view text, const std::string& file);

// The two formats behind read_samples.
[[nodiscard]] SampleSet read_samples_json(std::string_view text, const std::string& file);
[[nodiscard]] SampleSet read_protocol_log(std::string_view text, const std::string& file);

}  // namespace ooc
