// From CUDA's attributes and Linux' files. See machine.hpp.
#include "calibrate/bench/machine.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "calibrate/bench/device.hpp"

namespace ooc::bench {
namespace {

constexpr std::size_t kLeastFree = std::size_t{64} << 20;

// Empty where there is none.
std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::optional<int> integer(const std::string& text) {
  char* end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  if (end == text.c_str() || value < 0 || value > 1024) return std::nullopt;
  return static_cast<int>(value);
}

std::string node_folder(int node) {
  return "/sys/devices/system/node/node" + std::to_string(node) + "/";
}

// Near memory may be a node, too (Grace Hopper), and has no processors.
std::vector<int> nodes_with_cpus() {
  std::vector<int> nodes;
  for (int node = 0; node < 256; ++node) {
    if (!first_line(node_folder(node) + "cpulist").empty()) nodes.push_back(node);
  }
  return nodes;
}

// "MemTotal:  32 kB", in a node's file "Node 0 MemTotal:  32 kB".
std::size_t meminfo(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t at = line.find(key + ":");
    if (at == std::string::npos || (at > 0 && line[at - 1] != ' ')) continue;
    return 1024 *
           static_cast<std::size_t>(std::strtoull(line.c_str() + at + key.size() + 1, nullptr, 10));
  }
  return 0;
}

// Limit and use of versions 2 and 1, as containers see their own. A limit that is no number ("max") is none.
std::vector<std::pair<std::size_t, std::size_t>> control_groups() {
  std::vector<std::pair<std::size_t, std::size_t>> groups;
  const std::string root = "/sys/fs/cgroup/memory";
  for (const auto& [limit, used] :
       {std::pair{".max", ".current"}, {"/memory.limit_in_bytes", "/memory.usage_in_bytes"}}) {
    const std::size_t bytes = std::strtoull(first_line(root + limit).c_str(), nullptr, 10);
    const std::string taken = first_line(root + used);
    if (bytes > 0) groups.emplace_back(bytes, std::strtoull(taken.c_str(), nullptr, 10));
  }
  return groups;
}

std::string pci_folder(std::string bus_id) {
  for (char& c : bus_id) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return "/sys/bus/pci/devices/" + bus_id + "/";
}

// "32.0 GT/s PCIe" -> 5.
std::optional<int> pcie_generation(const std::string& link_speed) {
  const double transfers = std::strtod(link_speed.c_str(), nullptr);
  const double per_generation[] = {2.5, 5, 8, 16, 32, 64};
  for (int i = 0; i < 6; ++i) {
    if (std::abs(transfers / per_generation[i] - 1) < 0.1) return i + 1;
  }
  return std::nullopt;
}

// Has this process run on the processors near the device, where the system tells them ("0-15,32-47"). Far from it
// pageable copies cross the link between the sockets.
void run_near(const std::string& bus_id) {
  const std::string list = first_line(pci_folder(bus_id) + "local_cpulist");
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  const char* at = list.c_str();
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

std::string version_text(int version) {
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

// Attributes that an old driver does not know read as 0.
int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, device) == cudaSuccess) return value;
  static_cast<void>(cudaGetLastError());
  return 0;
}

Machine read_machine(int device) {
  Machine machine;
  machine.device = device;
  OOC_GPU_CHECK(cudaSetDevice(device));
  cudaDeviceProp properties{};  // its clocks went in CUDA 13, the attributes stay
  OOC_GPU_CHECK(cudaGetDeviceProperties(&properties, device));
  machine.name = properties.name;
  machine.major = properties.major;
  machine.minor = properties.minor;
  machine.multiprocessors = properties.multiProcessorCount;
  OOC_GPU_CHECK(cudaMemGetInfo(&machine.free_bytes, &machine.total_bytes));
  OOC_GPU_CHECK(cudaDriverGetVersion(&machine.driver));
  OOC_GPU_CHECK(cudaRuntimeGetVersion(&machine.runtime));
  machine.clock_khz = attribute(cudaDevAttrClockRate, device);
  machine.memory_clock_khz = attribute(cudaDevAttrMemoryClockRate, device);
  machine.l2_bytes = attribute(cudaDevAttrL2CacheSize, device);
  machine.copy_engines = attribute(cudaDevAttrAsyncEngineCount, device);
  machine.managed_prefetch = attribute(cudaDevAttrConcurrentManagedAccess, device) != 0;
  machine.host_page_tables =
      attribute(cudaDevAttrPageableMemoryAccessUsesHostPageTables, device) != 0;
  char bus_id[32] = {};
  OOC_GPU_CHECK(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, device));
  machine.bus_id = bus_id;
  machine.link = read_pcie_link(machine.bus_id);
  machine.cpu_nodes = nodes_with_cpus();
  return machine;
}

