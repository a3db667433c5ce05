// Speaks the protocol (docs/gpu-protocol.md) with a child. Anything unexpected ends the child: once a
// line is not understood, nothing later can be trusted to belong to the request it seems to answer.
#include <fmt/format.h>

#include <utility>

#include "calibrate/session/child_process.hpp"
#include "calibrate/session/probe.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

std::string silence(int limit_ms) {
  return fmt::format("said nothing for {} s", static_cast<double>(limit_ms) / 1000);
}

/// What a read was, where it is no line.
struct WhatHappened {
  int limit_ms;
  std::string operator()(const ChildProcess::Line&) const { return ""; }
  std::string operator()(const ChildProcess::Ended& ended) const { return ended.how; }
  std::string operator()(const ChildProcess::Silent&) const { return silence(limit_ms); }
  std::string operator()(const ChildProcess::TooLong&) const {
    return "sent a line of more than 4096 bytes";
  }
  std::string operator()(const ChildProcess::Stopped&) const { return "was stopped"; }
};

class ChildProbe : public Probe {
 public:
  explicit ChildProbe(const ChildOptions& options)
      : options_(options), child_(options.program, options.arguments) {}

  /// None when it is ready.
  std::optional<NoProbe> greet(const StopAsked& stop) {
    const auto not_started = [&](const std::string& reason) {
      child_.kill();
      return NoProbe{NoProbe::Kind::kNotStarted, options_.program + " " + reason};
    };
    if (!child_.error().empty()) return not_started("cannot be started: " + child_.error());
    while (true) {
      const ChildProcess::Read read = child_.read_line(options_.silence_limit_ms, stop);
      const auto* text = std::get_if<ChildProcess::Line>(&read);
      if (text == nullptr) {
        return not_started(std::visit(WhatHappened{options_.silence_limit_ms}, read) +
                           " before it was ready");
      }
      const auto parsed = parse_protocol_line(text->text);
      const auto* line = std::get_if<ProtocolLine>(&parsed);
      if (line == nullptr) return not_started("does not speak the protocol: " + text->text);
      if (line->word == "no_device") {
        return NoProbe{NoProbe::Kind::kNoDevice,
                       fmt::format("looked for {}: {}",
                                   find_value(line->values, "looked_for").value_or("a device"),
                                   find_value(line->values, "reason").value_or("none"))};
      }
      if (line->word == "hello") {
        if (find_value(line->values, "protocol") != "1") {
          return not_started("speaks another version of the protocol: " + text->text);
        }
        hello_ = line->values;
      } else if (line->word == "machine") {
        machine_ = line->values;
      } else if (line->word == "ready") {
        if (hello_.empty()) return not_started("is ready without a greeting");
        return std::nullopt;
      } else {
        return not_started("does not speak the protocol: " + text->text);
      }
    }
  }

  const KeyValues& machine() const override { return machine_; }
  std::string program() const override {
    return find_value(hello_, "program").value_or("?") + " " +
           find_value(hello_, "version").value_or("?");
  }
  std::string backend() const override { return find_value(hello_, "backend").value_or(""); }

  ProbeAnswer measure(const Request& request, const StopAsked& stop) override {
    ProbeAnswer answer;
    answer.group.request = identity_of(request.keys);
    ProtocolLine line{.word = "measure", .values = {{"id", std::to_string(++id_)}}};
    line.values.insert(line.values.end(), request.keys.begin(), request.keys.end());
    // A child that reads no more has ended or is about to; reading says how.
    (void)child_.write(format_protocol_line(line));
    while (true) {
      const ChildProcess::Read read = child_.read_line(options_.silence_limit_ms, stop);
      if (std::holds_alternative<ChildProcess::Stopped>(read)) {
        child_.kill();
        answer.state = ProbeState::kStopped;
        return answer;
      }
      const auto* text = std::get_if<ChildProcess::Line>(&read);
      if (text == nullptr) {
        return lose(std::move(answer), std::visit(WhatHappened{options_.silence_limit_ms}, read));
      }
      const auto parsed = parse_protocol_line(text->text);
      if (const auto* wrong = std::get_if<NotProtocol>(&parsed)) {
        return lose(std::move(answer), fmt::format("sent {}, which is no line of its protocol ({})",
                                                   in_quotes(text->text), wrong->reason));
      }
      const std::string problem = take(std::get<ProtocolLine>(parsed), answer.group);
      if (!problem.empty()) return lose(std::move(answer), problem);
      if (answer.group.state != GroupState::kOpen) return answer;
    }
  }

 private:
  ProbeAnswer lose(ProbeAnswer answer, std::string reason) {
    child_.kill();
    answer.state = ProbeState::kLost;
    answer.group.error = reason;
    answer.reason = std::move(reason);
    return answer;
  }

  /// Empty, or why the line cannot be.
  std::string take(const ProtocolLine& line, SampleGroup& group) const {
    const auto id = find_integer(line.values, "id");
    const bool known =
        line.word == "sample" || line.word == "note" || line.word == "done" || line.word == "error";
    if (!known) return fmt::format("sent {} in answer to a request", in_quotes(line.word));
    if (id != id_) return fmt::format("answered request {}, not {}", id.value_or(0), id_);
    if (line.word == "sample") return add_sample(group, line.values);
    if (line.word == "note") {
      group.notes.push_back(find_value(line.values, "text").value_or(""));
      return "";
    }
    if (line.word == "error") {
      group.state = GroupState::kRefused;
      group.error = error_text(line.values);
      if (is_corruption(group.error)) group.metrics.clear();
      return "";
    }
    group.state = GroupState::kDone;
    for (const auto& [key, value] : line.values) {
      if (key != "id") group.done.emplace_back(key, value);
    }
    return "";
  }

  ChildOptions options_;
  ChildProcess child_;
  KeyValues hello_;
  KeyValues machine_;
  long long id_ = 0;
};

}  // namespace

ProbeOrNone start_child_probe(const ChildOptions& options, const StopAsked& stop) {
  auto probe = std::make_unique<ChildProbe>(options);
  if (auto none = probe->greet(stop)) return *none;
  return std::unique_ptr<Probe>(std::move(probe));
}

}  // namespace ooc
