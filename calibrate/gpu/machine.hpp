// The device that is measured and the host around it, as the `machine` line reports them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "calibrate/gpu/host.hpp"
#include "calibrate/gpu/line.hpp"

namespace ooc::gpu {

struct Machine {
  int device = 0;
  std::string name;
  int major = 0;
  int minor = 0;
  int multiprocessors = 0;
  std::size_t total_bytes = 0;
  std::size_t free_bytes = 0;
  int driver = 0;
  int runtime = 0;
  int clock_khz = 0;
  int memory_clock_khz = 0;
  bool managed_prefetch = false;
  std::size_t page_bytes = 0;  // the smallest that can be mapped; 0: none (page_calls.hpp)
  std::string bus_id;
  PcieLink link;
};

// No device that can be used: what was looked for, and why it is not there.
struct NoDevice {
  std::string looked_for;
  std::string reason;
};

// Chooses and starts the device; throws NoDevice, also when less than `need` bytes are free on it.
Machine open_machine(int device, std::size_t need);

LineBuilder machine_line(const Machine& machine);

}  // namespace ooc::gpu