// Why the runtime counts no devices, for a person. The versions can be asked without a device.
std::string why_no_count(cudaError_t status) {
  int driver = 0;
  int runtime = 0;
  static_cast<void>(cudaDriverGetVersion(&driver));
  static_cast<void>(cudaRuntimeGetVersion(&runtime));
  if (driver == 0) return "no NVIDIA driver here";
  if (driver < runtime) {
    return "the driver knows CUDA " + version_text(driver) + ", this program was built with " +
           version_text(runtime) + ": install a newer driver, or build with an older toolkit";
  }
  return std::string("cudaGetDeviceCount: ") + cudaGetErrorString(status);
}

}  // namespace

Machine open_machine(int device) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) throw NoDevice{why_no_count(status)};
  if (device < 0 || device >= count) {
    throw NoDevice{"no device " + std::to_string(device) + ", there are " + std::to_string(count)};
  }
  if (attribute(cudaDevAttrIntegrated, device) != 0) {
    throw NoDevice{
        "its memory is the host's: near and far memory are one, and there is no link to measure"};
  }
  try {
    Machine machine = read_machine(device);
    machine.devices = count;
    if (machine.free_bytes < kLeastFree) {
      throw NoDevice{machine.name + " has " + std::to_string(machine.free_bytes) +
                     " bytes free of " + std::to_string(machine.total_bytes) +
                     ": end what else uses the device"};
    }
    run_near(machine.bus_id);
    machine.timer_tick_ns = load_everything(machine.multiprocessors);
    return machine;
  } catch (const Failure& failure) {
    throw NoDevice{failure.text};
  }
}

Record machine_record(const Machine& machine) {
  Record record("machine");
  record.text("device_name", machine.name);
  record.text("compute_capability",
              std::to_string(machine.major) + '.' + std::to_string(machine.minor));
  record.text("driver", version_text(machine.driver));
  record.text("cuda_runtime", version_text(machine.runtime));
  record.text("pci_bus_id", machine.bus_id);
  const auto positive = [](std::int64_t value) {
    return value > 0 ? std::optional<std::int64_t>(value) : std::nullopt;
  };
  const PcieLink& link = machine.link;
  const std::pair<const char*, std::optional<std::int64_t>> numbers[] = {
      {"device", machine.device},
      {"devices", machine.devices},
      {"sm_count", machine.multiprocessors},
      {"memory_total_bytes", machine.total_bytes},
      {"memory_free_bytes", machine.free_bytes},
      {"pcie_generation", link.generation},
      {"pcie_generation_max", link.generation_max},
      {"pcie_width", link.width},
      {"pcie_width_max", link.width_max},
      {"numa_node", link.numa_node},
      {"host_numa_nodes", machine.cpu_nodes.size()},
      {"host_threads", host_thread_count()},
      {"host_memory_bytes", total_host_bytes()},
      {"clock_sm_max_mhz", positive(machine.clock_khz / 1000)},
      {"clock_memory_mhz", positive(machine.memory_clock_khz / 1000)},
      {"l2_bytes", positive(machine.l2_bytes)},
      {"copy_engines", machine.copy_engines},
      {"managed_prefetch", machine.managed_prefetch},
      {"host_page_tables", machine.host_page_tables}};
  for (const auto& [key, value] : numbers) {
    if (value) record.integer(key, *value);
  }
  return record.number("timer_tick_ns", machine.timer_tick_ns);
}

PcieLink read_pcie_link(const std::string& bus_id) {
  const std::string folder = pci_folder(bus_id);
  return {pcie_generation(first_line(folder + "current_link_speed")),
          pcie_generation(first_line(folder + "max_link_speed")),
          integer(first_line(folder + "current_link_width")),
          integer(first_line(folder + "max_link_width")),
          integer(first_line(folder + "numa_node"))};  // -1: the system does not say
}

void touch_pages(void* memory, std::size_t bytes) {
  auto* bytes_of = static_cast<volatile unsigned char*>(memory);
  for (std::size_t i = 0; i < bytes; i += 4096) bytes_of[i] = 1;
}

std::size_t available_host_bytes() {
  std::size_t available = meminfo("/proc/meminfo", "MemAvailable");
  if (available == 0) available = total_host_bytes() / 2;
  for (const auto& [limit, used] : control_groups()) {
    available = std::min(available, limit - std::min(limit, used));
  }
  return std::min(available, total_host_bytes());
}

std::size_t total_host_bytes() {
  std::size_t total = 0;
  for (const int node : nodes_with_cpus())
    total += meminfo(node_folder(node) + "meminfo", "MemTotal");
  const std::size_t pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                            static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  total = total == 0 ? pages : std::min(total, pages);
  for (const auto& [limit, used] : control_groups()) total = std::min(total, limit);
  return total;
}

unsigned host_thread_count() {
  cpu_set_t allowed;
  const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  return known ? static_cast<unsigned>(std::max(1, CPU_COUNT(&allowed))) : 1;
}

}  // namespace ooc::bench
