// Greets, reads and writes lines of the protocol (docs/gpu-protocol.md). Anything unexpected ends the
// child: once a line is not understood, nothing later can be trusted to belong to the request that it
// seems to answer.
#include "calibrate/session/conversation.hpp"

#include <fmt/format.h>

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

}  // namespace

Conversation::Conversation(const ChildOptions& options)
    : options_(options), child_(options.program, options.arguments) {}

std::string Conversation::program() const {
  return find_value(hello_, "program").value_or("?") + " " +
         find_value(hello_, "version").value_or("?");
}

std::string Conversation::backend() const { return find_value(hello_, "backend").value_or(""); }

std::optional<NoProbe> Conversation::greet(const StopAsked& stop) {
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

std::optional<Conversation::NotSent> Conversation::send(std::string_view lines,
                                                        const StopAsked& stop) {
  switch (child_.write(lines, options_.silence_limit_ms, stop)) {
    case ChildProcess::Wrote::kAll:
    case ChildProcess::Wrote::kNobodyReads:
      return std::nullopt;
    case ChildProcess::Wrote::kSilent:
      child_.kill();
      return Lost{fmt::format("read nothing for {} s",
                              static_cast<double>(options_.silence_limit_ms) / 1000)};
    case ChildProcess::Wrote::kStopped:
      child_.kill();
      return Stopped{};
  }
  return std::nullopt;
}

Conversation::Heard Conversation::hear(const StopAsked& stop) {
  const ChildProcess::Read read = child_.read_line(options_.silence_limit_ms, stop);
  if (std::holds_alternative<ChildProcess::Stopped>(read)) {
    child_.kill();
    return Stopped{};
  }
  const auto* text = std::get_if<ChildProcess::Line>(&read);
  if (text == nullptr) {
    child_.kill();
    return Lost{std::visit(WhatHappened{options_.silence_limit_ms}, read)};
  }
  auto parsed = parse_protocol_line(text->text);
  if (const auto* wrong = std::get_if<NotProtocol>(&parsed)) {
    child_.kill();
    return Lost{fmt::format("sent {}, which is no line of its protocol ({})", in_quotes(text->text),
                            wrong->reason)};
  }
  return std::get<ProtocolLine>(std::move(parsed));
}

}  // namespace ooc
