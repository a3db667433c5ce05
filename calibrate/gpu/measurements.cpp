// The table of measurements. See measurements.hpp.
#include "calibrate/gpu/measurements.hpp"

#include "calibrate/gpu/check.hpp"

namespace ooc::gpu {
namespace {

constexpr Measurement kAll[] = {{"copy", &measure_copy},
                                {"duplex", &measure_duplex},
                                {"interference", &measure_interference},
                                {"near_copy", &measure_near_copy},
                                {"host_memory", &measure_host_memory},
                                {"pin", &measure_pin},
                                {"device_malloc", &measure_device_malloc},
                                {"launch", &measure_launch},
                                {"gemm", &measure_gemm},
                                {"layer", &measure_layer},
                                {"kernel", &measure_kernel}};

}  // namespace

const Measurement& find_measurement(const std::string& what) {
  std::string names;
  for (const Measurement& measurement : kAll) {
    if (what == measurement.what) return measurement;
    names += std::string(names.empty() ? "" : ", ") + measurement.what;
  }
  throw RequestError{"unknown what '" + what + "', known are " + names};
}

}  // namespace ooc::gpu
