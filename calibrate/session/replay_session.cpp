// Checks every answer before it is kept: steps of the plan only, each once, iterations counted from 0,
// times that can be. A measurement with a hole in it would look like a prediction that is off.
#include "calibrate/session/replay_session.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "calibrate/session/conversation.hpp"
#include "calibrate/session/samples.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

constexpr double kLongestNs = 9e15;  // kMaxTimeNs, about a hundred days

/// A time that can be, or none.
std::optional<double> time_in(const KeyValues& values, std::string_view key) {
  const auto ns = find_number(values, key);
  if (!ns || !(*ns >= 0) || *ns > kLongestNs) return std::nullopt;
  return ns;
}

std::int64_t count_in(const KeyValues& values, std::string_view key) {
  return find_integer(values, key).value_or(0);
}

/// FNV-1a, 64 bit: known, stable, short.
class Fingerprint {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      hash_ ^= static_cast<unsigned char>(c);
      hash_ *= 0x100000001b3U;
    }
  }
  /// Below 2^46, which every reader of ids takes, and never 0.
  [[nodiscard]] long long number() const {
    constexpr std::uint64_t kMask = (std::uint64_t{1} << 46) - 1;
    const std::uint64_t folded = (hash_ ^ (hash_ >> 46)) & kMask;
    return static_cast<long long>(folded == 0 ? 1 : folded);
  }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

bool is_how_often(std::string_view pair) {
  for (const std::string_view key : {"iterations=", "warmup=", "verify=", "max_ms="}) {
    if (pair.starts_with(key)) return true;
  }
  return false;
}

class ChildReplayDevice : public ReplayDevice {
 public:
  explicit ChildReplayDevice(const ChildOptions& options) : child_(options) {}

  std::optional<NoProbe> greet(const StopAsked& stop) { return child_.greet(stop); }
  const KeyValues& machine() const override { return child_.machine(); }

  ReplayAnswer replay(const ReplayJob& job, const StopAsked& stop) override {
    if (const long long reads = child_.reads_plans(); reads < job.plan_version) {
      return ended(
          ReplayEnd::kRefused,
          fmt::format("{} reads plans of version {}, this one is of version {}: build both "
                      "programs from the same sources",
                      child_.program(), reads, job.plan_version));
    }
    ReplayParser parser(job.steps);
    parser.answer().measurement.program = child_.program();
    parser.answer().measurement.backend = child_.backend();
    parser.answer().measurement.machine = child_.machine();
    if (const auto failed = child_.send(job.requests, stop)) {
      if (const auto* lost = std::get_if<Conversation::Lost>(&*failed)) {
        return ended(ReplayEnd::kLost, lost->reason);
      }
      return ended(ReplayEnd::kStopped, "was stopped");
    }
    while (!parser.complete()) {
      const Conversation::Heard heard = child_.hear(stop);
      if (std::holds_alternative<Conversation::Stopped>(heard)) {
        return ended(ReplayEnd::kStopped, "was stopped");
      }
      if (const auto* lost = std::get_if<Conversation::Lost>(&heard)) {
        return ended(ReplayEnd::kLost, lost->reason);
      }
      const std::string problem = take(std::get<ProtocolLine>(heard), job.id, parser);
      if (!problem.empty()) {
        child_.hang_up();
        return ended(ReplayEnd::kLost, problem);
      }
    }
    return std::move(parser.answer());
  }

 private:
  static ReplayAnswer ended(ReplayEnd end, std::string reason) {
    return {.end = end, .reason = std::move(reason), .measurement = {}};
  }

  /// A program that knows no replay answers the first line already, and without reading on.
  static std::string take(const ProtocolLine& line, long long id, ReplayParser& parser) {
    const auto answered = find_integer(line.values, "id");
    if (answered != id) {
      return fmt::format("answered {}, not request {}",
                         answered ? fmt::format("request {}", *answered) : in_quotes(line.word),
                         id);
    }
    return parser.take(line);
  }

  Conversation child_;
};

}  // namespace

long long replay_id(std::string_view requests) {
  Fingerprint fingerprint;
  while (!requests.empty()) {
    const std::size_t end = requests.find('\n');
    std::string_view line = requests.substr(0, end);
    requests.remove_prefix(end == std::string_view::npos ? requests.size() : end + 1);
    const bool run = line.starts_with("run ");
    while (!line.empty()) {
      const std::size_t space = line.find(' ');
      const std::string_view pair = line.substr(0, space);
      line.remove_prefix(space == std::string_view::npos ? line.size() : space + 1);
      if (pair.starts_with("id=") || (run && is_how_often(pair))) continue;
      fingerprint.add(pair);
      fingerprint.add(" ");
    }
    fingerprint.add("\n");
  }
  return fingerprint.number();
}

