// What this program reads from and asks of the operating system: memory nodes (by system call, so that libnuma
// is not needed), available memory, and the PCIe link's state in /sys. All of it is best effort: where
// the system does not tell, the answer is "unknown".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ooc::bench {

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
// Memory nodes that have processors: near memory may be a node, too (Grace Hopper), and is none of them.
std::vector<int> nodes_with_cpus();
void touch_pages(void* memory, std::size_t bytes);
// What may still be taken, and what there is: of the nodes with processors, and no more than the limits of the
// control groups that this process is in.
std::size_t available_host_bytes();
std::size_t total_host_bytes();
unsigned host_thread_count();

// Has this process run on the processors near the device at `bus_id`, where the system tells them. Far from it
// pageable copies cross the link between the sockets.
void run_near(const std::string& bus_id);

// The link of the device at `bus_id` ("0000:3b:00.0", any case). Generation 1 to 6 from the link speed.
struct PcieLink {
  std::optional<int> generation;
  std::optional<int> generation_max;
  std::optional<int> width;
  std::optional<int> width_max;
  std::optional<int> numa_node;
};
std::string pci_folder(const std::string& bus_id);  // with a slash at its end
PcieLink read_pcie_link(const std::string& bus_id);

// "32.0 GT/s PCIe" -> 5.
std::optional<int> pcie_generation(const std::string& link_speed);

}  // namespace ooc::bench
