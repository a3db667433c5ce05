// The child's part. See run.hpp.
#include <cstdio>

#include "calibrate/bench/run.hpp"

namespace ooc::bench {
namespace {

// Group by group, without what is answered; what ended the program once comes last.
std::vector<Request> open_requests(const Options& options, const std::set<std::string>& groups,
                                   const History& history, const Machine& machine) {
  std::vector<Request> wanted = all_requests(machine, options.full);
  for (const auto& plan : options.plans) {
    wanted.push_back({"replay", {{"id", plan->id}}, "replay", {}, 1 + 1.5e-3 * plan->max_ms, plan});
  }
  std::vector<Request> open;
  std::vector<Request> last;
  for (const char* group : kGroups) {
    if (groups.count(group) == 0) continue;
    for (const Request& request : wanted) {
      const std::string text = request.text();
      if (request.group != group || history.answered.count(text) > 0) continue;
      const auto begun = history.begun.find(text);
      const int times = begun == history.begun.end() ? 0 : begun->second;
      if (times < 2) (times == 0 ? open : last).push_back(request);
    }
  }
  open.insert(open.end(), last.begin(), last.end());
  return open;
}

/// Buffers, kept while requests are of one kind; others get all of the memory again.
struct KeptBuffers {
  BufferPool pool = {};
  std::string kind = {};
};

// False: the device has failed for good.
bool answer(const Request& request, const Machine& machine, KeptBuffers& kept, Output& output) {
  const auto mode = request.keys.find("mode");
  const std::string kind = request.what + (mode == request.keys.end() ? "" : mode->second);
  try {
    if (kind != kept.kind) kept.pool.clear();
    kept.kind = kind;
    Job job(request, machine, kept.pool, output);
    measure(job);
    job.finish();
    return true;
  } catch (const Failure& failure) {
    output.send(Record("error").text("request", request.text()).text("text", failure.text));
    // An error that stays is reported again by the next call, whatever it is.
    static_cast<void>(cudaGetLastError());
    if (cudaDeviceSynchronize() != cudaSuccess) return false;
    kept.pool.clear();
    return true;
  }
}

}  // namespace

int answer_requests(const Options& options, const std::set<std::string>& groups,
                    const History& history, double deadline_s, Output& output) {
  Machine machine;
  try {
    machine = open_machine(options.device);
  } catch (const NoDevice& none) {
    output.send(Record("no_device").text("reason", none.reason));
    std::fprintf(stderr, "ooc-paleo-gpu: no usable device: %s\n", none.reason.c_str());
    return kExitNoDevice;
  }
  output.send(machine_record(machine));
  const std::vector<Request> open = open_requests(options, groups, history, machine);
  KeptBuffers kept;
  std::int64_t left_out = 0;
  output.send(Record("plan").integer("requests", static_cast<std::int64_t>(open.size())));
  for (const Request& request : open) {
    if (now_s() + request.seconds > deadline_s) {
      ++left_out;
      continue;
    }
    output.send(Record("begin")
                    .text("request", request.text())
                    .number("limit_s", options.limit_s + 4 * request.seconds));
    if (!answer(request, machine, kept, output)) return kExitDeviceFailed;
  }
  output.send(Record("end").integer("left_out", left_out));
  return kExitDone;
}

}  // namespace ooc::bench
