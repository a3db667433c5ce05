// Memory nodes, memory sizes and the PCIe link, from Linux. See host.hpp.
#include "calibrate/bench/host.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace ooc::bench {
namespace {

// From <linux/mempolicy.h>, which is part of the kernel's interface and never changes.
constexpr int kPolicyDefault = 0;
constexpr int kPolicyPreferred = 1;  // where the node is full, from another: binding would kill
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

const std::string kNodes = "/sys/devices/system/node/node";

// "MemTotal:  32 kB", in a node's file "Node 0 MemTotal:  32 kB".
std::size_t meminfo(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t at = line.find(key + ":");
    if (at == std::string::npos || (at > 0 && line[at - 1] != ' ')) continue;
    return static_cast<std::size_t>(
               std::strtoull(line.c_str() + at + key.size() + 1, nullptr, 10)) *
           1024;
  }
  return 0;
}

struct ControlGroup {
  std::size_t limit;
  std::size_t used;
};

// Versions 2 and 1, as containers see their own. A limit that is no number ("max") is none.
std::vector<ControlGroup> control_groups() {
  static constexpr std::array<std::array<const char*, 2>, 2> kFiles{
      {{"memory.max", "memory.current"},
       {"memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"}}};
  std::vector<ControlGroup> groups;
  for (const auto& [limit, used] : kFiles) {
    const std::string root = "/sys/fs/cgroup/";
    const auto limit_text = first_line(root + limit);
    const auto used_text = first_line(root + used);
    if (!limit_text || !used_text) continue;
    const std::size_t bytes = std::strtoull(limit_text->c_str(), nullptr, 10);
    if (bytes > 0) groups.push_back({bytes, std::strtoull(used_text->c_str(), nullptr, 10)});
  }
  return groups;
}

}  // namespace

NodeBinding::NodeBinding(std::optional<int> node) {
  if (!node || *node < 0 || *node >= 64) return;
  const unsigned long mask = 1UL << *node;
  bound_ = syscall(SYS_set_mempolicy, kPolicyPreferred, &mask, 65UL) == 0;
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

std::vector<int> nodes_with_cpus() {
  std::vector<int> nodes;
  for (int node = 0; node < 256; ++node) {
    const auto cpus = first_line(kNodes + std::to_string(node) + "/cpulist");
    if (cpus && !cpus->empty()) nodes.push_back(node);
  }
  return nodes;
}

void touch_pages(void* memory, std::size_t bytes) {
  auto* bytes_of = static_cast<volatile unsigned char*>(memory);
  for (std::size_t i = 0; i < bytes; i += 4096) bytes_of[i] = 1;
}

std::size_t available_host_bytes() {
  std::size_t available = meminfo("/proc/meminfo", "MemAvailable");
  if (available == 0) available = total_host_bytes() / 2;
  for (const ControlGroup& group : control_groups()) {
    available = std::min(available, group.limit > group.used ? group.limit - group.used : 0);
  }
  return std::min(available, total_host_bytes());
}

std::size_t total_host_bytes() {
  std::size_t total = 0;
  for (const int node : nodes_with_cpus()) {
    total += meminfo(kNodes + std::to_string(node) + "/meminfo", "MemTotal");
  }
  const std::size_t pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                            static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  total = total == 0 ? pages : std::min(total, pages);
  for (const ControlGroup& group : control_groups()) total = std::min(total, group.limit);
  return total;
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

std::string pci_folder(const std::string& bus_id) {
  std::string id = bus_id;
  std::transform(id.begin(), id.end(), id.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return "/sys/bus/pci/devices/" + id + "/";
}

PcieLink read_pcie_link(const std::string& bus_id) {
  const std::string folder = pci_folder(bus_id);
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

void run_near(const std::string& bus_id) {
  const auto list = first_line(pci_folder(bus_id) + "local_cpulist");
  if (!list) return;
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  const char* at = list->c_str();  // "0-15,32-47"
  while (*at >= '0' && *at <= '9') {
    char* end = nullptr;
    const long first = std::strtol(at, &end, 10);
    const long last = *end == '-' ? std::strtol(end + 1, &end, 10) : first;
    for (long cpu = first; cpu <= last && cpu < CPU_SETSIZE; ++cpu) {
      CPU_SET(static_cast<unsigned>(cpu), &wanted);
    }
    at = *end == ',' ? end + 1 : end;
  }
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  CPU_AND(&wanted, &wanted, &allowed);
  if (CPU_COUNT(&wanted) > 0) sched_setaffinity(0, sizeof wanted, &wanted);
}

}  // namespace ooc::bench
