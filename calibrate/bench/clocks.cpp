// Through NVML, which every driver brings and nvidia-smi uses; asked for by name, for its header comes with the
// toolkit only where somebody chose it. Signatures and numbers: NVIDIA's NVML API reference.
#include <dlfcn.h>
#include <unistd.h>

#include "calibrate/bench/run.hpp"

namespace ooc::bench {
namespace {

constexpr int kGraphicsClock = 0;
constexpr int kMemoryClock = 2;

template <typename Function>
Function find(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

void sample_clocks(const std::string& bus_id, Output& output) {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (library == nullptr) return;
  using Device = void*;
  const auto init = find<int (*)()>(library, "nvmlInit_v2");
  const auto by_bus =
      find<int (*)(const char*, Device*)>(library, "nvmlDeviceGetHandleByPciBusId_v2");
  const auto clock = find<int (*)(Device, int, unsigned*)>(library, "nvmlDeviceGetClockInfo");
  const auto power = find<int (*)(Device, unsigned*)>(library, "nvmlDeviceGetPowerUsage");
  const auto reasons = find<int (*)(Device, unsigned long long*)>(
      library, "nvmlDeviceGetCurrentClocksThrottleReasons");
  Device device = nullptr;
  if (init == nullptr || by_bus == nullptr || clock == nullptr || init() != 0 ||
      by_bus(bus_id.c_str(), &device) != 0) {
    return;
  }
  for (;; usleep(500'000)) {
    Record record("clocks");
    record.number("at_s", now_s());
    unsigned value = 0;
    if (clock(device, kGraphicsClock, &value) == 0) record.integer("sm_mhz", value);
    if (clock(device, kMemoryClock, &value) == 0) record.integer("memory_mhz", value);
    if (power != nullptr && power(device, &value) == 0) record.integer("power_mw", value);
    unsigned long long bits = 0;
    if (reasons != nullptr && reasons(device, &bits) == 0) {
      record.integer("throttle_reasons", static_cast<std::int64_t>(bits));
    }
    output.send(record);
  }
}

}  // namespace ooc::bench