std::string ReplayParser::take(const ProtocolLine& line) {
  if (line.word == "iteration") return take_iteration(line.values);
  if (line.word == "span") return take_span(line.values);
  if (line.word == "done") return take_done(line.values);
  if (line.word == "note") {
    answer_.measurement.notes.push_back(find_value(line.values, "text").value_or(""));
    return "";
  }
  if (line.word == "error") {
    take_error(line.values);
    return "";
  }
  return fmt::format("sent {} in answer to a plan", in_quotes(line.word));
}

std::string ReplayParser::take_iteration(const KeyValues& values) {
  std::vector<ReplayIteration>& all = answer_.measurement.iterations;
  if (find_integer(values, "iteration") != static_cast<long long>(all.size())) {
    return fmt::format("sent iteration {} where iteration {} was due",
                       find_value(values, "iteration").value_or("?"), all.size());
  }
  const auto ns = time_in(values, "ns");
  if (!ns) return fmt::format("sent an iteration {} without a time", all.size());
  all.push_back({.ns = *ns,
                 .issue_ns = time_in(values, "issue_ns").value_or(0),
                 .host_ns = time_in(values, "host_ns").value_or(0)});
  return "";
}

std::string ReplayParser::take_span(const KeyValues& values) {
  const auto step = find_integer(values, "step");
  if (!step || *step < 0 || static_cast<std::size_t>(*step) >= seen_.size()) {
    return fmt::format("sent a span of step {}, but the plan has steps 0 to {}",
                       find_value(values, "step").value_or("?"),
                       static_cast<long long>(seen_.size()) - 1);
  }
  const auto index = static_cast<std::size_t>(*step);
  if (seen_[index]) return fmt::format("sent two spans of step {}", *step);
  const auto start = time_in(values, "start_ns");
  const auto end = time_in(values, "end_ns");
  if (!start || !end || *end < *start) {
    return fmt::format("sent a span of step {} that is no time: {} to {}", *step,
                       find_value(values, "start_ns").value_or("?"),
                       find_value(values, "end_ns").value_or("?"));
  }
  const double length = *end - *start;
  const double median = time_in(values, "median_ns").value_or(length);
  answer_.measurement.spans[index] = {.start_ns = *start,
                                      .end_ns = *end,
                                      .median_ns = median,
                                      .min_ns = time_in(values, "min_ns").value_or(median),
                                      .max_ns = time_in(values, "max_ns").value_or(median)};
  seen_[index] = true;
  return "";
}

std::string ReplayParser::take_done(const KeyValues& values) {
  ReplayMeasurement& measured = answer_.measurement;
  if (measured.iterations.empty()) return "was done without an iteration";
  const auto iterations = find_integer(values, "iterations");
  if (iterations && *iterations != static_cast<long long>(measured.iterations.size())) {
    return fmt::format("says {} iterations and sent {}", *iterations, measured.iterations.size());
  }
  for (std::size_t step = 0; step < seen_.size(); ++step) {
    if (!seen_[step]) return fmt::format("was done without a span of step {}", step);
  }
  for (const std::string_view key :
       {"checked_bytes", "near_bytes", "pool_pages", "page_bytes", "far_bytes"}) {
    const auto text = find_value(values, key);
    if (!text || find_integer(values, key).value_or(-1) >= 0) continue;
    return fmt::format("was done with {}={}", key, in_quotes(*text));
  }
  measured.verified = count_in(values, "verified") != 0;
  measured.checked_bytes = count_in(values, "checked_bytes");
  measured.near_bytes = count_in(values, "near_bytes");
  measured.pool_pages = count_in(values, "pool_pages");
  measured.page_bytes = count_in(values, "page_bytes");
  measured.far_bytes = count_in(values, "far_bytes");
  measured.spin_overhead_ns = time_in(values, "spin_overhead_ns").value_or(0);
  answer_.end = ReplayEnd::kDone;
  complete_ = true;
  return "";
}

void ReplayParser::take_error(const KeyValues& values) {
  answer_.reason = error_text(values);
  // Only the content check names a block and what it should have held.
  const bool contents = find_value(values, "content") && find_value(values, "block");
  if (contents) {
    answer_.end = ReplayEnd::kWrongContents;
  } else if (answer_.reason.find("bytes of near memory") != std::string::npos) {
    answer_.end = ReplayEnd::kNoSpace;
  } else {
    answer_.end = ReplayEnd::kRefused;
  }
  complete_ = true;
}

ReplayDeviceOrNone start_replay_device(const ChildOptions& options, const StopAsked& stop) {
  auto device = std::make_unique<ChildReplayDevice>(options);
  if (auto none = device->greet(stop)) return *none;
  return std::unique_ptr<ReplayDevice>(std::move(device));
}

}  // namespace ooc
