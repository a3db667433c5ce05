// One replay of a plan on a device (docs/gpu-protocol.md, Replay): its request lines are sent to the
// measuring program, or a recording of its answers is read. Both go through the same parser, so that
// a recording is believed as little as a child.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "calibrate/session/probe.hpp"
#include "calibrate/session/protocol.hpp"

namespace ooc {

struct ReplayIteration {
  double ns = 0;        ///< device time, first start to last end
  double issue_ns = 0;  ///< host time for queueing everything
  double host_ns = 0;   ///< host time until all of it was over
};

struct ReplaySpan {
  double start_ns = 0;  ///< in the median iteration, from the start of its first step
  double end_ns = 0;
  double median_ns = 0;  ///< duration over all iterations
  double min_ns = 0;
  double max_ns = 0;
};

struct ReplayMeasurement {
  std::string program;  ///< "ooc-paleo-gpu 0.1.0"
  std::string backend;  ///< "cuda" or "stub"
  KeyValues machine;    ///< keys of the `machine` line
  std::vector<ReplayIteration> iterations;
  std::vector<ReplaySpan> spans;  ///< by step
  std::vector<std::string> notes;
  bool verified = false;  ///< the contents were checked, and right
  std::int64_t checked_bytes = 0;
  std::int64_t near_bytes = 0;  ///< allocated
  std::int64_t pool_pages = 0;  ///< of the blocks; 0: they lie in one arena
  std::int64_t page_bytes = 0;
  std::int64_t far_bytes = 0;
  double spin_overhead_ns = 0;  ///< of an empty spinning kernel, taken off every step
};

/// A plan as request lines, and what its answer must look like.
struct ReplayJob {
  long long id = 1;  ///< of all its lines: replay_id()
  std::size_t steps = 0;
  std::string requests;
  int plan_version = 1;  ///< which the measuring program must be able to read
};

/// The number by which a job is known again: a fingerprint of its lines, in which ids and what the
/// `run` line says about how often and how long are left out. The same plan has the same number, any
/// other one practically never.
[[nodiscard]] long long replay_id(std::string_view requests);

enum class ReplayEnd {
  kDone,
  kWrongContents,  ///< the content check found wrong words
  kNoSpace,        ///< the plan does not fit into free near memory
  kRefused,        ///< another error that ended the request
  kLost,           ///< died, silent, or not to be understood
  kStopped,
};

struct ReplayAnswer {
  ReplayEnd end = ReplayEnd::kLost;
  std::string reason;  ///< where it is not kDone
  ReplayMeasurement measurement;
};

/// Takes the answers to one job, line by line.
class ReplayParser {
 public:
  explicit ReplayParser(std::size_t steps) : seen_(steps, false) {
    answer_.measurement.spans.resize(steps);
  }
  /// Empty, or why the line cannot be.
  [[nodiscard]] std::string take(const ProtocolLine& line);
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] ReplayAnswer& answer() { return answer_; }

 private:
  [[nodiscard]] std::string take_iteration(const KeyValues& values);
  [[nodiscard]] std::string take_span(const KeyValues& values);
  [[nodiscard]] std::string take_done(const KeyValues& values);
  void take_error(const KeyValues& values);

  std::vector<bool> seen_;  ///< spans, by step
  ReplayAnswer answer_;
  bool complete_ = false;
};

/// A device that runs plans.
class ReplayDevice {
 public:
  virtual ~ReplayDevice() = default;
  [[nodiscard]] virtual const KeyValues& machine() const = 0;
  [[nodiscard]] virtual ReplayAnswer replay(const ReplayJob& job, const StopAsked& stop) = 0;
};

using ReplayDeviceOrNone = std::variant<std::unique_ptr<ReplayDevice>, NoProbe>;
/// Starts the measuring program and waits for its greeting.
[[nodiscard]] ReplayDeviceOrNone start_replay_device(const ChildOptions& options,
                                                     const StopAsked& stop);

/// The answer to `job` in what `ooc-paleo-gpu --script … --output FILE` wrote; other jobs may be in
/// it too. Throws SpecError naming file and line for what is malformed, of another version, cut short,
/// or holds no answer to this job. `file` is for messages.
[[nodiscard]] ReplayAnswer read_replay_log(std::string_view text, const std::string& file,
                                           const ReplayJob& job);

}  // namespace ooc
