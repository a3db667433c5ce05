// The device that is measured and the host around it, as the `machine` record reports them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "calibrate/bench/host.hpp"
#include "calibrate/bench/records.hpp"

namespace ooc::bench {

struct Machine {
  int device = 0;
  int devices = 1;
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
  int l2_bytes = 0;
  int copy_engines = 0;
  bool managed_prefetch = false;
  bool host_page_tables = false;  // far memory is read over the link; no page moves on a fault
  double timer_tick_ns = 0;       // of the clock that spinning kernels read
  std::string bus_id;
  PcieLink link;
  std::vector<int> cpu_nodes;
};

// No device that can be used: what was looked for, and why it is not there.
struct NoDevice {
  std::string looked_for;
  std::string reason;
};

// Chooses and starts the device; throws NoDevice.
Machine open_machine(int device);

Record machine_record(const Machine& machine);

}  // namespace ooc::bench
