// Device and host, for the `machine` record. The operating system tells of the host and of the PCIe
// link (/proc, /sys). What of the link cannot be read is left out of the record.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/bench/records.hpp"

namespace ooc::bench {

// Link of a device. Generation 1 to 6 follows from the link speed. Unset: cannot be read.
struct PcieLink {
  std::optional<int> generation, generation_max, width, width_max, numa_node;
};
PcieLink read_pcie_link(const std::string& bus_id);  // such as "0000:3b:00.0", any case

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
  bool host_page_tables = false;  // kernels read host memory over the link; faults move no page
  double timer_tick_ns = 0;       // tick of the clock of spinning kernels
  std::string bus_id;
  PcieLink link;
  std::vector<int> cpu_nodes;
};

struct NoDevice {  // thrown if there is no usable device
  std::string reason;
};

// Selects and initialises the device, and moves the process to processors near it. Throws NoDevice.
Machine open_machine(int device);
Record machine_record(const Machine& machine);

void touch_pages(void* memory, std::size_t bytes);  // writes a byte to each page of 4 KiB
// Bytes of host memory on nodes with processors, within limits of control groups: free, and all.
std::size_t available_host_bytes();
std::size_t total_host_bytes();
unsigned host_thread_count();

}  // namespace ooc::bench
