// Asks a child for measurements. What it answers must belong to the request and make sense; if not,
// the child is given up (conversation.hpp).
#include <fmt/format.h>

#include <utility>

#include "calibrate/session/conversation.hpp"
#include "calibrate/session/probe.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

class ChildProbe : public Probe {
 public:
  explicit ChildProbe(const ChildOptions& options) : child_(options) {}

  /// None when it is ready.
  std::optional<NoProbe> greet(const StopAsked& stop) { return child_.greet(stop); }

  const KeyValues& machine() const override { return child_.machine(); }
  std::string program() const override { return child_.program(); }
  std::string backend() const override { return child_.backend(); }

  ProbeAnswer measure(const Request& request, const StopAsked& stop) override {
    ProbeAnswer answer;
    answer.group.request = identity_of(request.keys);
    ProtocolLine line{.word = "measure", .values = {{"id", std::to_string(++id_)}}};
    line.values.insert(line.values.end(), request.keys.begin(), request.keys.end());
    if (const auto failed = child_.send(format_protocol_line(line), stop)) {
      if (const auto* lost = std::get_if<Conversation::Lost>(&*failed)) {
        return lose(std::move(answer), lost->reason);
      }
      answer.state = ProbeState::kStopped;
      return answer;
    }
    while (true) {
      const Conversation::Heard heard = child_.hear(stop);
      if (std::holds_alternative<Conversation::Stopped>(heard)) {
        answer.state = ProbeState::kStopped;
        return answer;
      }
      if (const auto* lost = std::get_if<Conversation::Lost>(&heard)) {
        return lose(std::move(answer), lost->reason);
      }
      const std::string problem = take(std::get<ProtocolLine>(heard), answer.group);
      if (!problem.empty()) return lose(std::move(answer), problem);
      if (answer.group.state != GroupState::kOpen) return answer;
    }
  }

 private:
  ProbeAnswer lose(ProbeAnswer answer, std::string reason) {
    child_.hang_up();
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

  Conversation child_;
  long long id_ = 0;
};

}  // namespace

ProbeOrNone start_child_probe(const ChildOptions& options, const StopAsked& stop) {
  auto probe = std::make_unique<ChildProbe>(options);
  if (auto none = probe->greet(stop)) return *none;
  return std::unique_ptr<Probe>(std::move(probe));
}

}  // namespace ooc
