// A conversation with the measuring program: started, greeted, then lines both ways. What calibrate
// and replay share; what they ask differs (child_probe.cpp, replay_session.cpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "calibrate/session/child_process.hpp"
#include "calibrate/session/probe.hpp"
#include "calibrate/session/protocol.hpp"

namespace ooc {

class Conversation {
 public:
  explicit Conversation(const ChildOptions& options);

  /// None when it is ready.
  [[nodiscard]] std::optional<NoProbe> greet(const StopAsked& stop);

  [[nodiscard]] const KeyValues& machine() const { return machine_; }
  /// The newest version of plans that it reads.
  [[nodiscard]] long long reads_plans() const { return find_integer(hello_, "plans").value_or(1); }
  [[nodiscard]] std::string program() const;  ///< "ooc-paleo-gpu 0.1.0"
  [[nodiscard]] std::string backend() const;

  struct Lost {
    std::string reason;  ///< "said nothing for 60 s"
  };
  struct Stopped {};

  /// None when all of it is sent. A child that no longer listens has ended or is about to: that is
  /// found out by reading. Anything but none ends the child.
  using NotSent = std::variant<Lost, Stopped>;
  [[nodiscard]] std::optional<NotSent> send(std::string_view lines, const StopAsked& stop);
  /// The next line. Anything else ends the child.
  using Heard = std::variant<ProtocolLine, Lost, Stopped>;
  [[nodiscard]] Heard hear(const StopAsked& stop);
  /// Ends the child, for what it said cannot be.
  void hang_up() { child_.kill(); }

 private:
  ChildOptions options_;
  ChildProcess child_;
  KeyValues hello_;
  KeyValues machine_;
};

}  // namespace ooc
