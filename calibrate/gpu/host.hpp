// What this program reads from and asks of the operating system: memory nodes (by system call, so that libnuma
// is not needed), available memory, and the PCIe link's state in /sys. All of it is best effort: where
// the system does not tell, the answer is "unknown".
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace ooc::gpu {

// Pages that this thread touches first, or that a driver takes for it, come from `node` while this lives.
class NodeBinding {
 public:
  explicit NodeBinding(std::optional<int> node);
  ~NodeBinding();
  NodeBinding(const NodeBinding&) = delete;
  NodeBinding& operator=(const NodeBinding&) = delete;

 private:
  bool bound_ = false;
};

std::optional<int> node_of_page(const void* address);
int host_node_count();
void touch_pages(void* memory, std::size_t bytes);
std::size_t available_host_bytes();
std::size_t total_host_bytes();
unsigned host_thread_count();

// The link of the device at `bus_id` ("0000:3b:00.0", any case). Generation 1 to 6 from the link speed.
struct PcieLink {
  std::optional<int> generation;
  std::optional<int> generation_max;
  std::optional<int> width;
  std::optional<int> width_max;
  std::optional<int> numa_node;
};
PcieLink read_pcie_link(const std::string& bus_id);

// "32.0 GT/s PCIe" -> 5.
std::optional<int> pcie_generation(const std::string& link_speed);

}  // namespace ooc::gpu
