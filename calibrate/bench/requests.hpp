// What is measured, in which order and how often. A request is known by its text, "copy bytes=4096
// direction=to_near mode=pinned": what it measures, then its keys by name.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/bench/machine.hpp"

namespace ooc::bench {

struct Plan;  // replay.hpp

struct Repeats {
  int least = 11;
  int most = 11;
  double target = 0.01;  // half width of the median's 95 % interval
  double max_ms = 5000;
};

struct Request {
  std::string what;
  std::map<std::string, std::string> keys;
  std::string group;  // "pinned", "costs", "replay", "pageable", "unified"
  Repeats repeats;
  double seconds = 0;                  // estimate
  std::shared_ptr<const Plan> plan{};  // of a replay

  std::string text() const;
};

// Managed memory comes last and in a process of its own: it is what can hang a device.
inline constexpr const char* kGroups[] = {"pinned", "costs", "replay", "pageable", "unified"};

// Everything but replays, most useful first.
std::vector<Request> all_requests(const Machine& machine, bool full);

}  // namespace ooc::bench
