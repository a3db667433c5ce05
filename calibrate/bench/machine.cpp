// Looks at the device and the host. See machine.hpp.
#include "calibrate/bench/machine.hpp"

#include <cstdint>

#include "calibrate/bench/check.hpp"
#include "calibrate/bench/platform.hpp"

namespace ooc::bench {
namespace {

constexpr std::size_t kLeastFree = std::size_t{64} << 20;

std::string version_text(int version) {
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

// Attributes that an old driver does not know read as 0.
int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, device) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  return value;
}

Machine read_machine(int device) {
  Machine machine;
  machine.device = device;
  OOC_GPU_CHECK(cudaSetDevice(device));
  cudaDeviceProp properties{};
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
  const std::string looked_for = "CUDA device " + std::to_string(device);
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) throw NoDevice{looked_for, why_no_count(status)};
  if (device < 0 || device >= count) {
    throw NoDevice{looked_for, "there are " + std::to_string(count) + " devices"};
  }
  if (attribute(cudaDevAttrIntegrated, device) != 0) {
    throw NoDevice{looked_for,
                   "its memory is the host's: near and far memory are one, and there is no link "
                   "to measure"};
  }
  try {
    Machine machine = read_machine(device);
    machine.devices = count;
    if (machine.free_bytes < kLeastFree) {
      throw NoDevice{looked_for, machine.name + " has " + std::to_string(machine.free_bytes) +
                                     " bytes free of " + std::to_string(machine.total_bytes) +
                                     ": end what else uses the device"};
    }
    run_near(machine.bus_id);
    load_everything(machine.multiprocessors);
    machine.timer_tick_ns = timer_tick_ns();
    return machine;
  } catch (const CallFailure& failure) {
    throw NoDevice{looked_for, failure.call + ": " + failure.text};
  }
}

Record machine_record(const Machine& machine) {
  Record record("machine");
  const auto known = [&record](const char* key, const std::optional<int>& value) {
    if (value) record.integer(key, *value);
  };
  record.integer("device", machine.device);
  record.integer("devices", machine.devices);
  record.text("device_name", machine.name);
  record.text("compute_capability",
              std::to_string(machine.major) + '.' + std::to_string(machine.minor));
  record.integer("sm_count", machine.multiprocessors);
  record.integer("memory_total_bytes", static_cast<std::int64_t>(machine.total_bytes));
  record.integer("memory_free_bytes", static_cast<std::int64_t>(machine.free_bytes));
  record.text("driver", version_text(machine.driver));
  record.text("cuda_runtime", version_text(machine.runtime));
  known("pcie_generation", machine.link.generation);
  known("pcie_generation_max", machine.link.generation_max);
  known("pcie_width", machine.link.width);
  known("pcie_width_max", machine.link.width_max);
  record.text("pci_bus_id", machine.bus_id);
  known("numa_node", machine.link.numa_node);
  record.integer("host_numa_nodes", static_cast<std::int64_t>(machine.cpu_nodes.size()));
  record.integer("host_threads", host_thread_count());
  record.integer("host_memory_bytes", static_cast<std::int64_t>(total_host_bytes()));
  if (machine.clock_khz > 0) record.integer("clock_sm_max_mhz", machine.clock_khz / 1000);
  if (machine.memory_clock_khz > 0) {
    record.integer("clock_memory_mhz", machine.memory_clock_khz / 1000);
  }
  if (machine.l2_bytes > 0) record.integer("l2_bytes", machine.l2_bytes);
  record.integer("copy_engines", machine.copy_engines);
  record.integer("managed_prefetch", machine.managed_prefetch ? 1 : 0);
  record.integer("host_page_tables", machine.host_page_tables ? 1 : 0);
  record.number("timer_tick_ns", machine.timer_tick_ns);
  return record;
}

}  // namespace ooc::bench
