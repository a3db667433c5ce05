// What can be measured, one function each: transfers.cpp, unified.cpp, overlap.cpp, costs.cpp.
#pragma once

#include "calibrate/bench/job.hpp"

namespace ooc::bench {

void measure_copy(Job& job);
void measure_unified(Job& job);  // copy with mode=unified_*
void measure_sustained(Job& job);
void measure_near_copy(Job& job);
void measure_near_stream(Job& job);
void measure_duplex(Job& job);
void measure_interference(Job& job);
void measure_all_devices(Job& job);
void measure_host_memory(Job& job);
void measure_pin(Job& job);
void measure_device_malloc(Job& job);
void measure_launch(Job& job);

}  // namespace ooc::bench
