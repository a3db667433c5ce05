// Answering requests, in a process that may die of it: a parent that never touches the device starts one, passes on
// what it says, gives each request a time limit, and starts another behind a request that ended it.
#pragma once

#include <map>
#include <set>

#include "calibrate/bench/job.hpp"

namespace ooc::bench {

struct Options {
  int device = 0;
  bool full = false;
  std::set<std::string> groups{std::begin(kGroups), std::end(kGroups)};
  std::string output;     // appended to; empty: standard output
  std::string resume;     // what it answers is not measured again
  double within_s = 1e9;  // no request is begun that would end later
  double limit_s = 20;    // for a request, beside its estimate
  std::vector<std::shared_ptr<const Plan>> plans{};
};

// What lines of an earlier run say. A request that was begun and has no answer ended the program: it is put last,
// and after the second time left out.
struct History {
  std::set<std::string> answered;
  std::map<std::string, int> begun;
  void read(const std::string& line);
};

enum ExitCode { kExitDone = 0, kExitUsage = 2, kExitDeviceFailed = 4, kExitNoDevice = 5 };

// In the child: opens the device, answers, returns the exit code.
int answer_requests(const Options& options, const std::set<std::string>& groups,
                    const History& history, double deadline_s, Output& output);
int supervise(Options options);  // in the parent; returns the program's exit code
double now_s();                  // of a clock that all processes share

}  // namespace ooc::bench
