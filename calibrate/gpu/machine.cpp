// Looks at the device and the host. See machine.hpp.
#include "calibrate/gpu/machine.hpp"

#include <cstdint>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/libraries.hpp"
#include "calibrate/gpu/page_calls.hpp"
#include "calibrate/gpu/platform.hpp"

namespace ooc::gpu {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
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
  OOC_GPU_CHECK(cudaDeviceGetAttribute(&machine.clock_khz, cudaDevAttrClockRate, device));
  OOC_GPU_CHECK(
      cudaDeviceGetAttribute(&machine.memory_clock_khz, cudaDevAttrMemoryClockRate, device));
  int managed = 0;
  OOC_GPU_CHECK(cudaDeviceGetAttribute(&managed, cudaDevAttrConcurrentManagedAccess, device));
  machine.managed_prefetch = managed != 0;
  machine.page_bytes = page_granularity(device);
  char bus_id[32] = {};
  OOC_GPU_CHECK(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, device));
  machine.bus_id = bus_id;
  machine.link = read_pcie_link(machine.bus_id);
  return machine;
}

void add_known(LineBuilder& line, const char* key, const std::optional<int>& value) {
  if (value) line.add(key, std::int64_t{*value});
}

}  // namespace

Machine open_machine(int device, std::size_t need) {
  const std::string looked_for = "CUDA device " + std::to_string(device);
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    throw NoDevice{looked_for, std::string("cudaGetDeviceCount: ") + cudaGetErrorString(status)};
  }
  if (device < 0 || device >= count) {
    throw NoDevice{looked_for, "there are " + std::to_string(count) + " devices"};
  }
  try {
    Machine machine = read_machine(device);
    if (machine.free_bytes < need) {
      throw NoDevice{looked_for, machine.name + " has " + std::to_string(machine.free_bytes) +
                                     " bytes free of " + std::to_string(machine.total_bytes) +
                                     ", " + std::to_string(need) +
                                     " are needed: end what else uses the device"};
    }
    load_everything(machine.multiprocessors);
    return machine;
  } catch (const CallFailure& failure) {
    throw NoDevice{looked_for, failure.call + ": " + failure.text};
  } catch (const RequestError& error) {
    throw NoDevice{looked_for, error.text};
  }
}

LineBuilder machine_line(const Machine& machine) {
  LineBuilder line("machine");
  line.add("device", std::int64_t{machine.device});
  line.add("device_name", machine.name);
  line.add("compute_capability",
           std::to_string(machine.major) + '.' + std::to_string(machine.minor));
  line.add("sm_count", std::int64_t{machine.multiprocessors});
  line.add("memory_total_bytes", static_cast<std::int64_t>(machine.total_bytes));
  line.add("memory_free_bytes", static_cast<std::int64_t>(machine.free_bytes));
  line.add("driver", version_text(machine.driver));
  line.add("cuda_runtime", version_text(machine.runtime));
  add_known(line, "pcie_generation", machine.link.generation);
  add_known(line, "pcie_generation_max", machine.link.generation_max);
  add_known(line, "pcie_width", machine.link.width);
  add_known(line, "pcie_width_max", machine.link.width_max);
  line.add("pci_bus_id", machine.bus_id);
  add_known(line, "numa_node", machine.link.numa_node);
  line.add("host_numa_nodes", std::int64_t{host_node_count()});
  line.add("host_threads", std::int64_t{host_thread_count()});
  line.add("host_memory_bytes", static_cast<std::int64_t>(total_host_bytes()));
  if (machine.clock_khz > 0) line.add("clock_sm_max_mhz", std::int64_t{machine.clock_khz / 1000});
  if (machine.memory_clock_khz > 0) {
    line.add("clock_memory_mhz", std::int64_t{machine.memory_clock_khz / 1000});
  }
  line.add("managed_prefetch", std::int64_t{machine.managed_prefetch});
  line.add("page_bytes", static_cast<std::int64_t>(machine.page_bytes));
  line.add("cublas", std::int64_t{gemm_available()});
  line.add("cudnn", std::int64_t{convolution_available()});
  return line;
}

}  // namespace ooc::gpu
