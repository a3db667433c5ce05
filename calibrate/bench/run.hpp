// Runs requests in a child process, since a request may crash or hang its process. The parent never touches the device.
// It forwards the child's output, limits the time of each request, and starts a new child after a failed request.
#pragma once

#include <map>
#include <set>

#include "calibrate/bench/job.hpp"

namespace ooc::bench {

struct Options {
  int device = 0;
  bool full = false;
  std::set<std::string> groups{std::begin(kGroups), std::end(kGroups)};
  std::string output;     // path of a file to append to; empty: standard output
  std::string resume;     // path of an earlier run's output, whose answers are not measured again
  double within_s = 1e9;  // seconds for everything; no request begins that would end later
  double limit_s = 20;    // seconds without output in a request, beside 4 x its estimate
  std::vector<std::shared_ptr<const Plan>> plans{};
};

// Requests of earlier sessions, by Request::text(). A request that was begun but not answered ended
// the program: such a request runs last, and after a second failure not at all.
struct History {
  std::set<std::string> answered;
  std::map<std::string, int> begun;
  void read(const std::string& line);
};

enum ExitCode { kExitDone = 0, kExitUsage = 2, kExitDeviceFailed = 4, kExitNoDevice = 5 };

// Runs in the child: opens the device, answers requests, returns the exit code.
int answer_requests(const Options& options, const std::set<std::string>& groups,
                    const History& history, double deadline_s, Output& output);
int supervise(Options options);  // runs in the parent; returns the program's exit code
double now_s();                  // clock shared by all processes

}  // namespace ooc::bench
