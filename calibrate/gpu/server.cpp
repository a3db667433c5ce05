// Answers requests one by one. See server.hpp and docs/gpu-protocol.md.
#include "calibrate/gpu/server.hpp"

#include <cstdint>
#include <iostream>
#include <string>
#include <utility>

#include "calibrate/gpu/measurements.hpp"
#include "calibrate/gpu/platform.hpp"
#include "calibrate/gpu/replay/replay.hpp"
#include "calibrate/gpu/replay/check.hpp"
#include "calibrate/gpu/version.hpp"

namespace ooc::gpu {
namespace {

constexpr int kExitDeviceLost = 4;
constexpr int kExitNoDevice = 5;

LineBuilder error_line(const Line& request) {
  LineBuilder line("error");
  if (const std::string* id = request.find("id")) line.add("id", *id);
  return line;
}

}  // namespace

Next Server::answer(const std::string& text) {
  const ParsedLine parsed = parse_line(text);
  if (!parsed.line && group_.is_open()) {
    group_.spoil(parsed.problem);  // said once, when the group ends
    return Next::kGoOn;
  }
  if (!parsed.line) {
    output_.send(LineBuilder("error").add("text", parsed.problem));
    return Next::kGoOn;
  }
  const Line& request = *parsed.line;
  if (ReplayGroup::takes(request.word)) return take_replay_line(request);
  abandon_replay("the plan was given up by '" + request.word + "' before its 'run'");
  if (request.word == "quit") return Next::kQuit;
  if (request.word == "measure") return measure(request);
  output_.send(error_line(request).add(
      "text", "unknown request '" + request.word + "', known are measure, plan, quit"));
  return Next::kGoOn;
}

// A line that does not go on with the open group ends it and begins another, which fails if it is no plan.
Next Server::take_replay_line(const Line& line) {
  if (!group_.goes_on_with(line)) {
    abandon_replay("the plan was given up by another '" + line.word + "' before its 'run'");
  }
  group_.add(line);
  return line.word == "run" ? run_replay() : Next::kGoOn;
}

void Server::abandon_replay(const std::string& reason) {
  if (!group_.is_open()) return;
  group_.spoil(reason);
  run_replay();
}

Next Server::run_replay() {
  ReplayGroup group;
  std::swap(group, group_);
  const Line& first = group.first_line();
  try {
    const ReplayProgram program = group.finish();
    if (kept_for_ != "replay") pool_.clear();
    kept_for_ = "replay";
    const std::int64_t id = std::stoll(*first.find("id"));  // read_plan has seen to it
    replay({program, id, ++replays_}, machine_, pool_, output_);
  } catch (const RequestError& error) {
    output_.send(error_line(first).add("text", error.text));
  } catch (const WrongContent& wrong) {
    output_.send(error_line(first)
                     .add("step", static_cast<std::int64_t>(wrong.step))
                     .add("block", static_cast<std::int64_t>(wrong.block))
                     .add("content", wrong.content)
                     .add("text", wrong.text));
  } catch (const CallFailure& failure) {
    return fail(first, failure);
  }
  return Next::kGoOn;
}

Next Server::measure(const Line& request) {
  try {
    Job job(request, machine_, pool_, output_);
    const Measurement& measurement = find_measurement(job.text("what"));
    // Buffers are kept while requests are of one kind; others get all of the memory again.
    const std::string kind = job.text("what") + ' ' + job.text_or("mode", "");
    if (kind != kept_for_) pool_.clear();
    kept_for_ = kind;
    measurement.run(job);
    job.finish();
    return Next::kGoOn;
  } catch (const RequestError& error) {
    output_.send(error_line(request).add("text", error.text));
    return Next::kGoOn;
  } catch (const CallFailure& failure) {
    return fail(request, failure);
  }
}

Next Server::fail(const Line& request, const CallFailure& failure) {
  output_.send(error_line(request)
                   .add("call", failure.call)
                   .add("code", std::int64_t{failure.code})
                   .add("name", failure.name)
                   .add("text", failure.text)
                   .add("file", failure.file)
                   .add("line", std::int64_t{failure.line}));
  // An error that stays is reported again by the next call, whatever it is.
  static_cast<void>(cudaGetLastError());
  if (cudaDeviceSynchronize() != cudaSuccess) {
    std::cerr << "ooc-paleo-gpu: the device failed for good: " << failure.text << '\n';
    return Next::kDeviceLost;
  }
  pool_.clear();
  kept_for_.clear();
  return Next::kGoOn;
}

Machine greet(Output& output, int device, std::size_t need) {
  output.send(LineBuilder("hello")
                  .add("protocol", std::int64_t{1})
                  .add("program", "ooc-paleo-gpu")
                  .add("version", kVersion)
                  .add("backend", backend_name())
                  .add("plans", static_cast<std::int64_t>(kPlanVersion)));
  try {
    Machine machine = open_machine(device, need);
    output.send(machine_line(machine));
    output.send(LineBuilder("ready"));
    return machine;
  } catch (const NoDevice& none) {
    output.send(
        LineBuilder("no_device").add("looked_for", none.looked_for).add("reason", none.reason));
    throw;
  }
}

int run_conversation(int device, std::size_t need) {
  Output output(stdout);
  try {
    const Machine machine = greet(output, device, need);
    Server server(machine, output);
    std::string line;
    while (std::getline(std::cin, line)) {
      const Next next = server.answer(line);
      if (next == Next::kQuit) break;
      if (next == Next::kDeviceLost) return kExitDeviceLost;
    }
    return 0;
  } catch (const NoDevice& none) {
    std::cerr << "ooc-paleo-gpu: no usable device: " << none.looked_for << ": " << none.reason
              << '\n';
    return kExitNoDevice;
  }
}

}  // namespace ooc::gpu
