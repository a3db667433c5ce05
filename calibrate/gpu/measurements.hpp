// What can be measured: a name and a function each. The functions are in transfers.cpp, unified.cpp,
// overlap.cpp, costs.cpp and compute.cpp; the table is in measurements.cpp.
#pragma once

#include <string>
#include <vector>

#include "calibrate/gpu/job.hpp"

namespace ooc::gpu {

struct Measurement {
  const char* what;
  void (*run)(Job& job);
};

// Throws RequestError that lists the names if there is none of this name.
const Measurement& find_measurement(const std::string& what);

void measure_copy(Job& job);
void measure_unified(Job& job);  // copy with mode=unified_*
void measure_near_copy(Job& job);
void measure_duplex(Job& job);
void measure_interference(Job& job);
void measure_host_memory(Job& job);
void measure_pin(Job& job);
void measure_device_malloc(Job& job);
void measure_launch(Job& job);
void measure_gemm(Job& job);
void measure_layer(Job& job);
void measure_kernel(Job& job);

}  // namespace ooc::gpu
