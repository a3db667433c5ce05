// Memory nodes, memory sizes and the PCIe link, from Linux. See host.hpp.
#include "calibrate/gpu/host.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace ooc::gpu {
namespace {

// From <linux/mempolicy.h>, which is part of the kernel's interface and never changes.
constexpr int kPolicyDefault = 0;
constexpr int kPolicyBind = 2;
constexpr unsigned long kFlagNode = 1;
constexpr unsigned long kFlagAddress = 2;

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::optional<int> integer(const std::optional<std::string>& text) {
  if (!text || text->empty()) return std::nullopt;
  char* end = nullptr;
  const long value = std::strtol(text->c_str(), &end, 10);
  if (end == text->c_str() || value < 0 || value > 1024) return std::nullopt;
  return static_cast<int>(value);
}

std::size_t meminfo(const std::string& key) {
  std::ifstream file("/proc/meminfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind(key + ":", 0) == 0) {
      return static_cast<std::size_t>(std::strtoull(line.c_str() + key.size() + 1, nullptr, 10)) *
             1024;
    }
  }
  return 0;
}

}  // namespace

NodeBinding::NodeBinding(std::optional<int> node) {
  if (!node || *node < 0 || *node >= 64) return;
  const unsigned long mask = 1UL << *node;
  bound_ = syscall(SYS_set_mempolicy, kPolicyBind, &mask, 65UL) == 0;
}

NodeBinding::~NodeBinding() {
  if (bound_) syscall(SYS_set_mempolicy, kPolicyDefault, nullptr, 0UL);
}

std::optional<int> node_of_page(const void* address) {
  int node = -1;
  if (syscall(SYS_get_mempolicy, &node, nullptr, 0UL, address, kFlagNode | kFlagAddress) != 0) {
    return std::nullopt;
  }
  return node >= 0 ? std::optional<int>(node) : std::nullopt;
}

int host_node_count() {
  int count = 0;
  while (access(("/sys/devices/system/node/node" + std::to_string(count)).c_str(), F_OK) == 0) {
    ++count;
  }
  return count;
}

void touch_pages(void* memory, std::size_t bytes) {
  auto* bytes_of = static_cast<volatile unsigned char*>(memory);
  for (std::size_t i = 0; i < bytes; i += 4096) bytes_of[i] = 1;
}

// Containers may be allowed less than the machine has; that is the kernel's to enforce.
std::size_t available_host_bytes() {
  const std::size_t available = meminfo("MemAvailable");
  return available != 0 ? available : total_host_bytes() / 2;
}

std::size_t total_host_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

unsigned host_thread_count() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&allowed)));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

std::optional<int> pcie_generation(const std::string& link_speed) {
  const double transfers = std::strtod(link_speed.c_str(), nullptr);
  const double per_generation[] = {2.5, 5, 8, 16, 32, 64};
  for (int i = 0; i < 6; ++i) {
    if (transfers > per_generation[i] * 0.9 && transfers < per_generation[i] * 1.1) return i + 1;
  }
  return std::nullopt;
}

PcieLink read_pcie_link(const std::string& bus_id) {
  std::string id = bus_id;
  std::transform(id.begin(), id.end(), id.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::string folder = "/sys/bus/pci/devices/" + id + "/";
  const auto generation = [&](const char* name) {
    const std::optional<std::string> line = first_line(folder + name);
    return line ? pcie_generation(*line) : std::nullopt;
  };
  PcieLink link;
  link.generation = generation("current_link_speed");
  link.generation_max = generation("max_link_speed");
  link.width = integer(first_line(folder + "current_link_width"));
  link.width_max = integer(first_line(folder + "max_link_width"));
  link.numa_node = integer(first_line(folder + "numa_node"));  // -1: the system does not say
  return link;
}

}  // namespace ooc::gpu
