// The conversation: takes request lines, answers each, and decides what an error ends.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/job.hpp"
#include "calibrate/gpu/line.hpp"
#include "calibrate/gpu/machine.hpp"
#include "calibrate/gpu/replay/group.hpp"

namespace ooc::gpu {

enum class Next { kGoOn, kQuit, kDeviceLost };

class Server {
 public:
  Server(const Machine& machine, Output& output) : machine_(machine), output_(output) {}

  // Answers one line.
  Next answer(const std::string& text);

 private:
  Next measure(const Line& request);
  Next take_replay_line(const Line& line);
  Next run_replay();
  void abandon_replay(const std::string& reason);
  Next fail(const Line& request, const CallFailure& failure);

  Machine machine_;
  Output& output_;
  BufferPool pool_;
  std::string kept_for_;  // what the buffers in the pool were made for
  ReplayGroup group_;
  std::uint64_t replays_ = 0;  // begun
};

// `hello`, then the device: `machine` and `ready`. Throws NoDevice after sending `no_device`.
Machine greet(Output& output, int device, std::size_t need);

// Requests from a file, answers appended to another; what is already answered there is skipped. Returns the
// program's exit code.
struct Script {
  std::string requests;
  std::string answers;
  double budget_seconds;
};
int run_script(const Script& script, int device, std::size_t need);

// Requests from standard input, answers to standard output.
int run_conversation(int device, std::size_t need);

}  // namespace ooc::gpu
