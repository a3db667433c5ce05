// The device that is measured and the host around it, as the `machine` record reports them. What the operating system is
// asked (memory nodes by system call, so that libnuma is not needed; memory; the PCIe link in /sys) is best effort:
// where it does not tell, the answer is "unknown".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/bench/records.hpp"

namespace ooc::bench {

// The link of a device. Generation 1 to 6 from the link speed.
struct PcieLink {
  std::optional<int> generation, generation_max, width, width_max, numa_node;
};
PcieLink read_pcie_link(const std::string& bus_id);  // "0000:3b:00.0", any case

struct Machine {
  int device = 0;
  int devices = 1;
  std::string name;
  int major = 0, minor = 0;
  int multiprocessors = 0;
  std::size_t total_bytes = 0, free_bytes = 0;
  int driver = 0, runtime = 0;
  int clock_khz = 0, memory_clock_khz = 0;
  int l2_bytes = 0;
  int copy_engines = 0;
  bool managed_prefetch = false;
  bool host_page_tables = false;  // far memory is read over the link; no page moves on a fault
  double timer_tick_ns = 0;       // of the clock that spinning kernels read
  std::string bus_id;
  PcieLink link;
  std::vector<int> cpu_nodes;
};

struct NoDevice {  // that can be used
  std::string reason;
};

// Chooses and starts the device; throws NoDevice.
Machine open_machine(int device);
Record machine_record(const Machine& machine);

void touch_pages(void* memory, std::size_t bytes);
// What may still be taken, and what there is: of nodes with processors, and within the limits of control groups.
std::size_t available_host_bytes();
std::size_t total_host_bytes();
unsigned host_thread_count();

}  // namespace ooc::bench
