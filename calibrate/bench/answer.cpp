// The child's part. See run.hpp.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "calibrate/bench/check.hpp"
#include "calibrate/bench/measurements.hpp"
#include "calibrate/bench/platform.hpp"
#include "calibrate/bench/replay.hpp"
#include "calibrate/bench/run.hpp"

namespace ooc::bench {
namespace {

struct Measurement {
  const char* what;
  void (*run)(Job& job);
};

constexpr Measurement kAll[] = {{"copy", &measure_copy},
                                {"sustained", &measure_sustained},
                                {"duplex", &measure_duplex},
                                {"interference", &measure_interference},
                                {"all_devices", &measure_all_devices},
                                {"near_copy", &measure_near_copy},
                                {"near_stream", &measure_near_stream},
                                {"host_memory", &measure_host_memory},
                                {"pin", &measure_pin},
                                {"device_malloc", &measure_device_malloc},
                                {"launch", &measure_launch},
                                {"replay", &measure_replay}};

std::vector<Request> requests_of(const Options& options, const std::set<std::string>& groups,
                                 const Machine& machine) {
  std::vector<Request> wanted;
  for (Request& request : all_requests(machine, options.full)) {
    if (groups.count(request.group) > 0) wanted.push_back(std::move(request));
  }
  for (const auto& plan : options.plans) {
    if (groups.count("replay") == 0) break;
    wanted.push_back({"replay", {{"id", plan->id}}, "replay", {}, 1 + 1.5e-3 * plan->max_ms, plan});
  }
  const auto place = [](const Request& request) {
    return std::find_if(std::begin(kGroups), std::end(kGroups),
                        [&](const char* group) { return request.group == group; });
  };
  std::stable_sort(wanted.begin(), wanted.end(),
                   [&](const Request& a, const Request& b) { return place(a) < place(b); });
  return wanted;
}

// Without what is answered; what ended the program once comes last.
std::vector<Request> still_open(std::vector<Request> requests, const History& history) {
  std::vector<Request> open;
  std::vector<Request> last;
  for (Request& request : requests) {
    const std::string text = request.text();
    if (history.answered.count(text) > 0) continue;
    const auto begun = history.begun.find(text);
    const int times = begun == history.begun.end() ? 0 : begun->second;
    if (times == 0) open.push_back(std::move(request));
    if (times == 1) last.push_back(std::move(request));
  }
  for (Request& request : last) open.push_back(std::move(request));
  return open;
}

class Answerer {
 public:
  Answerer(const Machine& machine, Output& output) : machine_(machine), output_(output) {}

  // False: the device has failed for good.
  bool answer(const Request& request) {
    try {
      // Buffers are kept while requests are of one kind; others get all of the memory again.
      const auto mode = request.keys.find("mode");
      const std::string kind =
          request.what + (mode == request.keys.end() ? "" : " " + mode->second);
      if (kind != kept_for_) pool_.clear();
      kept_for_ = kind;
      Job job(request, machine_, pool_, output_);
      for (const Measurement& each : kAll) {
        if (request.what == each.what) each.run(job);
      }
      job.finish();
      return true;
    } catch (const RequestError& error) {
      output_.send(Record("error").text("request", request.text()).text("text", error.text));
      return true;
    } catch (const CallFailure& failure) {
      output_.send(Record("error")
                       .text("request", request.text())
                       .text("call", failure.call)
                       .integer("code", failure.code)
                       .text("name", failure.name)
                       .text("text", failure.text)
                       .text("file", failure.file)
                       .integer("line", failure.line));
      // An error that stays is reported again by the next call, whatever it is.
      static_cast<void>(cudaGetLastError());
      if (cudaDeviceSynchronize() != cudaSuccess) return false;
      pool_.clear();
      kept_for_.clear();
      return true;
    }
  }

 private:
  const Machine& machine_;
  Output& output_;
  BufferPool pool_;
  std::string kept_for_;
};

}  // namespace

int answer_requests(const Options& options, const std::set<std::string>& groups,
                    const History& history, double deadline_s, Output& output) {
  Machine machine;
  try {
    machine = open_machine(options.device);
  } catch (const NoDevice& none) {
    output.send(
        Record("no_device").text("looked_for", none.looked_for).text("reason", none.reason));
    std::fprintf(stderr, "ooc-paleo-gpu: no usable device: %s: %s\n", none.looked_for.c_str(),
                 none.reason.c_str());
    return kExitNoDevice;
  }
  output.send(machine_record(machine));
  const std::vector<Request> open = still_open(requests_of(options, groups, machine), history);
  Answerer answerer(machine, output);
  std::int64_t left_out = 0;
  double left_s = 0;
  for (const Request& request : open) left_s += request.seconds;
  output.send(Record("plan")
                  .integer("requests", static_cast<std::int64_t>(open.size()))
                  .number("seconds", left_s));
  for (const Request& request : open) {
    if (now_s() + request.seconds > deadline_s) {
      ++left_out;
      continue;
    }
    output.send(Record("begin")
                    .text("request", request.text())
                    .number("limit_s", options.limit_s + 4 * request.seconds));
    if (!answerer.answer(request)) return kExitDeviceFailed;
  }
  output.send(Record("end").integer("left_out", left_out));
  return kExitDone;
}

}  // namespace ooc::bench
